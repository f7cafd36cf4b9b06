"""Sixteen threads search while one ingests and deletes: every search sees whole documents, and nothing is lost."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

READERS, DOCUMENTS, SECTIONS = 16, 6, 3


def texts(number: int, version: int) -> list[str]:
    return [f"规定 doc{number} 第 {version} 版，第 {section} 条。" for section in range(SECTIONS)]


def write(number: int, version: int) -> Path:
    path = Path(f"doc{number}.md")
    sections = "\n".join(f"## {place}\n\n{text}\n" for place, text in enumerate(texts(number, version)))
    path.write_text(f"# doc{number}\n\n{sections}", encoding="utf-8")
    return path


def run(home: Path, seconds: float) -> None:
    done = threading.Event()
    with KnowledgeBase.open(RetrievalSettings(home=home), embedder=CharacterEmbedder()) as base:
        base.ingest([write(number, 0) for number in range(DOCUMENTS)])

        def read(seed: int) -> int:
            choose, searches = random.Random(seed), 0
            while not done.is_set():
                # The first document stays; the others are replaced, and the last one comes and goes.
                number, mode = choose.randrange(DOCUMENTS), choose.choice(["vector", "keyword", "hybrid"])
                filters = {"source": (f"doc{number}.md",)}
                hits = base.search("规定", 50, mode, filters)  # type: ignore[arg-type]
                found = [hit.chunk.text for hit in sorted(hits, key=lambda hit: hit.chunk.index)]
                if found or number < DOCUMENTS - 1:
                    version = int(found[0].split("第 ")[1].split(" ")[0])
                    assert found == texts(number, version)
                    assert version == 0 or number > 0
                searches += 1
            return searches

        def change() -> int:
            ends, changes = time.monotonic() + seconds, 0
            try:
                for changes in count(1):
                    report = base.ingest([write(number, changes) for number in range(1, DOCUMENTS)])
                    assert report.failed == []
                    if time.monotonic() > ends:
                        break
                    base.delete(f"doc{DOCUMENTS - 1}.md")
            finally:
                done.set()
            return changes

        with ThreadPoolExecutor(READERS + 1) as pool:
            writer, readers = pool.submit(change), [pool.submit(read, seed) for seed in range(READERS)]
            last = writer.result()
            assert all(reader.result() for reader in readers)
        assert base.health()["chunks"] == base.health()["keyword_chunks"] == DOCUMENTS * SECTIONS
        for number in range(DOCUMENTS):
            hits = base.search("规定", 50, filters={"source": (f"doc{number}.md",)})
            assert {hit.chunk.text for hit in hits} == set(texts(number, last if number else 0))


def test_searches_see_whole_documents_while_they_change(tmp_path: Path) -> None:
    run(tmp_path / "home", 0.5)


@pytest.mark.soak
def test_searches_see_whole_documents_for_a_minute(tmp_path: Path) -> None:
    run(tmp_path / "home", 60)
