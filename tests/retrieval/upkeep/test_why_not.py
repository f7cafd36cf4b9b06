from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from retrieval.hit import Hit, LegScore
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import check
from retrieval.settings import RetrievalSettings
from retrieval.upkeep.why_not import Verdict, why_not
from tests.fakes import CharacterEmbedder

FILES = {
    "leave.md": "# 休假\n\n## 年假\n\n员工年假为 12 天。\n",
    "sick.md": "# 休假\n\n## 病假\n\n病假工资按八成计发。\n",
    "pay.md": "---\nvisible_to: [hr]\n---\n# 薪酬\n\n总监年薪为 80 万元。\n",
    "travel_v1.md": "---\neffective_to: 2022-12-31\n---\n# 差旅\n\n住宿费每晚 300 元。\n",
    "travel_v2.md": "---\nsupersedes: travel_v1.md\neffective_from: 2023-01-01\n---\n# 差旅\n\n住宿费每晚 400 元。\n",
    "vpn.md": "---\nowner: it\nfloor: 3\n---\n# Remote access\n\nVPN sessions close after 45 minutes.\n",
    "vpn_again.md": "# 附录\n\n## Remote access\n\nVPN  sessions close after 45 minutes\n",
    "copy.md": "# 休假\n\n## 病假\n\n病假工资按八成计发。\n",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Return a base of which a search keeps two candidates; no test changes it."""
    settings = RetrievalSettings(home=tmp_path_factory.mktemp("home"), candidates=2)
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        for name, text in FILES.items():
            base.ingest_data(text.encode(), name)
        base.ingest_data(b"", "empty.md")
        base.ingest_data(b"  \n", "leave.md")
        yield base


def ask(base: KnowledgeBase, question: str, name: str, k: int = 2, **arguments: Any) -> Verdict:
    return base.why_not(question, name, k, **arguments)


def test_what_is_found_is_said_with_its_rank(base: KnowledgeBase) -> None:
    verdict = ask(base, "年假", "leave.md")
    # A failed update is told beside the state that is in.
    assert (verdict.stage, verdict.rank, verdict.error) == ("found", 1, "file is empty")
    assert {leg: placing.rank for leg, placing in verdict.placings.items()} == {"vector": 1, "keyword": 1}
    by_id = ask(base, "年假", base.documents()[2].doc_id)
    assert by_id.record == base.documents()[2]


def test_a_file_that_was_never_there_or_failed(base: KnowledgeBase) -> None:
    assert ask(base, "年假", "nothing.md") == Verdict("not_ingested", "nothing.md")
    assert ask(base, "年假", "empty.md") == Verdict("failed", "empty.md", error="file is empty")


def test_a_document_for_others(base: KnowledgeBase) -> None:
    verdict = ask(base, "总监年薪", "pay.md")
    assert (verdict.stage, verdict.values) == ("not_visible", ("hr",))
    assert ask(base, "总监年薪", "pay.md", viewer=[]) == Verdict("not_ingested", "pay.md")
    assert ask(base, "总监年薪", "pay.md", viewer=["hr"]).stage == "found"


@pytest.mark.parametrize(
    ("name", "arguments", "stage", "by"),
    [
        ("travel_v1.md", {}, "version", "travel_v2.md"),
        ("travel_v1.md", {"as_of": date(2022, 12, 31)}, "found", None),
        ("travel_v1.md", {"filters": {"source": ("travel_v1.md",)}}, "found", None),
        ("travel_v1.md", {"as_of": date(2024, 1, 1)}, "version", "travel_v2.md"),
        ("travel_v2.md", {"as_of": date(2022, 12, 31)}, "version", None),
        ("travel_v2.md", {}, "found", None),
    ],
)
def test_another_version(base: KnowledgeBase, name: str, arguments: dict[str, Any], stage: str, by: str | None) -> None:
    verdict = ask(base, "住宿费", name, **arguments)
    assert (verdict.stage, verdict.by) == (stage, by)


@pytest.mark.parametrize(
    ("filters", "condition", "values"),
    [
        ({"owner": ("hr", "board")}, "owner=hr | board", ("it",)),
        ({"doc_type": ("md",), "floor>": ("3",)}, "floor>3", ("3",)),
        ({"department": ("hr",)}, "department=hr", ()),
        ({"source": ("hr/*",)}, "source=hr/*", ("vpn.md",)),
        ({"source": ("leave.md",)}, "source=leave.md", ("vpn.md",)),
    ],
)
def test_a_filter_is_named_with_what_the_document_has(
    base: KnowledgeBase, filters: dict[str, tuple[str, ...]], condition: str, values: tuple[str, ...]
) -> None:
    verdict = ask(base, "VPN", "vpn.md", filters=filters)
    assert (verdict.stage, verdict.condition, verdict.values) == ("filter", condition, values)


def test_below_the_cut_of_both_legs(base: KnowledgeBase) -> None:
    verdict = ask(base, "VPN sessions 45 minutes", "sick.md", 1)
    assert verdict.stage == "recall"
    vector, keyword = verdict.placings["vector"], verdict.placings["keyword"]
    assert (keyword.rank, keyword.score, keyword.last_rank) == (None, None, 2)
    assert vector.rank is not None
    assert vector.rank > vector.last_rank == 2
    hits = base.search("VPN sessions 45 minutes", 99, "vector")
    (own,) = [hit.legs["vector"] for hit in hits if hit.chunk.source == "sick.md"]
    assert (vector.rank, vector.score) == (own.rank, own.score)
    assert vector.last_score is not None
    assert own.score < vector.last_score


class ShortestFirst:
    model_id = "shortest first"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        ranked = sorted(hits, key=lambda hit: len(hit.chunk.text))
        return [
            replace(hit, score=-len(hit.chunk.text), legs={**hit.legs, "rerank": LegScore(rank, -len(hit.chunk.text))})
            for rank, hit in enumerate(ranked, start=1)
        ]


@pytest.mark.parametrize(("reranked", "stage", "leg"), [(True, "rerank", "rerank"), (False, "fusion", "fused")])
def test_lost_after_the_legs(base: KnowledgeBase, reranked: bool, stage: str, leg: str) -> None:
    engine = replace(base.engine, candidates=20, reranker=ShortestFirst() if reranked else None)
    question = "员工年假为 12 天，病假工资按八成计发"
    shown = base.search(question, 20)
    last = min(shown, key=lambda hit: -len(hit.chunk.text)) if reranked else shown[-1]
    verdict = why_not(question, last.chunk.source, base._catalogue, engine, k=1, filters={}, viewer=None, as_of=None)
    assert verdict.stage == stage
    placing = verdict.placings[leg]  # type: ignore[index]
    assert placing.rank is not None
    assert placing.rank > placing.last_rank == 1
    assert placing.score is not None
    assert placing.last_score is not None
    assert placing.score < placing.last_score


@hypothesis_settings(max_examples=12)
@given(
    st.lists(
        st.sampled_from(["年假", "病假", "工资", "住宿费", "VPN", "minutes", "12", "总监", "按"]),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 6),
    st.sampled_from([None, date(2021, 1, 1), date(2024, 1, 1)]),
    st.sampled_from([[], ["hr"]]),
)
def test_it_says_what_a_search_does(
    base: KnowledgeBase, words: list[str], k: int, as_of: date | None, viewer: list[str]
) -> None:
    question = " ".join(words)
    check(question, k, "hybrid")
    hits = base.search(question, k, viewer=viewer, as_of=as_of)
    for record in base.documents(viewer):
        verdict = base.why_not(question, record.doc_id, k, viewer=viewer, as_of=as_of)
        places = [rank for rank, hit in enumerate(hits, 1) if record.source in (hit.chunk.source, *hit.also_in)]
        if verdict.stage in ("found", "duplicate"):
            assert verdict.rank == places[0]
        else:
            assert (verdict.rank, places) == (None, [])
