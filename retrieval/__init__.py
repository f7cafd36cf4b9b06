"""A question becomes ranked, filtered hits: `from retrieval import FolioRetriever, Hit, KnowledgeBase`."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrieval.hit import Hit
    from retrieval.knowledge_base import KnowledgeBase
    from retrieval.langchain_retriever import FolioRetriever

__all__ = ["FolioRetriever", "Hit", "KnowledgeBase"]

_HOMES = {"FolioRetriever": "langchain_retriever", "Hit": "hit", "KnowledgeBase": "knowledge_base"}
"""Imported when they are asked for: whoever imports one module of the search does not wait for the others."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return resolve_name(f"{__name__}.{_HOMES[name]}:{name}")
