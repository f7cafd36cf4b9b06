"""The command, run in this process, on homes that are copied from one that was filled once."""

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent import cli
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.conftest import LEAVE, VPN
from tests.fakes import CharacterEmbedder, copied


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return the one JSON value that standard output must be."""
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        """Return the JSON value of each line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def is_one_line(self) -> bool:
        """Say whether it ended as an error that a person can mend must end."""
        return self.code == 2 and self.out == "" and self.err.startswith("folio: ") and self.err.count("\n") == 1


Folio = Callable[..., Done]


@pytest.fixture
def folio(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Folio:
    """Return the command, on a home of its own with a predictable embedder."""
    for module in ("retrieval.knowledge_base", "agent.cli.ingest", "agent.cli.documents", "agent.cli.watch"):
        monkeypatch.setattr(f"{module}.open_embedder", lambda _settings: CharacterEmbedder())
    monkeypatch.setenv("FOLIO_HOME", str(tmp_path / "home"))

    def run(*arguments: object, piped: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["folio", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped), encoding="utf-8"))
        with pytest.raises(SystemExit) as exited:
            cli.main()
        captured = capsys.readouterr()
        return Done(int(exited.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two documents in `docs` and a `home` that has them, which no test uses itself."""
    folder, before = tmp_path_factory.mktemp("filled"), Path.cwd()
    (folder / "docs").mkdir()
    (folder / "docs/leave.md").write_text(LEAVE, encoding="utf-8")
    (folder / "docs/vpn_en.md").write_text(VPN, encoding="utf-8")
    os.chdir(folder)
    try:
        with KnowledgeBase.open(Settings(home=folder / "home"), embedder=CharacterEmbedder()) as base:
            base.ingest([Path("docs")])
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def docs(filled: Path, tmp_path: Path) -> Path:
    """Return a folder of two documents."""
    return Path(shutil.copytree(filled / "docs", tmp_path / "docs"))


@pytest.fixture
def ready(folio: Folio, docs: Path, filled: Path, tmp_path: Path) -> Folio:
    """Return the command with both documents in."""
    copied(filled / "home", tmp_path / "home")
    return folio


@pytest.fixture
def brought_in(folio: Folio, docs: Path) -> Folio:
    """Return the command with both documents in, as they were read from where they can be changed."""
    assert folio("ingest", docs).code == 0
    return folio
