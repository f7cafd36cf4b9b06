"""The keyword leg: BM25 from an inverted index that is kept in step with the store."""

import logging
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from preprocessing.document import Chunk
from retrieval.filters import Filter
from retrieval.inverted_index.index_folder import IndexFolder, StaleIndexError
from retrieval.inverted_index.ranking import best
from retrieval.inverted_index.segment import Segment
from retrieval.inverted_index.snapshot import Snapshot
from retrieval.tokens import TOKENIZER_ID, keywords, tokenize

__all__ = ["BM25", "StaleIndexError"]

logger = logging.getLogger(__name__)

MIN_IDF = 1e-6
"""Okapi's IDF is zero or less for a word in half of the texts or more; a match must still count for something."""


class BM25:
    """Okapi BM25 with the scores of `rank_bm25.BM25Okapi` on the same tokens.

    Adding and removing cost in proportion to what is added or removed. Safe to call from several threads: searches
    wait for nothing, changes take turns.
    """

    def __init__(self) -> None:
        self._snapshot = Snapshot()
        self._folder: IndexFolder | None = None
        self._changing = threading.Lock()
        self.rebuilt_because: str | None = None
        """Why the saved index could not be used, when it was built anew at the start."""

    def __len__(self) -> int:
        return self._snapshot.chunks

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Index the search text of the chunks."""
        segment = Segment.of(chunks, tokenize)
        with self._changing:
            self._snapshot = self._snapshot.added(segment)

    def remove_revision(self, revision: str) -> None:
        """Forget every chunk of one document state."""
        with self._changing:
            self._snapshot = self._snapshot.without_revision(revision)

    def search(self, question: str, k: int, where: Filter) -> list[tuple[str, float]]:
        """Return (chunk id, score) of the k best allowed chunks that share a token with the question.

        Stop words do not count.
        """
        snapshot = self._snapshot
        # With the floor, a chunk scores above zero exactly when it shares a token.
        return best(snapshot, snapshot.scores(keywords(question), MIN_IDF), k, where)

    def scores(self, tokens: Sequence[str]) -> dict[str, float]:
        """Return the Okapi score of every chunk for the tokens, by chunk id."""
        snapshot = self._snapshot
        scores = snapshot.scores(tokens)
        return {chunk_id: float(scores[row]) for row, chunk_id in snapshot.chunk_ids()}

    def save(self, path: Path, generation: int) -> None:
        """Write what changed to the folder, with the generation of the store that the index belongs to.

        A folder that cannot be written to is a warning: the index is a cache, and a start without it builds it anew.
        """
        with self._changing:
            if self._folder is None or self._folder.path != path:
                self._folder = IndexFolder(path)
            try:
                self._folder.save(self._snapshot, generation, TOKENIZER_ID)
            except OSError as error:
                logger.warning("the keyword index cannot be kept in %s, each start builds it: %s", path, error.strerror)

    @classmethod
    def load(cls, path: Path, generation: int) -> "BM25":
        """Open the index of that generation: it is a cache and never trusted against the store.

        Raises StaleIndexError when it is missing, damaged, or belongs to another state of the store.
        """
        index = cls()
        index._folder = IndexFolder(path)
        index._snapshot = index._folder.load(generation, TOKENIZER_ID)
        return index

    @classmethod
    def build(cls, chunks: Iterable[Chunk]) -> "BM25":
        """Index all chunks anew."""
        index = cls()
        index.add(chunks)
        return index
