"""A browser, a server to look at with it, and what neither may do unnoticed."""

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from agent.http.app import create_app
from agent.http.keys import open_database
from agent.http.server import listening
from tests.agent.http.conftest import Serve, Served, base, serve

__all__ = ["base", "serve"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ROOT = Path(__file__).parents[3]
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return the browser of this machine, closed after the module: its event loop is in the way of others."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium here; Debian has it in the package chromium")
    with sync_playwright() as playwright:
        # As root, as in a container, it has no sandbox.
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Watched:
    """Opens pages, and knows what they wrote to the console and where they sent requests."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.expected: list[str] = []
        """Parts of what the console may say, such as the status of a request that a test wants refused."""
        self.said: list[str] = []
        self.elsewhere: list[str] = []

    def open(self, url: str, **options: Any) -> Page:
        """Open the page at the server, in a browser that nobody has used, and wait until it is there."""
        context = self._browser.new_context(**{"viewport": DESKTOP, "locale": "en-US"} | options)
        context.set_default_timeout(15_000)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self._see(request.url, url))
        page.goto(url)
        return page

    def close(self) -> None:
        """Close every page, and fail for what none of them should have done."""
        for context in self._contexts:
            context.close()
        assert [said for said in self.said if not any(part in said for part in self.expected)] == []
        assert self.elsewhere == []

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.said.append(text)

    def _see(self, address: str, url: str) -> None:
        if not address.startswith((url, "blob:", "data:")):
            self.elsewhere.append(address)


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """Return what opens pages; whatever the console says of them fails the test."""
    pages = Watched(browser)
    yield pages
    pages.close()


def ready(page: Page) -> Page:
    """Wait until the page has what it shows."""
    page.wait_for_selector("html[data-ready]")
    return page


def ask(page: Page, question: str) -> None:
    """Ask and wait for the end of the answer."""
    page.get_by_role("textbox").fill(question)
    page.keyboard.press("Enter")
    page.locator(".turn").last.and_(page.locator("[aria-busy=false]")).wait_for()


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a server of its own with the offline model and no documents."""
    folder = tmp_path_factory.mktemp("offline")
    log = folder / "log"
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "FOLIO_HOME": str(folder / "home"),
        # Also files of a test are large enough to be brought in afterwards.
        "FOLIO_HTTP__BACKGROUND_MB": "0.01",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-c", "from agent.cli import main; main()", "serve", "--port", "0"]
    with log.open("w", encoding="utf-8") as written:
        process = subprocess.Popen(command, cwd=folder, env=environment, stderr=written)
    try:
        while "Application startup complete" not in log.read_text(encoding="utf-8"):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            time.sleep(0.05)
        yield next(line.split()[-1] for line in log.read_text("utf-8").splitlines() if "Folio answers at" in line)
    finally:
        process.terminate()
        process.wait(30)
    assert "Traceback" not in log.read_text(encoding="utf-8")


class InThread:
    """The app of a scripted assistant on a port of this machine."""

    def __init__(self, served: Served) -> None:
        self._database = open_database(served.assistant.settings)
        self._sock = listening("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._sock.getsockname()[1]}"
        app = create_app(served.assistant, self._database, on_loopback=True)
        self._server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        self._thread = threading.Thread(target=self._server.run, args=([self._sock],))
        self._thread.start()

    def stop(self) -> None:
        """Stop it and wait until it has."""
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()
        self._sock.close()
        self._database.dispose()


@pytest.fixture
def at(serve: Serve) -> Iterator[Callable[..., tuple[str, Served]]]:
    """Return a function that serves a model with these replies, and returns the address with what is behind it."""
    started: list[InThread] = []

    def start(*replies: Any, **options: Any) -> tuple[str, Served]:
        served = serve(*replies, **options)
        started.append(InThread(served))
        return started[-1].url, served

    yield start
    for running in started:
        running.stop()
