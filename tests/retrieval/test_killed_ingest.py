"""An ingest may be killed at any moment: whole documents are found after it, and the next ingest finishes the work."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

ROOT = Path(__file__).parents[2]
SECTIONS = 4
STAYING = {"copy.md", *(f"doc{number}.md" for number in range(5))}


def sections(name: str, version: int) -> list[str]:
    return [f"规定 {name} 第 {version} 版，第 {number} 条。" for number in range(SECTIONS)]


def whole_states(name: str) -> list[list[str]]:
    """Return the texts that a search may find in the document: those of one version, never of two or of a part."""
    if name in ("copy.md", "old.md", "new.md"):
        # These never change; the first is like the first version of another file, the others are one file renamed.
        return [sections("doc0" if name == "copy.md" else "renamed", 0)]
    return [sections(name.removesuffix(".md"), version) for version in (0, 1)]


def write(path: Path, texts: list[str]) -> None:
    text = "\n".join(f"## {number}\n\n{text}\n" for number, text in enumerate(texts))
    # A file that stays as it is keeps its date.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_version(docs: Path, version: int) -> None:
    """Change every other document, so that one of two copies and a renamed file are among what is ingested."""
    for number in range(5):
        write(docs / f"doc{number}.md", sections(f"doc{number}", version))
    write(docs / "copy.md", sections("doc0", 0))
    now, before = ("new.md", "old.md") if version else ("old.md", "new.md")
    if (docs / before).exists():
        (docs / before).rename(docs / now)
    write(docs / now, sections("renamed", 0))


def opened(home: Path) -> KnowledgeBase:
    return KnowledgeBase.open(RetrievalSettings(home=home), embedder=CharacterEmbedder())


def check_whole(base: KnowledgeBase) -> None:
    """Assert that every document is there, in one whole state, in both legs."""
    records = base.documents()
    names = Counter(Path(record.source).name for record in records)
    assert names in (Counter([*STAYING, "old.md"]), Counter([*STAYING, "new.md"]))
    for mode in ("vector", "keyword"):
        found = []
        for record in records:
            hits = base.search("规定", 200, mode, filters={"doc_id": (record.doc_id,)})  # type: ignore[arg-type]
            texts = [hit.chunk.text for hit in sorted(hits, key=lambda hit: hit.chunk.index)]
            assert texts in whole_states(Path(record.source).name)
            found += [] if record.same_as else texts
        everything = [hit.chunk.text for hit in base.search("规定", 200, mode)]  # type: ignore[arg-type]
        # Two documents may say the same for a while; a search shows that once.
        assert Counter(everything) == Counter(set(found))


def result(base: KnowledgeBase) -> dict[str, Any]:
    """Return everything of a knowledge base that a person can come to see."""
    hits = {}
    for mode in ("vector", "keyword"):
        # Chunks of one cosine may come in any order.
        found = sorted(base.search("规定 doc1", 200, mode), key=lambda hit: hit.chunk.chunk_id)  # type: ignore[arg-type]
        hits[mode] = [(hit.chunk, pytest.approx(hit.legs[mode].score, rel=1e-5)) for hit in found]
    return {"documents": base.documents(), "health": base.health(), **hits}


def ingest_and_kill(home: Path, docs: Path, moment: float) -> bool:
    """Ingest in a process of its own and kill it so many seconds after it began; return False when it was done."""
    command = [sys.executable, "-m", "tests.retrieval.slow_ingest", str(home), str(docs)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment) as process:
        assert process.stdout
        assert process.stdout.readline() == "open\n"
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        return process.stdout.read() == ""


def run(tmp_path: Path, kills: int, longest: float) -> None:
    home, docs, moments = tmp_path / "home", tmp_path / "docs", random.Random(7)
    docs.mkdir()
    version = 0
    write_version(docs, version)
    with opened(home) as base:
        base.ingest([docs])
        check_whole(base)
    killed = 0
    while killed < kills:
        version = 1 - version
        write_version(docs, version)
        # Killed several times on the way to one version, and then let through.
        for _ in range(3):
            killed += ingest_and_kill(home, docs, moments.uniform(0, longest))
            with opened(home) as base:
                check_whole(base)
        with opened(home) as base:
            base.ingest([docs])
            check_whole(base)
        # What was removed counts for the IDF of the embedded engine until it is opened again.
        with opened(home) as base:
            finished = result(base)
        with opened(tmp_path / f"uninterrupted {killed}") as base:
            base.ingest([docs])
            assert finished == result(base)


def test_an_ingest_that_is_killed_can_be_started_again(tmp_path: Path) -> None:
    run(tmp_path, kills=3, longest=0.3)


@pytest.mark.soak
def test_an_ingest_that_is_killed_fifty_times_can_be_started_again(tmp_path: Path) -> None:
    run(tmp_path, kills=50, longest=0.6)
