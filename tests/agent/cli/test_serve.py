import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent.cli import app
from agent.settings import Settings
from preprocessing.errors import FolioError


def run(*arguments: str) -> str:
    """Return what a command writes to standard output."""
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOLIO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_keys_are_made_listed_and_revoked(home: Path) -> None:
    written = run("keys", "add", "前台", "--group", "HR", "--group", "board", "--role", "write").strip()
    assert written.startswith("folio_")
    made = json.loads(run("keys", "add", "other", "--json"))
    assert made["key"].startswith(f"folio_{made['id']}_")
    listed = json.loads(run("keys", "list", "--json"))
    assert {(key["name"], key["role"], tuple(key["groups"])) for key in listed} == {
        ("前台", "write", ("hr", "board")),
        ("other", "read", ()),
    }
    shown = run("keys", "list")
    assert "write  前台  of hr, board" in shown
    assert written not in shown
    assert run("keys", "revoke", "前台") == "revoked 前台\n"
    assert "前台  of hr, board  revoked 2" in run("keys", "list")
    with pytest.raises(FolioError, match="no key in use is called"):
        run("keys", "revoke", "前台")
    # Neither documents nor models are opened for it.
    assert {path.name for path in home.iterdir()} <= {"http.db", "http.db-wal", "http.db-shm"}


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ((), {}, ("127.0.0.1", 8000)),
        ((), {"FOLIO_HTTP__PORT": "9000", "FOLIO_HTTP__HOST": "::1"}, ("::1", 9000)),
        (("--host", "localhost", "--port", "0"), {"FOLIO_HTTP__PORT": "9000"}, ("localhost", 0)),
    ],
)
def test_flags_win_over_the_environment(
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    expected: tuple[str, int],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    served: list[Any] = []

    def note(settings: Settings, _create_app: object) -> None:
        served.append((settings.http.host, settings.http.port))

    monkeypatch.setattr("agent.cli.serve.serve_app", note)
    run("serve", *arguments)
    assert served == [expected]
