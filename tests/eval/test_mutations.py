"""The mutation set is made as it says, and the checks are counted as they judge."""

import random
from pathlib import Path

import pytest

from eval.correct_answers import CorrectAnswer, correct_answers, gold_sentence
from eval.index import passage_chunk
from eval.judge import normalise
from eval.mutate import other_value, units, values
from eval.mutations import LABEL, NAME, RESTATED, SWAPPED, UNCHANGED, cases
from eval.negate import negations
from eval.query import Passage, Query
from eval.restate import restate
from eval.reword import chinese_numeral, reword
from eval.run_mutations import mistakes, mutations_table, run_mutations, verdict
from eval.sets import load_set
from retrieval.numerals import to_int

GOLD = Passage(
    "p1", "差旅制度", "", "普通员工每晚不得超过 500 元，须在返回后 10 天内报销。经理每晚 650 元，由张三丰审批。"
)
OTHER = Passage("p2", "采购制度", "", "单笔金额 5 万元以上的采购，由总经理审批。")
QUERY = Query("q1", "普通员工每晚最多多少钱？", answers=("500 元",), grades={"p1": 1})
ANSWER = CorrectAnswer(
    QUERY, "zh", "普通员工每晚不得超过 500 元，须在返回后 10 天内报销。", passage_chunk(GOLD), (passage_chunk(OTHER),)
)


@pytest.mark.parametrize("value", [0, 5, 10, 12, 20, 101, 110, 1200, 1002, 30005, 120000])
def test_a_chinese_numeral_reads_back(value: int) -> None:
    assert to_int(chinese_numeral(value)) == value


def test_the_gold_sentence_is_the_one_with_the_answer() -> None:
    assert gold_sentence(QUERY, GOLD.text) == ANSWER.sentence
    table = "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 每晚 650 元 |\n| 总监 | 每晚 900 元 |"
    assert gold_sentence(Query("q", "q", answers=("900 元",)), table) == "级别：总监，限额：每晚 900 元。"
    assert gold_sentence(Query("q", "q", answers=("7 元",)), GOLD.text) == ""


@pytest.mark.parametrize(
    ("sentence", "kind", "found"),
    [
        ("自2024年5月1日起，每月 12 日发放", "date", ["2024", "5", "1"]),
        ("每晚￥500，税率 6%，共二百元", "amount", ["500", "6", "二百"]),
        ("共 12 人，分三个组，第3名", "number", ["12", "三"]),
        ("依据第四十六条和 ERR_4032", "identifier", ["四十六", "4032"]),
        ("born May 4, 1969, paid $1,200 for five days", "date", ["May", "1969"]),
        ("born May 4, 1969, paid $1,200 for five days", "amount", ["1,200"]),
        ("1. 共 7 人", "number", ["7"]),
    ],
)
def test_values_are_found_by_kind(sentence: str, kind: str, found: list[str]) -> None:
    assert [text for _, _, text in values(sentence, kind)] == found
    assert all(sentence[begin:end] == text for begin, end, text in values(sentence, kind))


@pytest.mark.parametrize("text", ["5", "500", "1,200", "2.5", "三", "二百", "May", "three", "2024", "07"])
def test_another_value_is_another(text: str) -> None:
    dice = random.Random(1)
    others = {other_value(text, "date" if text in ("May", "2024", "07") else "number", dice) for _ in range(50)}
    assert text not in others
    assert len(others) > 1


def test_units_change_within_their_family() -> None:
    sentence = "须在 5 天内提交"
    (changes,) = units(sentence, "zh")
    assert [sentence[:begin] + unit + sentence[end:] for begin, end, unit in changes] == [
        f"须在 5 {unit}内提交" for unit in ("个工作日", "周", "个月", "年")
    ]


@pytest.mark.parametrize(
    ("sentence", "language", "opposite"),
    [
        ("员工不得外借", "zh", "员工可以外借"),
        ("员工可以外借", "zh", "员工不得外借"),
        ("无需发票", "zh", "需要发票"),
        ("It is not paid", "en", "It is paid"),
        ("It is paid", "en", "It is not paid"),
    ],
)
def test_a_negation_more_or_less(sentence: str, language: str, opposite: str) -> None:
    assert opposite in list(negations(sentence, language))


@pytest.mark.parametrize(
    ("question", "answer", "language", "statement"),
    [
        ("谁领军讨伐？", "诸葛亮", "zh", "诸葛亮领军讨伐。"),
        ("住宿每晚多少元？", "500 元", "zh", "住宿每晚500 元。"),
        ("Who wrote the book?", "Ann Lee", "en", "Ann Lee wrote the book."),
        ("When did it begin?", "1999", "en", ""),
        ("为什么要审批？", "控制费用", "zh", ""),
    ],
)
def test_a_question_is_restated(question: str, answer: str, language: str, statement: str) -> None:
    assert restate(question, answer, language) == statement


def test_rewording_keeps_the_values() -> None:
    sentences = {reword("自 2024年5月1日起，应当在 15 天内缴纳 8%。", "zh", random.Random(seed)) for seed in range(40)}
    assert len(sentences) > 5
    assert any("2024-05-01" in normalise(one) for one in sentences)
    assert any("十五" in one for one in sentences)
    assert any("百分之八" in one for one in sentences)
    assert reword("Nothing fits", "en", random.Random(4)) in ("Nothing fits", "According to the document, Nothing fits")


def test_cases_are_one_unchanged_answer_and_its_mutations_the_same_every_time() -> None:
    made = list(cases([ANSWER]))
    assert made == list(cases([ANSWER]))
    kinds = [case.kind for case in made]
    assert kinds.count(UNCHANGED) == kinds.count(LABEL) == kinds.count(RESTATED) == 1
    assert {"amount", "number", "unit", "negation", SWAPPED} <= set(kinds)
    assert NAME not in kinds
    assert all(case.cited == ("S2" if case.kind == LABEL else "S1") for case in made)
    unchanged = next(case.text for case in made if case.kind == UNCHANGED)
    assert all(case.text != unchanged for case in made if case.kind not in (UNCHANGED, LABEL))


def test_every_case_of_a_plain_answer_is_judged_rightly() -> None:
    verdicts = [verdict(case, "made") for case in cases([ANSWER])]
    assert [one.case.text for one in verdicts if one.accused == (one.case.kind in (UNCHANGED, RESTATED))] == []
    assert list(mistakes(verdicts)) == []
    table = mutations_table(verdicts)
    assert "| all of them " in table
    assert "| made | " in table


def test_the_sample_set_is_caught() -> None:
    verdicts = run_mutations([Path(__file__).parents[2] / "eval" / "data" / "sample"], limit=10)
    wrong = [one.accused for one in verdicts if one.case.kind not in (UNCHANGED, RESTATED)]
    assert len(wrong) > 30
    assert sum(wrong) >= 0.95 * len(wrong)
    assert not any(one.accused for one in verdicts if one.case.kind == UNCHANGED)


def test_answers_of_a_set_have_passages_beside_the_gold_one() -> None:
    answers = list(correct_answers(load_set(Path(__file__).parents[2] / "eval" / "data" / "sample"), 5))
    assert len(answers) == 5
    for answer in answers:
        assert answer.gold not in answer.others
        assert 1 <= len(answer.others) <= 4
