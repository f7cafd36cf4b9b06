from pathlib import Path
from typing import Any

import pytest

from agent.settings import Settings
from tests.agent.cli.conftest import Folio


def test_keys_are_made_listed_and_revoked(folio: Folio, tmp_path: Path) -> None:
    written = folio("keys", "add", "前台", "--group", "HR", "--group", "board", "--role", "write").out.strip()
    assert written.startswith("folio_")
    made = folio("keys", "add", "other", "--json").json()
    assert made["key"].startswith(f"folio_{made['id']}_")
    listed = folio("keys", "list", "--json").json()
    assert {(key["name"], key["role"], tuple(key["groups"])) for key in listed} == {
        ("前台", "write", ("hr", "board")),
        ("other", "read", ()),
    }
    shown = folio("keys", "list").out
    assert "write  前台  of hr, board" in shown
    assert written not in shown
    assert folio("keys", "revoke", "前台").out == "revoked 前台\n"
    assert "前台  of hr, board  revoked 2" in folio("keys", "list").out
    assert "no key in use is called" in folio("keys", "revoke", "前台").err
    # Neither documents nor models are opened for it.
    assert {path.name for path in (tmp_path / "home").iterdir()} <= {"http.db", "http.db-wal", "http.db-shm"}


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ((), {}, ("127.0.0.1", 8000)),
        ((), {"FOLIO_HTTP__PORT": "9000", "FOLIO_HTTP__HOST": "::1"}, ("::1", 9000)),
        (("--host", "localhost", "--port", "0"), {"FOLIO_HTTP__PORT": "9000"}, ("localhost", 0)),
    ],
)
def test_flags_win_over_the_environment(
    folio: Folio,
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
    folio("serve", *arguments)
    assert served == [expected]
