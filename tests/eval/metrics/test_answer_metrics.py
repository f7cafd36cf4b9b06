import pytest

from eval.metrics import answers as metrics
from eval.metrics.answers import Cited, RefusalScores
from eval.sets.files import Query

QUERY = Query("q", "?", answers=("500 元", "五百元"), gold_files=("travel.md",), gold_rewrite="V2 住宿标准")


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [
        ("每晚500元", "500元", 2 * 2 / (4 + 2)),
        ("a a b", "a b b", 2 * 2 / 6),
        ("", "a", 0.0),
        ("。", "！", 1.0),
    ],
)
def test_token_f1(text: str, gold: str, expected: float) -> None:
    assert metrics.token_f1(text, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "containment", "f1"),
    [("标准是 ５００元。", 1.0, 2 * 2 / (5 + 2)), ("五百元", 1.0, 1.0), ("300 元", 0.0, 2 / 4)],
)
def test_answers(answer: str, containment: float, f1: float) -> None:
    assert metrics.answer_containment(answer, QUERY) == containment
    assert metrics.answer_f1(answer, QUERY) == pytest.approx(f1)


def test_citations() -> None:
    right, wrong, elsewhere = Cited("docs/travel.md", "每晚 500 元"), Cited("travel.md", "x"), Cited("a.md", "500元")
    assert metrics.citation_precision([right, wrong, elsewhere, right], QUERY) == 0.5
    assert metrics.citation_recall([wrong, right], QUERY) == 1.0
    assert metrics.citation_recall([wrong, elsewhere], QUERY) == 0.0
    assert metrics.citation_recall([], QUERY) == 0.0


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ([(True, True), (True, False), (False, True), (False, True), (False, False)], (1 / 3, 1 / 2, 2 / 5)),
        ([(False, False)], (None, None, None)),
        ([(True, False)], (None, 0.0, 0.0)),
        ([(False, True)], (0.0, None, 0.0)),
    ],
)
def test_refusal(decisions: list[tuple[bool, bool]], expected: tuple[float | None, ...]) -> None:
    assert metrics.refusal_scores(decisions) == RefusalScores(*expected)
