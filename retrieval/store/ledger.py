"""Which chunks a foreign store holds: their ids by document state, kept in a small SQLite file."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path


class Ledger:
    """Ids by state; the caller sees to it that one thread at a time uses it."""

    def __init__(self, path: Path | None) -> None:
        """Open the file, making it when it is not there; None keeps the ledger in memory."""
        self._database = sqlite3.connect(path or ":memory:", check_same_thread=False)
        self._database.execute("CREATE TABLE IF NOT EXISTS chunks (id TEXT PRIMARY KEY, revision TEXT NOT NULL)")
        self._database.execute("CREATE INDEX IF NOT EXISTS by_revision ON chunks (revision)")

    def add(self, ids: Sequence[str], revisions: Sequence[str]) -> None:
        """Note the ids with the state of each; durable when it returns."""
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO chunks VALUES (?, ?)", zip(ids, revisions, strict=True))

    def remove(self, revision: str) -> None:
        """Forget the ids of a state."""
        with self._database:
            self._database.execute("DELETE FROM chunks WHERE revision = ?", (revision,))

    def ids(self, revision: str | None = None) -> list[str]:
        """Return the ids of a state, or all."""
        return [row[0] for row in self._select("id", revision)]

    def count(self, revision: str | None = None) -> int:
        """Return the number of ids of a state, or of all."""
        return int(next(self._select("count(*)", revision))[0])

    def close(self) -> None:
        """Close the file; calling it twice is harmless."""
        self._database.close()

    def _select(self, what: str, revision: str | None) -> Iterator[tuple[str]]:
        query = f"SELECT {what} FROM chunks"
        if revision is None:
            return self._database.execute(query)
        return self._database.execute(f"{query} WHERE revision = ?", (revision,))
