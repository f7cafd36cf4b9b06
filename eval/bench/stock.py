"""The stock parts' side: a recursive splitter, `qdrant-client`, `rank_bm25`, LangChain's fusion; the same encoder."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_text_splitters import RecursiveCharacterTextSplitter
from pypdf import PdfReader
from qdrant_client import QdrantClient, models
from rank_bm25 import BM25Okapi

from eval.bench import measure
from eval.bench.folio import TOP, CountingEmbedder
from eval.bench.measure import BUILD, CHUNKS, DIMENSION, ENCODED, FILTERED, P95, QUERY, REOPEN, SPEED, Figures
from preprocessing.prepare import ChunkingSettings
from retrieval.embed.bundled import BundledEmbedder
from retrieval.embed.embedder import Vectors
from retrieval.text.tokens import query_tokens, tokenize

_COSINE = 0.8
_OVERLAP = 50
_BATCH = 512


def ingest(documents: str) -> Figures:
    """Read, cut, merge with a buffer that is encoded anew each time, encode one by one, and fill both stores."""
    embedder, limits = CountingEmbedder(), ChunkingSettings()
    embedder.embed_query("load the model")
    splitter = RecursiveCharacterTextSplitter(chunk_size=limits.piece_chars, chunk_overlap=_OVERLAP)

    def run() -> tuple[int, int]:
        chunks: list[str] = []
        characters = 0
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder, closing(QdrantClient(path=folder)) as client:
            client.create_collection("c", models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE))
            for text in _texts(Path(documents)):
                characters += len(text)
                some = _merged(splitter.split_text(text), embedder, limits.max_chars)
                vectors = [_one(embedder, chunk).tolist() for chunk in some]
                numbered = enumerate(zip(some, vectors, strict=True), start=len(chunks))
                client.upsert(
                    "c", [models.PointStruct(id=n, vector=vector, payload={"t": t}) for n, (t, vector) in numbered]
                )
                chunks += some
            BM25Okapi([tokenize(chunk) for chunk in chunks])
        return len(chunks), characters

    (chunks, characters), seconds = measure.timed(run)
    encoded = embedder.characters / characters
    return {BUILD: seconds, CHUNKS: chunks, SPEED: characters / seconds, ENCODED: encoded}


def hybrid(size: str) -> Figures:
    """Ask `qdrant-client` in a folder and `rank_bm25`, fuse as LangChain does; `rank_bm25` takes no filter."""
    chunks, vectors = measure.make_chunks(int(size)), measure.random_vectors(int(size))
    embedder = BundledEmbedder()
    nobody: RunnableLambda[str, list[Document]] = RunnableLambda(lambda _question: [])
    ensemble = EnsembleRetriever(retrievers=[nobody, nobody], weights=[0.5, 0.5])
    department = models.FieldCondition(key="department", match=models.MatchValue(value="3"))
    tenth = models.Filter(must=[department])

    def ask(question: str, where: models.Filter | None) -> list[Document]:
        vector = embedder.embed_query(question).tolist()
        points = client.query_points("c", vector, limit=TOP, query_filter=where).points
        best = np.argsort(-np.asarray(index.get_scores(query_tokens(question))))[:TOP]
        legs = [[int(point.id) for point in points], best.tolist()]
        found = [[Document(page_content=chunks[row].text, id=chunks[row].chunk_id) for row in leg] for leg in legs]
        return ensemble.weighted_reciprocal_rank(found)

    def fill() -> None:
        for start in range(0, len(chunks), _BATCH):
            numbered = enumerate(zip(chunks[start : start + _BATCH], vectors[start : start + _BATCH], strict=True))
            points = [
                models.PointStruct(id=start + n, vector=vector.tolist(), payload={"text": chunk.text, **chunk.metadata})
                for n, (chunk, vector) in numbered
            ]
            client.upsert("c", points)

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with closing(QdrantClient(path=folder)) as client:
            client.create_collection("c", models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE))
            _, stored = measure.timed(fill)
            index, indexed = measure.timed(lambda: BM25Okapi([tokenize(chunk.search_text) for chunk in chunks]))
            p50, p95 = measure.spread(lambda text: ask(text, None))
            filtered, _ = measure.spread(lambda text: ask(text, tenth))
        again, reopened = measure.timed(lambda: QdrantClient(path=folder))
        again.close()
    return {BUILD: stored + indexed, QUERY: p50, P95: p95, FILTERED: filtered, REOPEN: reopened}


def encode(size: str) -> Figures:
    """Encode with the bundled model, one text at a time."""
    embedder = BundledEmbedder()
    return measure.encoding(
        int(size), lambda texts: [embedder.embed_passages([text]) for text in texts], embedder.embed_query
    )


def _merged(pieces: Sequence[str], embedder: BundledEmbedder, most: int) -> list[str]:
    merged: list[str] = []
    buffer = ""
    for piece in pieces:
        fits = buffer and len(buffer) + len(piece) <= most
        if fits and float(_one(embedder, buffer) @ _one(embedder, piece)) >= _COSINE:
            buffer = f"{buffer}\n{piece}"
        else:
            merged += [buffer] if buffer else []
            buffer = piece
    return [*merged, buffer] if buffer else merged


def _one(embedder: BundledEmbedder, text: str) -> Vectors:
    vector: Vectors = np.asarray(embedder.embed_passages([text])[0])
    return vector


def _texts(documents: Path) -> Iterator[str]:
    files = sorted(path for path in documents.rglob("*") if path.is_file()) if documents.is_dir() else [documents]
    for file in files:
        if file.suffix.lower() == ".pdf":
            yield "\n".join(page.extract_text() for page in PdfReader(file).pages)
        else:
            yield file.read_text(encoding="utf-8")
