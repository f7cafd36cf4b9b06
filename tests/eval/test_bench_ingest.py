"""Both pipelines take in the same files, and the table holds one against the other."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from eval import bench_ingest
from eval.bench_ingest import CountingEmbedder, Ingested, ingest_folio, ingest_naive, ingest_table
from preprocessing.errors import FolioError
from retrieval.embed.base import Embedder
from tests.fakes import CharacterEmbedder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three documents of one piece, two and three; the encoder is a predictable one."""

    def bundled(_name: str) -> Embedder:
        return CharacterEmbedder()

    monkeypatch.setattr(bench_ingest, "open_embedder", bundled)
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in (1, 2, 3):
        text = "\n\n".join(["差旅住宿标准为每晚五百元。" * 25] * number)
        (docs / f"{number}.txt").write_text(text + "\n", encoding="utf-8")
    return docs


def test_the_usual_pipeline_encodes_what_it_holds_again_and_again(folder: Path) -> None:
    figures = ingest_naive(folder)
    # Pieces of 325 characters, alike, and six in all. The document of one encodes one; that of two both, then the chunk
    # of both: four; that of three both, then the two and the third, then the chunk of three: eight.
    assert figures["chunks"] == 3
    assert figures["encoded/char"] == pytest.approx(13 / 6, abs=0.02)


def test_ours_encodes_each_piece_once(folder: Path) -> None:
    figures = ingest_folio(folder)
    assert figures["chunks"] == 3
    assert figures["encoded/char"] == pytest.approx(1.0, abs=0.02)
    assert figures["characters"] == pytest.approx(ingest_naive(folder)["characters"], rel=0.01)


def test_a_file_that_cannot_be_read_stops_the_measuring(folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(FolioError, match=r"broken\.pdf"):
        ingest_folio(folder)


def test_questions_are_not_counted(folder: Path) -> None:
    assert folder.is_dir()
    embedder = CountingEmbedder()
    embedder.embed_query("年假")
    embedder.embed_passages(["年假", "住宿标准"])
    assert embedder.characters == 6


def test_the_table() -> None:
    def side(name: str, seconds: float, encoded: float) -> Ingested:
        figures = {"s": seconds, "chunks": 40.0, "characters": 12_000.0, "encoded/char": encoded, "MiB": 312.4}
        return Ingested("handbook.pdf", name, figures)

    rows: Sequence[str] = ingest_table([side("Folio", 2.0, 1.04), side("usual pipeline", 8.0, 4.04)]).splitlines()
    assert [cell.strip() for cell in rows[2].split("|")[1:-1]] == [
        "handbook.pdf",
        "Folio",
        "40",
        "2.0",
        "20.0",
        "6,000",
        "4.0",
        "1.04",
        "312",
    ]
    assert [cell.strip() for cell in rows[3].split("|")[1:-1]][4:7] == ["5.0", "1,500", "1.0"]
