"""A process that ingests a folder slowly enough to be killed on the way; the arguments are its home and the folder."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.embed.embedder import Vectors
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder


class SlowEmbedder(CharacterEmbedder):
    """Takes a while, as models do."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        time.sleep(0.01 * len(texts))
        return super().embed_passages(texts)


def warm_up() -> None:
    """Import all that an ingest needs, so that it is the ingest itself that is killed."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "a.md").write_text("# A\n\nb\n", encoding="utf-8")
        with KnowledgeBase.open(RetrievalSettings(home=Path(folder) / "home"), embedder=CharacterEmbedder()) as base:
            base.ingest([Path(folder)])


if __name__ == "__main__":
    home, docs = map(Path, sys.argv[1:])
    warm_up()
    with KnowledgeBase.open(RetrievalSettings(home=home), embedder=SlowEmbedder()) as base:
        sys.stdout.write("open\n")
        sys.stdout.flush()
        base.ingest([docs])
        sys.stdout.write("done\n")
