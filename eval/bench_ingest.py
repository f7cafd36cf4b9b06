"""The story of `eval bench --documents`: the same files through our ingest and through the usual pipeline.

Both use the bundled encoder. The usual pipeline cuts every 400 characters, merges by comparing each piece with a
growing buffer that is encoded anew every time, encodes the chunks one by one, and fills stock parts.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from eval.bench_inputs import timed
from eval.bench_process import in_a_process, peak_mebibytes
from eval.report import Cell, markdown_table
from preprocessing.errors import FolioError
from preprocessing.prepare import ChunkingSettings
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder, Vectors

SECONDS, CHUNKS, CHARACTERS, ENCODED, MEMORY = "s", "chunks", "characters", "encoded/char", "MiB"
_NAIVE_COSINE = 0.8
_OVERLAP = 50


@dataclass(frozen=True, slots=True)
class Ingested:
    """What one side took for one file or folder."""

    documents: str
    side: str
    figures: Mapping[str, float]


class CountingEmbedder:
    """Passes on to the bundled embedder and counts the characters it is given."""

    def __init__(self) -> None:
        self._embedder = open_embedder("bundled")
        self._embedder.embed_query("load the model")
        self.characters = 0

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._embedder.dimension

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question; it is not counted."""
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, shape (len(texts), 384)."""
        self.characters += sum(map(len, texts))
        return self._embedder.embed_passages(texts)


def ingest_folio(documents: Path) -> dict[str, float]:
    """Ingest the file or folder into a new knowledge base."""
    # The loaders of every format come with it; the usual pipeline must not pay for them.
    from retrieval.knowledge_base import KnowledgeBase
    from retrieval.settings import RetrievalSettings

    embedder = CountingEmbedder()
    with TemporaryDirectory(ignore_cleanup_errors=True) as home:
        settings = RetrievalSettings(home=Path(home), qdrant_url=None)
        with KnowledgeBase.open(settings, embedder=embedder) as knowledge_base:
            # Once for a knowledge base, however many documents follow.
            knowledge_base.unrelated_similarity()
            embedder.characters = 0
            report, seconds = timed(lambda: knowledge_base.ingest([documents]))
            characters = sum(len(chunk.text) for chunk in knowledge_base.engine.store.scan())
    if report.failed:
        raise FolioError(f"{report.failed[0][0]}: {report.failed[0][1]}")
    return _figures(seconds, report.chunks, characters, embedder)


def ingest_naive(documents: Path) -> dict[str, float]:
    """Read, cut, merge with re-encoding, encode one by one, and fill `qdrant-client` and `rank_bm25`."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from qdrant_client import QdrantClient, models
    from rank_bm25 import BM25Okapi

    from retrieval.tokens import tokenize

    embedder, limits = CountingEmbedder(), ChunkingSettings()
    splitter = RecursiveCharacterTextSplitter(chunk_size=limits.piece_chars, chunk_overlap=_OVERLAP)

    def run() -> tuple[list[str], int]:
        chunks: list[str] = []
        characters = 0
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            client = QdrantClient(path=folder)
            client.create_collection("c", models.VectorParams(size=embedder.dimension, distance=models.Distance.COSINE))
            for text in _texts(documents):
                characters += len(text)
                some = _merged(splitter.split_text(text), embedder, limits)
                points = [
                    models.PointStruct(id=len(chunks) + at, vector=_one(embedder, chunk).tolist(), payload={"t": chunk})
                    for at, chunk in enumerate(some)
                ]
                client.upsert("c", points)
                chunks += some
            BM25Okapi([tokenize(chunk) for chunk in chunks])
            client.close()
        return chunks, characters

    (chunks, characters), seconds = timed(run)
    return _figures(seconds, len(chunks), characters, embedder)


SIDES: Mapping[str, Callable[[Path], dict[str, float]]] = {"Folio": ingest_folio, "usual pipeline": ingest_naive}


def bench_ingest(documents: Sequence[Path], measured: Callable[[Ingested], None] = lambda _one: None) -> list[Ingested]:
    """Measure both sides on each file or folder, each in a process of its own; raise FolioError when one fails."""
    found = []
    for path in documents:
        for side in SIDES:
            one = Ingested(
                path.resolve().name, side, in_a_process("eval.bench_ingest", [side, str(path)], f"{path} by {side}")
            )
            measured(one)
            found.append(one)
    return found


def ingest_table(found: Sequence[Ingested]) -> str:
    """Return one line a side; the ratio is of characters per second to those of the usual pipeline."""
    usual = {one.documents: _speed(one) for one in found if one.side != "Folio"}
    lines: list[list[Cell]] = [
        [
            one.documents,
            one.side,
            f"{one.figures[CHUNKS]:,.0f}",
            f"{one.figures[SECONDS]:,.1f}",
            f"{one.figures[CHUNKS] / one.figures[SECONDS]:.1f}",
            f"{_speed(one):,.0f}",
            f"{_speed(one) / usual[one.documents]:.1f}",
            f"{one.figures[ENCODED]:.2f}",
            f"{one.figures[MEMORY]:,.0f}",
        ]
        for one in found
    ]
    head = ["documents", "", CHUNKS, SECONDS, "chunks/s", "characters/s", "ratio", ENCODED, MEMORY]
    return markdown_table(head, lines)


def _speed(one: Ingested) -> float:
    return one.figures[CHARACTERS] / one.figures[SECONDS]


def _merged(pieces: Sequence[str], embedder: Embedder, limits: ChunkingSettings) -> list[str]:
    merged: list[str] = []
    buffer = ""
    for piece in pieces:
        fits = buffer and len(buffer) + len(piece) <= limits.max_chars
        if fits and float(_one(embedder, buffer) @ _one(embedder, piece)) >= _NAIVE_COSINE:
            buffer = f"{buffer}\n{piece}"
        else:
            merged += [buffer] if buffer else []
            buffer = piece
    return [*merged, buffer] if buffer else merged


def _one(embedder: Embedder, text: str) -> Vectors:
    vector: Vectors = np.asarray(embedder.embed_passages([text])[0])
    return vector


def _texts(documents: Path) -> Iterator[str]:
    files = sorted(path for path in documents.rglob("*") if path.is_file()) if documents.is_dir() else [documents]
    for file in files:
        if file.suffix.lower() == ".pdf":
            from pypdf import PdfReader

            yield "\n".join(page.extract_text() for page in PdfReader(file).pages)
        else:
            yield file.read_text(encoding="utf-8")


def _figures(seconds: float, chunks: int, characters: int, embedder: CountingEmbedder) -> dict[str, float]:
    return {
        SECONDS: seconds,
        CHUNKS: chunks,
        CHARACTERS: characters,
        ENCODED: embedder.characters / characters,
        MEMORY: peak_mebibytes(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(SIDES[sys.argv[1]](Path(sys.argv[2]))))
