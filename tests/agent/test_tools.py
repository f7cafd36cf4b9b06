import pytest

from agent.evidence import EvidenceLedger
from agent.tools import knowledge_search, query_rewrite
from retrieval.hit import Hit
from retrieval.remote.address import EndpointBusy
from retrieval.search import SearchError
from tests.fakes import make_hit


def hits_for(query: str) -> list[Hit]:
    return [make_hit(f"{query} {number}", f"{query}-{number}") for number in range(5)]


def test_several_queries_share_the_places_and_count_once() -> None:
    ledger = EvidenceLedger()
    tool = knowledge_search(hits_for, ledger, top_k=5, max_searches=1)
    shown = tool.run("甲\n乙")
    expected = ["甲 0", "甲 1", "甲 2", "甲 3", "乙 0", "乙 1", "乙 2"]
    assert [one.hit.chunk.text for one in ledger.all()] == expected
    assert [line for line in shown.splitlines() if line.startswith("|")] == [f"| {text}" for text in expected]
    assert tool.run("丙").startswith("No more searches: 1 were made.")


def test_a_search_that_finds_nothing_new_says_so() -> None:
    ledger = EvidenceLedger()
    tool = knowledge_search(lambda _: hits_for("年假"), ledger, top_k=5, max_searches=3)
    tool.run("年假")
    assert tool.run("假期") == (
        "Already shown above: S1–S5.\n\n"
        "Nothing new was found. Try to answer from these passages; if something is missing, try other words for it, "
        "or say NOT_FOUND."
    )


def test_repeats_and_searches_over_the_cap_are_counted() -> None:
    ledger = EvidenceLedger()
    tool = knowledge_search(hits_for, ledger, top_k=1, max_searches=2)
    tool.run("甲")
    assert tool.run("甲！").startswith("Already seen (甲！: S1). Try ")
    tool.run("乙")
    assert tool.run("丙").startswith("No more searches: 2 were made.")
    assert (ledger.repeats, ledger.rounds, len(ledger.searches)) == (2, 2, 2)


@pytest.mark.parametrize("again", ["年假几天", "年假 有多少天？", "几天年假", "请问年假多少天"])
def test_the_same_search_in_other_words_of_asking_is_not_run(again: str) -> None:
    ledger, asked = EvidenceLedger(), []

    def search(query: str) -> list[Hit]:
        asked.append(query)
        return hits_for(query)

    tool = knowledge_search(search, ledger, top_k=3, max_searches=3)
    tool.run("年假有几天？")
    assert tool.run(again).startswith(f"Already seen ({again}: S1–S3). Try ")
    assert asked == ["年假有几天？"]


@pytest.mark.parametrize(
    "error", [SearchError("away"), TimeoutError("slow"), ConnectionError("gone"), EndpointBusy("the model is busy")]
)
def test_what_passes_is_an_observation(error: Exception) -> None:
    def fail(_: str) -> list[Hit]:
        raise error

    ledger = EvidenceLedger()
    tool = knowledge_search(fail, ledger, top_k=5, max_searches=3)
    assert tool.run("年假").startswith(f"The search failed ({error})")
    assert ledger.rounds == 0


def test_nothing_is_rewritten_twice_nor_what_was_rewritten() -> None:
    asked: list[str] = []

    def rewrite(question: str) -> list[str]:
        asked.append(question)
        return ["甲合同的期限是多久？", "乙合同的期限是多久？"]

    ledger = EvidenceLedger()
    tool = query_rewrite(rewrite, ledger)
    first = tool.run("甲、乙合同的期限？")
    for again in ("甲、乙合同的期限？", " 甲 乙合同的期限", "乙合同的期限是多久", "甲合同的期限是多久？"):
        assert tool.run(again) == f"Already rewritten. Search for it with knowledge_search:\n{first}"
    assert ledger.repeats == 4
    assert tool.run("丙合同呢？") == first
    # Twice is enough.
    assert tool.run("丁合同呢？").startswith("Already rewritten.")
    assert asked == ["甲、乙合同的期限？", "丙合同呢？"]


@pytest.mark.parametrize(
    ("written", "rewritten"),
    [
        ("那省会城市呢？", "年假能结转吗？"),
        ("Can annual leave be carried over?", "年假能结转吗？"),
        ("年假结转", "年假结转"),
        ("病假呢", "病假呢"),
    ],
)
def test_what_has_nothing_to_do_with_the_question_is_not_rewritten(written: str, rewritten: str) -> None:
    tool = query_rewrite(lambda question: [f"[{question}]"], EvidenceLedger(), asked="年假能结转吗？\n病假几天？")
    assert f"[{rewritten}]" in tool.run(written)


def test_a_query_that_needs_the_conversation_is_searched_as_it_stands_alone() -> None:
    ledger = EvidenceLedger()
    alone = {"那北京呢？": "北京住宿标准"}
    tool = knowledge_search(hits_for, ledger, top_k=1, max_searches=3, alone=lambda query: alone.get(query, query))
    assert "北京住宿标准 0" in tool.run("那北京呢？\n上海住宿标准")
    assert [search.query for search in ledger.searches] == ["北京住宿标准", "上海住宿标准"]
    assert "Already seen" in tool.run("北京住宿标准")
