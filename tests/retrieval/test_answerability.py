"""What speaks for a hit is counted by hand, and becomes one number."""

import math

import pytest

from retrieval import answerability
from retrieval.answerability import probability, signals_of, with_answerability
from retrieval.hit import Hit, LegScore
from tests.fakes import make_chunk


def hit(text: str, score: float, **ranks: int) -> Hit:
    return Hit(make_chunk(text, text), score, {leg: LegScore(rank, 1.0) for leg, rank in ranks.items()})  # type: ignore[misc]


def test_signals_by_hand() -> None:
    hits = [
        hit("annual leave is ten days", 0.9, vector=1, keyword=1),
        hit("leave of absence", 0.5, vector=2),
        hit("canteen", 0.1, keyword=2),
    ]
    found = signals_of("annual leave days", hits)
    assert found[0] == pytest.approx((0.9, 0.6, 1.0, 2.0))
    assert found[1] == pytest.approx((0.5, 0.0, 1 / 3, 0.0))
    assert found[2] == pytest.approx((0.1, -0.6, 0.0, 0.0))


def test_only_five_rivals_count_and_a_lone_hit_has_none() -> None:
    hits = [hit(f"text {number}", 0.5) for number in range(6)] + [hit("last", -9.0)]
    assert signals_of("x", hits)[0][1] == pytest.approx(0.0)
    assert signals_of("x", hits[:1])[0][1] == 0.0


def test_a_question_of_stop_words_alone_covers_nothing() -> None:
    assert signals_of("的了吗？", [hit("的了吗", 0.5)])[0][2] == 0.0


def test_the_signals_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answerability, "_WEIGHTS", (2.0, 1.0, 0.0, 0.5))
    monkeypatch.setattr(answerability, "_BIAS", -1.0)
    assert probability((0.5, 0.25, 1.0, 1.0)) == pytest.approx(1 / (1 + math.exp(-0.75)))


def test_more_of_each_signal_makes_an_answer_likelier() -> None:
    nothing = probability((0.4, 0.0, 0.2, 0.0))
    for more in [(0.7, 0.0, 0.2, 0.0), (0.4, 0.2, 0.2, 0.0), (0.4, 0.0, 0.9, 0.0), (0.4, 0.0, 0.2, 2.0)]:
        assert probability(more) > nothing


def test_each_hit_gets_its_own() -> None:
    good, bad = with_answerability("年假有几天？", [hit("年假有十天。", 0.8, vector=1, keyword=1), hit("食堂", 0.2)])
    assert good.answerability is not None
    assert bad.answerability is not None
    assert 0 < bad.answerability < good.answerability < 1
