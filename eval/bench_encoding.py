"""Encoding and merging: Folio's way, and the usual way with the same model."""

import numpy as np

from eval.bench_inputs import BUILD, ENCODED, Figures, make_chunks, timed
from preprocessing.merge import joined_text, merge
from preprocessing.split import Piece
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder, Vectors


def encode_folio(size: int) -> Figures:
    """Encode passages in one call."""
    texts, embedder = _passages(size), _embedder()
    _, seconds = timed(lambda: embedder.embed_passages(texts))
    return {BUILD: seconds}


def encode_one_by_one(size: int) -> Figures:
    """Encode the same passages with the same model, one call each."""
    texts, embedder = _passages(size), _embedder()
    _, seconds = timed(lambda: [embedder.embed_passages([text]) for text in texts])
    return {BUILD: seconds}


def merge_folio(size: int) -> Figures:
    """Encode each piece once and merge by the vectors."""
    pieces, embedder = _pieces(size), _embedder()

    def run() -> int:
        vectors = embedder.embed_passages([piece.text for piece in pieces])
        return len(merge(pieces, vectors, unrelated=0.76, threshold=0.3, max_chars=1200, max_pieces=3))

    _, seconds = timed(run)
    return {BUILD: seconds, ENCODED: 1.0}


def merge_naive(size: int) -> Figures:
    """Merge by comparing each piece with its growing buffer, which is encoded anew every time."""
    pieces, embedder = _pieces(size), _embedder()
    encoded = 0

    def encode(text: str) -> Vectors:
        nonlocal encoded
        encoded += len(text)
        return np.asarray(embedder.embed_passages([text])[0])

    def run() -> None:
        buffer = [pieces[0]]
        for piece in pieces[1:]:
            text = joined_text(buffer)
            scaled = (float(encode(text) @ encode(piece.text)) - 0.76) / 0.24
            fits = len(buffer) < 3 and len(text) + len(piece.text) <= 1200
            buffer = [*buffer, piece] if fits and scaled >= 0.3 else [piece]

    _, seconds = timed(run)
    return {BUILD: seconds, ENCODED: encoded / sum(len(piece.text) for piece in pieces)}


def _passages(size: int) -> list[str]:
    return [chunk.text for chunk in make_chunks(size)]


def _pieces(size: int) -> list[Piece]:
    return [Piece(text, None, (), "paragraph") for text in _passages(size)]


def _embedder() -> Embedder:
    embedder = open_embedder("bundled")
    embedder.embed_query("load the model")
    return embedder
