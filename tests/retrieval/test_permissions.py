"""Nobody learns of a document that they may not see: not its text, its name, its number, nor that it is there."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.hit import as_json
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import MODES, Mode
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

GROUPS = ("hr", "it", "董事会")
AUDIENCES = [*chain.from_iterable(combinations(GROUPS, size) for size in range(4))]
"""Who may see a document; the first is everybody."""
SHARED = "年假的标准由公司统一规定，请假须提前申请。"


def secret(audience: Sequence[str]) -> str:
    """Return a word that stands in the name, the title and the text of the document for these groups alone."""
    return "暗号" + "".join("甲乙丙"[GROUPS.index(group)] for group in audience) + "完"


def sees(viewer: Sequence[str], audience: Sequence[str]) -> bool:
    return not audience or bool({name.casefold() for name in viewer} & set(audience))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    settings = RetrievalSettings(home=tmp_path_factory.mktemp("home"), candidates=5)
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        for audience in AUDIENCES:
            word = secret(audience)
            metadata: dict[str, str | tuple[str, ...]] = {"visible_to": audience} if audience else {}
            text = f"# {word}手册\n\n## 年假\n\n{SHARED}\n\n## {word}\n\n{word}的员工年假为 12 天。\n"
            base.ingest_data(text.encode(), f"{word}.md", metadata)
            # The same content under another name shares the chunks of the first.
            base.ingest_data(text.encode(), f"副本{word}.md", metadata)
        draft = f"---\nsupersedes: {secret(())}.md\nvisible_to: [hr]\n---\n# 草案{secret(['hr'])}\n\n年假改为 20 天。\n"
        base.ingest_data(draft.encode(), f"草案{secret(['hr'])}.md")
        yield base


VIEWERS = st.lists(st.sampled_from([*GROUPS, "HR", "public", "everyone", "group hr", ""]), max_size=3)
QUESTIONS = st.sampled_from(["年假", "请假须提前申请", "12 天", *map(secret, AUDIENCES[1:])])
FILTERS: st.SearchStrategy[dict[str, tuple[str, ...]]] = st.one_of(
    st.just({}),
    st.sampled_from(AUDIENCES[1:]).map(lambda audience: {"source": (f"{secret(audience)}.md",)}),
    st.sampled_from(AUDIENCES[1:]).map(lambda audience: {"section": (f"{secret(audience)[:3]}*",)}),
    st.sampled_from(GROUPS).map(lambda group: {"visible_to": (group,)}),
    st.just({"source": ("副本*",)}),
)


def told(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def assert_nothing_is_told(text: str, viewer: Sequence[str]) -> None:
    for audience in AUDIENCES:
        assert sees(viewer, audience) or secret(audience) not in text


@given(VIEWERS, QUESTIONS, st.sampled_from(MODES), FILTERS, st.integers(1, 40))
def test_a_search_tells_nothing(
    base: KnowledgeBase, viewer: list[str], question: str, mode: Mode, filters: dict[str, tuple[str, ...]], k: int
) -> None:
    hits = base.search(question, k, mode, filters, viewer)
    # The question itself is not part of what is told.
    assert_nothing_is_told(told([as_json(rank, hit) for rank, hit in enumerate(hits, start=1)]), viewer)


@given(VIEWERS, st.sampled_from(MODES))
def test_a_search_finds_all_that_may_be_seen(base: KnowledgeBase, viewer: list[str], mode: Mode) -> None:
    hits = base.search("年假 12 天", 99, mode, viewer=viewer)
    found = {source for hit in hits for source in (hit.chunk.source, *hit.also_in)}
    assert found == {record.source for record in base.documents(viewer)}


@given(VIEWERS)
def test_lists_and_counts_are_those_of_what_may_be_seen(base: KnowledgeBase, viewer: list[str]) -> None:
    records, health = base.documents(viewer), base.health(viewer)
    assert_nothing_is_told(told([asdict(record) for record in records]) + told(health), viewer)
    seen = [audience for audience in AUDIENCES if sees(viewer, audience)]
    drafts = "hr" in {name.casefold() for name in viewer}
    assert len(records) == health["documents"] == 2 * len(seen) + drafts
    assert health["chunks"] == health["keyword_chunks"] == 2 * len(seen) + drafts


@given(VIEWERS, QUESTIONS, st.sampled_from(AUDIENCES), st.booleans(), FILTERS)
def test_why_not_tells_of_a_document_without_the_right_what_it_tells_of_none(
    base: KnowledgeBase,
    viewer: list[str],
    question: str,
    audience: tuple[str, ...],
    by_id: bool,
    filters: dict[str, tuple[str, ...]],
) -> None:
    record = next(record for record in base.documents() if record.source == f"{secret(audience)}.md")
    name = record.doc_id if by_id else record.source
    verdict = base.why_not(question, name, filters=filters, viewer=viewer)
    if sees(viewer, audience):
        assert verdict.record == record
        placings = told([asdict(placing) for placing in verdict.placings.values()])
        assert_nothing_is_told(told(verdict.by) + placings, viewer)
    else:
        assert verdict == replace(base.why_not(question, "no such document", filters=filters, viewer=viewer), name=name)
        assert (verdict.stage, verdict.record, verdict.error) == ("not_ingested", None, None)


def test_the_owner_is_told_who_may_see_a_document(base: KnowledgeBase) -> None:
    verdict = base.why_not("年假", f"{secret(['hr', 'it'])}.md")
    assert (verdict.stage, verdict.values) == ("not_visible", ("hr", "it"))
    assert len(base.documents()) == base.health()["documents"] == 2 * len(AUDIENCES) + 1


def test_why_a_file_failed_is_told_to_the_owner_alone(base: KnowledgeBase) -> None:
    ((source, error),) = base.ingest_data(b"", "报告.md").failed
    assert (base.why_not("年假", source).stage, base.why_not("年假", source).error) == ("failed", error)
    verdict = base.why_not("年假", source, viewer=["hr"])
    assert (verdict.stage, verdict.error) == ("not_ingested", None)
