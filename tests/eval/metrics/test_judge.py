import pytest

from eval.metrics.gold import ANSWER, holds_answer, judge_chunks, judge_passages, normalise
from eval.sets.files import Query
from tests.fakes import make_hit

QUERY = Query("q1", "多少？", answers=("１５%", "百分之十五"), must_contain=("A0427",), gold_files=("费用.md",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("ＡＢＣ　１２％", "abc12%"), (" a\n b\tc ", "abc"), ("ﬁn", "fin"), ("５００\u00a0元", "500元")],
)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "file", "expected"),
    [
        ("税率 1 5 ％（a0427）", "docs/费用.md", True),
        ("百分之\n十五，见Ａ０４２７", "费用.md", True),
        ("税率 15%", "费用.md", False),
        ("A0427", "费用.md", False),
        ("税率 15%，A0427", "别的费用.md", False),
    ],
)
def test_a_chunk_holds_an_answer_and_all_that_goes_with_it(text: str, file: str, expected: bool) -> None:
    assert holds_answer(text, file, QUERY) is expected


def test_chunks_count_once() -> None:
    hits = [
        make_hit("别的", "c0", source="费用.md"),
        make_hit("15% A0427", "c1", source="费用.md"),
        make_hit("15% A0427 again", "c2", source="费用.md"),
    ]
    assert judge_chunks(QUERY, hits) == (["c0", ANSWER, "c2"], {ANSWER: 1})


def test_passages_are_judged_by_id() -> None:
    query = Query("q1", "?", grades={"p2": 2, "p9": 1})
    assert judge_passages(query, [make_hit("x", "p1"), make_hit("y", "p2")]) == (["p1", "p2"], {"p2": 2, "p9": 1})
