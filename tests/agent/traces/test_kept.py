"""Traces as files and as rows of a database: kept, read, and forgotten with their session."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from agent.settings import Settings
from agent.traces.kept import Traces, UnknownTrace, open_traces
from agent.traces.trace import Trace
from tests.agent.conftest import ANSWER, SEARCH, Scripted
from tests.postgres import Postgres


def settings_in(home: Path, url: str | None) -> Settings:
    return Settings(home=home, database_url=url)  # type: ignore[arg-type]


@pytest.fixture(params=["folder", "sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Return settings for each place that traces may be in."""
    if request.param == "postgresql":
        server: Postgres = request.getfixturevalue("postgres_server")
        return settings_in(tmp_path, server.new_database())
    return settings_in(tmp_path, f"sqlite:///{tmp_path / 'shared.db'}" if request.param == "sqlite" else None)


@pytest.fixture
def traces(settings: Settings) -> Iterator[Traces]:
    opened = open_traces(settings)
    yield opened
    opened.close()


def asked(question: str, session: str) -> dict[str, Any]:
    return Trace(question, session, viewer=("hr",)).record(model="m", answer=None, error=None)


def test_those_of_a_session_are_forgotten_and_no_others(traces: Traces) -> None:
    sessions = ["s", 'a"b\\c 会话', "s2", "s"]
    kept = [asked(f'"session": "{sessions[0]}",\n "session": "s",', session) for session in sessions]
    for record in kept:
        traces.keep(record)
    for session in ('a"b\\c 会话', "s"):
        traces.forget(session)
    for record in kept:
        if record["session"] == "s2":
            assert traces.read(record["trace_id"])["session"] == "s2"
        else:
            with pytest.raises(UnknownTrace):
                traces.read(record["trace_id"])


@pytest.mark.parametrize("trace_id", ["0" * 32, "", "../../secret", "..\\x", "A" * 32])
def test_an_unknown_one_is_one_line(traces: Traces, settings: Settings, trace_id: str) -> None:
    (settings.home / "secret.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UnknownTrace) as caught:
        traces.read(trace_id)
    place = str(settings.home / "traces")
    if url := settings.database_url:
        place = sa.make_url(url.get_secret_value()).render_as_string(hide_password=True)
    assert str(caught.value) == f"there is no trace {trace_id!r} in {place}; `folio ask` prints the id of each answer"
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("place", ["folder", "database"])
def test_one_that_cannot_be_kept_never_costs_the_answer(
    scripted: Scripted, tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    path = tmp_path / "gone.db"
    assistant = scripted(SEARCH, ANSWER)
    assistant.traces = open_traces(settings_in(tmp_path, f"sqlite:///{path}" if place == "database" else None))
    assistant.traces.close()
    path.unlink(missing_ok=True)
    path.mkdir()
    (tmp_path / "traces").touch()
    assert not assistant.ask("转正员工年假有几天？").refused
    assistant.traces.close()
    (warned,) = [record for record in caplog.records if record.name == "agent.traces.kept"]
    assert warned.getMessage().startswith("the trace was not written: ")
    assert "\n" not in warned.getMessage()
