"""Many users at once on one server: how long they wait, what goes wrong, what is lost, and whether memory stays."""

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import httpx
import typer

from agent.settings import load_settings
from eval.bench.users import Request, Users
from eval.options import JsonOption, RunsOption
from eval.runs.run import Run, describe, kept_at, new_run
from eval.runs.tables import markdown_table
from eval.sets.load import SAMPLE, load_set
from preprocessing.errors import FolioError

SERVER = "server"
"""Row of what is not of one kind of request."""
_TIMES = ("p50", "p95", "longest")
_TOO_MANY = 429
_HEALTH_SECONDS = 0.5
_COMMAND = [sys.executable, "-c", "from agent.cli import main; main()", "serve", "--port", "0"]
_OWN = ("FOLIO_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")
_SETTINGS = {
    "FOLIO_CHAT_MODEL": "offline",
    "FOLIO_HTTP__HOST": "127.0.0.1",
    # Some uploads are answered before they are in.
    "FOLIO_HTTP__BACKGROUND_MB": "0.004",
}
_START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Server:
    """A server under load."""

    url: str
    process: int
    log: Path

    def mebibytes(self) -> float:
        """Return the memory that it holds now."""
        told = subprocess.run(["ps", "-o", "rss=", "-p", str(self.process)], capture_output=True, text=True, check=True)
        return int(told.stdout) / 1024

    def faults(self) -> int:
        """Return how many errors its log tells of."""
        return self.log.read_text(encoding="utf-8", errors="replace").count(" ERROR ")


@dataclass(frozen=True, slots=True)
class Load:
    """What a load showed."""

    users: int
    seconds: float
    requests: Sequence[Request]
    memory: tuple[float, float, float]
    """MiB at the start, half way and at the end."""
    promised: int
    """Uploads that were acknowledged."""
    lost: Sequence[str]
    """What is not as it was acknowledged."""
    health: Sequence[str]
    """What each look at /health said: `ok`, or what was wrong."""
    faults: int
    """Errors in the log of the server."""

    @property
    def errors(self) -> list[Request]:
        """Return the requests that were not answered, or with an error other than 429."""
        return [one for one in self.requests if not 200 <= one.status < 400 and one.status != _TOO_MANY]


def load_command(
    users: Annotated[int, typer.Option(min=1, help="Users at once.")] = 32,
    seconds: Annotated[float, typer.Option(min=1, help="How long they go on.")] = 60,
    json: JsonOption = None,
    runs: RunsOption = None,
) -> None:
    """Let many users at a server of this machine; exit status 1 when a request fails or an upload is lost."""
    settings = load_settings()
    done = run_load(users, seconds)
    rows = figures(done)
    run = new_run("load", describe(settings, settings.embed_model), list(rows), statistics=rows)
    keep = kept_at(settings, "load", f"{users}-users", json, runs)
    run.save(keep)
    typer.echo("\n".join([load_table(run), *told(done)]))
    typer.echo(f"run: {keep}", err=True)
    raise typer.Exit(1 if done.errors or done.lost else 0)


def run_load(users: int, seconds: float, settings: Mapping[str, str] | None = None) -> Load:
    """Let so many users at a new server for so many seconds; the documents are those of the sample."""
    with TemporaryDirectory(prefix="folio-load-") as folder, serving(Path(folder), settings) as server:
        return asyncio.run(_load(server, users, seconds))


async def _load(server: Server, count: int, seconds: float) -> Load:
    questions = [query.text for query in load_set(SAMPLE, "dev", whole_documents=True).queries]
    users = Users(server.url, questions)
    async with users.client() as client:
        for path in sorted((SAMPLE / "docs").iterdir()):
            await users.bring_in(client, path)
        # What is loaded at first is no growth.
        for question in questions[:2]:
            (await client.post("/api/chat", json={"question": question})).raise_for_status()
        memory, health = [server.mebibytes()], list[str]()
        ends = time.monotonic() + seconds
        looking = asyncio.create_task(_look(client, health))
        working = asyncio.gather(*(users.be(client, number, ends) for number in range(count)))
        await asyncio.sleep(seconds / 2)
        memory.append(server.mebibytes())
        await working
        looking.cancel()
        lost = await users.lost(client)
        memory.append(server.mebibytes())
    return Load(
        users=count,
        seconds=seconds,
        requests=users.requests,
        memory=(memory[0], memory[1], memory[2]),
        promised=len(users.promised) + len(users.deleted),
        lost=lost,
        health=health,
        faults=server.faults(),
    )


async def _look(client: httpx.AsyncClient, seen: list[str]) -> None:
    while True:
        try:
            response = await client.get("/health")
            seen.append(response.json()["status"] if response.status_code == 200 else f"status {response.status_code}")
        except httpx.HTTPError as error:
            seen.append(f"{type(error).__name__}: {error}")
        await asyncio.sleep(_HEALTH_SECONDS)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of the values does not exceed."""
    return sorted(values)[max(ceil(share * len(values)) - 1, 0)]


def figures(load: Load) -> dict[str, dict[str, float]]:
    """Return the figures of each kind of request, and those of the server as a whole."""
    start, middle, end = load.memory
    server = {
        "users": load.users,
        "seconds": load.seconds,
        "too many": sum(one.status == _TOO_MANY for one in load.requests),
        "MiB at the start": start,
        "MiB half way": middle,
        "MiB at the end": end,
        "acknowledged": load.promised,
        "lost": len(load.lost),
        "looks at health": len(load.health),
        "not ok": sum(said != "ok" for said in load.health),
        "errors in the log": load.faults,
    }
    rows: dict[str, dict[str, float]] = {}
    for kind in sorted({one.kind for one in load.requests}):
        times = [one.seconds for one in load.requests if one.kind == kind]
        errors = sum(one.kind == kind for one in load.errors)
        p50, p95 = (percentile(times, share) for share in (0.5, 0.95))
        rows[kind] = {"requests": len(times), "errors": errors, "p50": p50, "p95": p95, "longest": max(times)}
    return {**rows, SERVER: server}


def load_table(run: Run) -> str:
    """Return what a load showed, as a table and lines; times in seconds."""
    kinds = {kind: run.statistics[kind] for kind in run.rows if kind != SERVER}
    rows = [
        [kind, *(f"{one[name]:.0f}" for name in ("requests", "errors")), *(f"{one[name]:.2f}" for name in _TIMES)]
        for kind, one in kinds.items()
    ]
    requests, errors = (sum(one[name] for one in kinds.values()) for name in ("requests", "errors"))
    server = ", ".join(f"{name} {figure:,.0f}" for name, figure in run.statistics[SERVER].items())
    return (
        f"{requests:,.0f} requests, {errors:.0f} errors other than 429\n\n"
        f"{markdown_table(['kind', 'requests', 'errors', *_TIMES], rows)}\n\n{server}"
    )


def told(load: Load) -> list[str]:
    """Return a line for whatever went wrong."""
    errors = Counter(f"{one.kind} {one.status}: {one.problem}" for one in load.errors)
    health = Counter(said for said in load.health if said != "ok")
    return [
        *(f"lost: {one}" for one in load.lost),
        *(f"error: {count} × {said}" for said, count in errors.most_common(10)),
        *(f"health: {count} × {said}" for said, count in health.items()),
    ]


@contextmanager
def serving(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Serve from an empty FOLIO_HOME in the folder, with these variables, until the end of the block.

    Raises FolioError when it does not start.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    environment |= {"PYTHONPATH": path, "FOLIO_HOME": str(folder / "home"), **_SETTINGS, **(settings or {})}
    log = folder / "server.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(_COMMAND, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=errors)
    try:
        yield Server(_address(process, log), process.pid, log)
    finally:
        process.terminate()
        process.wait()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    ends = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < ends:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        if any("Application startup complete" in line for line in lines):
            return next(line.split()[-1] for line in lines if line.startswith("Folio answers at "))
        time.sleep(0.05)
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    raise FolioError(f"load: the server did not start: {last[0] if last else 'it said nothing'}")
