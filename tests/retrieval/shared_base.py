"""Knowledge bases that share a server."""

from pathlib import Path

from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

LEAVE = "# 休假制度\n\n## 年假\n\n员工年假 5 天。\n\n## 探亲假\n\n探亲假 20 天。\n"
LEAVE_NEW = "# 休假制度\n\n## 年假\n\n员工年假 12 天。\n"
TRAVEL = "# Travel\n\nHotels up to 500 yuan a night, form PPR-9087.\n"
PAY = "---\nvisible_to: [hr]\n---\n# 工资\n\n工资每月十日发放。\n"


def write(name: str, text: str) -> Path:
    """Write a document into the working folder."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def opened(settings: RetrievalSettings) -> KnowledgeBase:
    """Open it with predictable vectors."""
    return KnowledgeBase.open(settings, embedder=CharacterEmbedder())


def found(base: KnowledgeBase, query: str, **arguments: object) -> list[str]:
    """Return the texts of the hits."""
    return [hit.chunk.text for hit in base.search(query, **arguments)]  # type: ignore[arg-type]
