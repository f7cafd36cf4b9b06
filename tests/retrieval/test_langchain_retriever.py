from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableLambda

from retrieval.knowledge_base import KnowledgeBase
from retrieval.langchain_retriever import FolioRetriever
from retrieval.settings import RetrievalSettings
from tests.retrieval.shared_base import LEAVE, PAY, TRAVEL, opened, write


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with opened(RetrievalSettings(home=tmp_path / "home")) as base:
        base.ingest([write("docs/leave.md", LEAVE), write("docs/travel.md", TRAVEL), write("docs/pay.md", PAY)])
        yield base


def test_it_gives_what_the_search_gives(base: KnowledgeBase) -> None:
    documents = FolioRetriever(knowledge_base=base, k=2).invoke("探亲假几天")
    hits = base.search("探亲假几天", 2)
    assert [(one.id, one.page_content) for one in documents] == [(hit.chunk.chunk_id, hit.chunk.text) for hit in hits]
    assert documents[0].metadata == {
        "chunk_id": hits[0].chunk.chunk_id,
        "doc_id": hits[0].chunk.doc_id,
        "source": "docs/leave.md",
        "title": "休假制度",
        "section": "探亲假",
        "page": None,
        "version": None,
        "updated_at": hits[0].chunk.updated_at,
        "score": hits[0].score,
        "legs": {leg: {"rank": place.rank, "score": place.score} for leg, place in hits[0].legs.items()},
    }


@pytest.mark.parametrize(("viewer", "sees"), [((), False), (("it",), False), (("hr", "it"), True)])
def test_it_sees_what_its_viewer_sees(base: KnowledgeBase, viewer: tuple[str, ...], sees: bool) -> None:
    documents = FolioRetriever(knowledge_base=base, viewer=viewer, k=20).invoke("工资发放")
    assert ("docs/pay.md" in [document.metadata["source"] for document in documents]) is sees


def test_it_is_a_part_of_a_chain(base: KnowledgeBase) -> None:
    chain = FolioRetriever(knowledge_base=base, k=1) | RunnableLambda(lambda documents: documents[0].page_content)
    assert chain.batch(["探亲假", "hotels"]) == ["探亲假 20 天。", "Hotels up to 500 yuan a night, form PPR-9087."]
