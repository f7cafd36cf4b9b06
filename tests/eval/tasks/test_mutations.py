"""The mutation set is made as it says, and the checks are counted as they judge."""

from pathlib import Path

from eval.sets.files import Passage, Query
from eval.sets.index import passage_chunk
from eval.sets.load import SAMPLE, load_set
from eval.tasks.mutations import (
    KINDS,
    LABEL,
    UNCHANGED,
    RightAnswer,
    cases,
    gold_sentence,
    is_accused,
    mutants,
    mutations_table,
    run_mutations,
)

GOLD = Passage(
    "p1", "差旅制度", "", "普通员工每晚不得超过 500 元，须在返回后 10 天内报销。经理每晚 650 元，由张三丰审批。"
)
OTHER = Passage("p2", "采购制度", "", "单笔金额 5 万元以上的采购，由总经理审批。")
QUERY = Query("q1", "普通员工每晚最多多少钱？", answers=("500 元",), grades={"p1": 1})
ANSWER = RightAnswer(
    QUERY, "zh", "普通员工每晚不得超过 500 元，须在返回后 10 天内报销。", passage_chunk(GOLD), (passage_chunk(OTHER),)
)


def test_the_gold_sentence_is_the_one_with_the_answer() -> None:
    assert gold_sentence(QUERY, GOLD.text) == ANSWER.sentence
    table = "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 每晚 650 元 |\n| 总监 | 每晚 900 元 |"
    assert gold_sentence(Query("q", "q", answers=("900 元",)), table) == "级别：总监，限额：每晚 900 元。"
    assert gold_sentence(Query("q", "q", answers=("7 元",)), GOLD.text) == ""


def test_one_thing_is_changed() -> None:
    made = dict(mutants(ANSWER.sentence, GOLD.text))
    assert made["number"] == [ANSWER.sentence.replace("500", "501"), ANSWER.sentence.replace("10", "11")]
    assert made["swapped"] == [ANSWER.sentence.replace("500", "650")]
    assert ANSWER.sentence.replace("天", "周") in made["unit"]
    assert made["negation"] == [ANSWER.sentence.replace("不得", "可以")]
    assert dict(mutants("依据第四十六条和 ERR_4032 处理。", ""))["identifier"] == [
        "依据第四十七条和 ERR_4032 处理。",
        "依据第四十六条和 ERR_4033 处理。",
    ]
    assert "It is not paid." in dict(mutants("It is paid.", ""))["negation"]


def test_cases_repeat_and_each_is_judged() -> None:
    found = list(cases(ANSWER))
    assert found == list(cases(ANSWER))
    assert {kind for kind, _, _ in found} == {UNCHANGED, LABEL, "number", "swapped", "unit", "negation"}
    accused = {kind: is_accused(kind, text, label, ANSWER) for kind, text, label in found}
    assert not accused.pop(UNCHANGED)
    assert all(accused.values())


def test_the_table_counts_by_kind_and_language(tmp_path: Path) -> None:
    run = run_mutations([load_set(SAMPLE, whole_documents=True)], 10, {})
    rows = [line.split("|")[1].strip() for line in mutations_table(run).splitlines()[2:]]
    assert rows == [*KINDS, "all of them", "unchanged: false alarms"]
    assert sum(question.kind == UNCHANGED for question in run.questions) == 10
