"""A LangChain vector store behind a knowledge base: its filters are ours, and so are its vectors."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from retrieval.filters import Filter
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from retrieval.store.langchain import LangChainStore
from tests.fakes import CHARACTERS, CharacterEmbedder, make_chunk
from tests.retrieval.shared_base import LEAVE, LEAVE_NEW, PAY, TRAVEL, found, write
from tests.retrieval.store.vector_stores import VECTOR_STORES

Make = Callable[[Embeddings], VectorStore]


@pytest.fixture(params=list(VECTOR_STORES))
def make(request: pytest.FixtureRequest) -> Make:
    return VECTOR_STORES[request.param]


@pytest.fixture
def closed_at_the_end() -> Iterator[Callable[[LangChainStore], LangChainStore]]:
    with ExitStack() as opened:
        yield lambda store: opened.enter_context(closing(store))


@pytest.fixture
def base(make: Make, tmp_path: Path) -> Iterator[KnowledgeBase]:
    store = LangChainStore(make, CHARACTERS)
    settings = RetrievalSettings(home=tmp_path / "home")
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder(), store=store) as base:
        base.ingest([write("docs/leave.md", LEAVE), write("docs/travel.md", TRAVEL), write("docs/pay.md", PAY)])
        yield base


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_a_knowledge_base_on_it(base: KnowledgeBase, mode: str) -> None:
    assert found(base, "探亲假", k=1, mode=mode) == ["探亲假 20 天。"]
    base.ingest([write("docs/leave.md", LEAVE_NEW)])
    assert found(base, "员工年假", k=1, mode=mode) == ["员工年假 12 天。"]
    assert "探亲假 20 天。" not in found(base, "探亲假", k=20, mode=mode)
    assert "工资每月十日发放。" not in found(base, "工资", k=20, mode=mode)
    assert found(base, "工资发放", k=1, mode=mode, viewer=["hr"]) == ["工资每月十日发放。"]
    base.delete("docs/travel.md")
    assert base.health()["chunks"] == base.health()["keyword_chunks"] == 2


def test_every_allowed_chunk_is_found_behind_any_number_of_others(
    make: Make, closed_at_the_end: Callable[[LangChainStore], LangChainStore]
) -> None:
    store = closed_at_the_end(LangChainStore(make, 2))
    near = [make_chunk("秘密", f"near{n}", metadata={"visible_to": ("board",)}) for n in range(150)]
    far = [make_chunk("公开", f"far{n}", revision="r2") for n in range(3)]
    store.upsert([*near, *far], np.array([[1, 0]] * 150 + [[0.1, n + 1] for n in range(3)], np.float32))
    question = np.array([1, 0], np.float32)
    assert [hit.chunk.chunk_id for hit in store.search(question, 3, Filter())] == ["far0", "far1", "far2"]
    # More than there are: all that is allowed, and the search comes to an end.
    assert len(store.search(question, 50, Filter())) == 3
    assert len(store.search(question, 500, Filter(viewer=frozenset({"board"})))) == 153


@given(
    groups=st.lists(st.sampled_from(["", "hr", "board", "it"]), min_size=1, max_size=40),
    viewer=st.frozensets(st.sampled_from(["hr", "board", "it"])),
    k=st.integers(1, 12),
)
def test_nobody_sees_what_is_not_for_them(groups: list[str], viewer: frozenset[str], k: int) -> None:
    chunks = [
        make_chunk(str(number), f"c{number}", metadata={"visible_to": (group,)} if group else {})
        for number, group in enumerate(groups)
    ]
    angles = np.linspace(0.1, 1.4, len(groups))
    where = Filter(viewer=viewer)
    with closing(LangChainStore(InMemoryVectorStore, 2)) as store:
        store.upsert(chunks, np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32))
        hits = store.search(np.array([1, 0], np.float32), k, where)
    # The angles grow, so the nearest allowed ones are the first.
    assert [hit.chunk for hit in hits] == [chunk for chunk in chunks if where.allows(chunk)][:k]


def test_the_vectors_are_the_given_ones() -> None:
    seen: list[list[float]] = []

    class Watching(InMemoryVectorStore):
        def add_documents(self, documents, ids=None, **arguments):  # type: ignore[no-untyped-def]
            seen.extend(self.embedding.embed_documents([document.page_content for document in documents]))
            return super().add_documents(documents, ids=ids, **arguments)

    with closing(LangChainStore(Watching, 2)) as store:
        # Of equal texts each has its own vector.
        store.upsert([make_chunk("同", "a"), make_chunk("异", "b")], np.array([[3, 4], [0, 2]], np.float32))
    assert seen == [pytest.approx([0.6, 0.8]), pytest.approx([0.0, 1.0])]


def test_what_a_crash_left_half_written_can_be_removed_and_written_again(make: Make, tmp_path: Path) -> None:
    store = LangChainStore(make, 2, tmp_path / "keywords")
    whole, added = store._vector_store, store._vector_store.add_documents

    def crash(documents, **arguments):  # type: ignore[no-untyped-def]
        added(documents[:1], ids=arguments["ids"][:1])
        raise KeyboardInterrupt

    whole.add_documents = crash  # type: ignore[method-assign]
    chunks, vectors = [make_chunk("一", "a"), make_chunk("二", "b")], np.eye(2, dtype=np.float32)
    with pytest.raises(KeyboardInterrupt):
        store.upsert(chunks, vectors)
    store.close()
    again = LangChainStore(lambda _embeddings: whole, 2, tmp_path / "keywords")
    again._handed = store._handed
    whole.add_documents = added  # type: ignore[method-assign]
    # Which chunks were begun is known, also of those that did not get in.
    assert {chunk.chunk_id for chunk in again.scan()} == {"a", "b"}
    assert [chunk_id for chunk_id, _ in again.search_keyword("一", 5, Filter())] == ["a"]
    again.delete_revision("r1")
    assert (again.count(), list(again.scan())) == (0, [])
    again.upsert(chunks, vectors)
    assert [hit.chunk.chunk_id for hit in again.search(vectors[1], 2, Filter())] == ["b", "a"]
    again.close()
