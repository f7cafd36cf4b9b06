from dataclasses import replace
from math import exp

import pytest

from agent.quoting.candidate import Candidate, Passage
from agent.quoting.confidence import confidence
from agent.quoting.units import Unit

PASSAGE = Passage("S1", "休假", "年假 12 天。病假工资照发。")


def candidate(text: str, similarity: float, *, matched: float | None = None, typed: bool | None = None) -> Candidate:
    return Candidate(PASSAGE, 0, Unit(text), similarity=similarity, matched=matched, typed=typed)


def logistic(value: float) -> float:
    return 1 / (1 + exp(-value))


def test_it_follows_from_the_best_unit() -> None:
    ranked = [candidate("年假由经理批准。", 0.3, matched=0.5), candidate("年假须申请。", 0.4, matched=0.6)]
    assert confidence("年假怎么申请？", [], ranked) == pytest.approx(logistic(4.16 * 0.4 + 6.91 * 0.6 - 0.5 - 5.47))


def test_without_matched_tokens_similarity_decides_alone() -> None:
    assert confidence("年假怎么申请？", [], [candidate("年假须申请。", 0.4)]) == pytest.approx(
        logistic(6.65 * 0.4 - 0.5 - 1.33)
    )


def test_who_asks_how_many_is_not_answered_without_a_figure() -> None:
    without, with_figure = candidate("年假由经理批准。", 0.9, typed=False), candidate("年假 12 天。", 0.2, typed=True)
    assert confidence("年假几天？", [], [without, with_figure]) == confidence("年假几天？", [], [with_figure])
    assert confidence("年假几天？", [], [without]) == 0
    # When something happens may be said by a condition.
    assert confidence("年假什么时候过期？", [], [without]) > 0.9


def test_across_languages_tokens_count_more_and_similarity_less() -> None:
    across = candidate("年假须申请。", -0.2, matched=0.45)
    assert confidence("How do I apply?", [], [across]) == pytest.approx(logistic(1.49 * -0.2 + 12.65 * 0.45 - 5.49))
    assert confidence("怎么申请？", [], [candidate("Apply in time.", 0.1)]) == pytest.approx(logistic(6.65 * 0.1 + 1.0))


def test_only_units_in_the_language_of_the_best_count() -> None:
    best, other = candidate("Apply in time.", 0.3, matched=0.4), candidate("年假须申请。", 0.1, matched=0.7)
    assert confidence("How do I apply?", [], [best, other]) == confidence("How do I apply?", [], [best])


def test_a_code_is_meant_to_the_letter() -> None:
    held = replace(candidate("ERR_4032 余额不足。", 0.1), codes=1.0)
    assert confidence("What is ERR_4032?", ["ERR_4032 余额不足。"], [held]) == pytest.approx(
        logistic(6.65 * 0.1 + 1.5 + 1.0)
    )


def test_a_name_that_no_passage_has_makes_it_less_sure() -> None:
    known, unknown = "Can I work from Spain?", "Can I work from Portugal?"
    ranked = [candidate("Working abroad needs a visa, as in Spain.", 0.4)]
    assert confidence(known, [ranked[0].unit.text], ranked) == pytest.approx(logistic(6.65 * 0.4 - 1.33))
    assert confidence(unknown, [ranked[0].unit.text], ranked) == pytest.approx(logistic(6.65 * 0.4 - 1.33 - 1.5))


def test_a_missing_term_and_no_unit_are_certain() -> None:
    sure = replace(candidate("ERR_4032 余额不足。", 1.0), matched=1.0)
    assert confidence("ERR_4033 是什么？", ["ERR_4032 余额不足。"], [sure]) == 0
    assert confidence("年假怎么申请？", [], []) == 0
