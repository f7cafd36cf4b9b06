"""What every test has: a closed network, no settings from outside, and a folder of its own."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
import pytest_socket

from tests import postgres

# No test is timed: the machines differ.
hypothesis.settings.register_profile("folio", deadline=None, max_examples=50, derandomize=True)
hypothesis.settings.load_profile("folio")


def pytest_configure() -> None:
    # A shell has what it runs in the background ignore it, and so would the processes that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was skipped, and why, in one line a reason."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")


def pytest_runtest_setup() -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


def pytest_runtest_teardown() -> None:
    pytest_socket._remove_restrictions()


@pytest.fixture(autouse=True)
def _no_outside_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("FOLIO_", "OPENAI_", "LANGCHAIN_", "LANGSMITH_")) and not name.startswith("FOLIO_TEST_"):
            monkeypatch.delenv(name)
    # Scores are those of the legs, unless a test asks for more.
    monkeypatch.setenv("FOLIO_RERANK", "none")
    # A `.env` of the working folder must not reach the tests either.
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Postgres]:
    """Return a PostgreSQL server of this run; where none is installed, the tests of it are skipped."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: no initdb, neither on PATH nor in /usr/lib/postgresql")
    with postgres.running(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Return a function that makes an empty database and returns its address, on each kind of server."""
    if request.param == "postgresql":
        server: postgres.Postgres = request.getfixturevalue("postgres_server")
        return server.new_database
    names = (tmp_path / f"database{number}.db" for number in range(100))
    return lambda: f"sqlite:///{next(names)}"
