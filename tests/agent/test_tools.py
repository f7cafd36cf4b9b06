import pytest

from agent.evidence import EvidenceLedger
from agent.tools import knowledge_search, query_rewrite
from retrieval.hit import Hit
from retrieval.search import SearchError
from tests.fakes import make_hit


def hits_for(query: str) -> list[Hit]:
    return [make_hit(f"{query} {number}", f"{query}-{number}") for number in range(5)]


def test_one_query_shows_its_hits() -> None:
    ledger = EvidenceLedger()
    shown = knowledge_search(hits_for, ledger, top_k=5, max_searches=3).run("年假")
    assert [line for line in shown.splitlines() if line.startswith("|")] == [f"| 年假 {number}" for number in range(5)]


def test_several_queries_share_the_places() -> None:
    ledger = EvidenceLedger()
    knowledge_search(hits_for, ledger, top_k=5, max_searches=3).run("甲\n乙")
    assert [one.hit.chunk.text for one in ledger.all()] == ["甲 0", "甲 1", "甲 2", "甲 3", "乙 0", "乙 1", "乙 2"]


@pytest.mark.parametrize("tool_input", ["", "  \n "])
def test_an_empty_query_is_explained(tool_input: str) -> None:
    ledger = EvidenceLedger()
    assert "The query is empty." in knowledge_search(hits_for, ledger, top_k=5, max_searches=3).run(tool_input)
    assert ledger.searches == []


def test_a_search_that_finds_nothing_new_says_so() -> None:
    ledger = EvidenceLedger()
    tool = knowledge_search(lambda _: hits_for("年假"), ledger, top_k=5, max_searches=3)
    tool.run("年假")
    assert tool.run("假期") == (
        "Already shown above: S1, S2, S3, S4, S5.\n\n"
        "Nothing new was found. Answer from what is there, or say NOT_FOUND."
    )


def test_repeats_and_searches_over_the_cap_are_counted() -> None:
    ledger = EvidenceLedger()
    tool = knowledge_search(hits_for, ledger, top_k=1, max_searches=2)
    tool.run("甲")
    assert tool.run("甲！") == "Already searched (甲！: S1). Answer from these passages, or search in other words."
    tool.run("乙")
    assert tool.run("丙").startswith("No more searches: 2 were made.")
    assert (ledger.repeats, len(ledger.searches)) == (2, 2)


def test_a_search_that_fails_is_an_observation() -> None:
    def fail(_: str) -> list[Hit]:
        raise SearchError("the store is away")

    shown = knowledge_search(fail, EvidenceLedger(), top_k=5, max_searches=3).run("年假")
    assert shown.startswith("The search failed (the store is away).")


def test_a_defect_keeps_its_stack_trace() -> None:
    def fail(_: str) -> list[Hit]:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        knowledge_search(fail, EvidenceLedger(), top_k=5, max_searches=3).run("年假")


def test_query_rewrite_numbers_its_queries() -> None:
    assert query_rewrite(lambda question: [question, "乙"]).run(" 甲 ") == "1. 甲\n2. 乙"
