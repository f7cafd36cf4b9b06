from dataclasses import replace

import pytest

from agent.quoting.confidence import LEAST_CONFIDENCE, Candidate, Passage, confidence, missing_parts, missing_terms
from agent.quoting.units import Unit
from retrieval.text.writing import language_of

PASSAGE = Passage("S1", "休假", "年假 12 天。病假工资照发。")
EVIDENCE = "ERR_4032 余额不足。第四十六条 经济补偿。2024 年起执行 V2。上海每晚 500 元。FY25 dates. GB/T 7714-2015 Redis"


def candidate(text: str, similarity: float, *, matched: float | None = None, typed: bool = True) -> Candidate:
    return Candidate(PASSAGE, 0, Unit(text), similarity=similarity, matched=matched, typed=typed)


def test_it_follows_from_the_unit_that_matches_best() -> None:
    low, high = candidate("年假由经理批准。", 0.1, matched=0.3), candidate("年假须申请。", 0.4, matched=0.7)
    assert confidence("年假怎么申请？", [], [low, high]) == confidence("年假怎么申请？", [], [high]) > 0.6
    assert confidence("年假怎么申请？", [], [low]) < LEAST_CONFIDENCE


def test_who_asks_how_many_is_not_answered_without_a_figure() -> None:
    without, with_figure = candidate("年假由经理批准。", 0.9, typed=False), candidate("年假 12 天。", 0.2)
    assert confidence("年假几天？", [], [without, with_figure]) == confidence("年假几天？", [], [with_figure])
    assert confidence("年假几天？", [], [without]) == 0


def test_a_code_is_meant_to_the_letter() -> None:
    held = candidate("ERR_4032 余额不足。", 0.1)
    passages = ["ERR_4032 余额不足。"]
    assert confidence("What is ERR_4032?", passages, [replace(held, codes=1.0)]) > confidence(
        "What is ERR_4032?", passages, [held]
    )


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("ERR_4999 是什么意思？", ["ERR_4999"]),
        ("ERR_4032 和 ERR_4033", ["ERR_4033"]),
        ("第四十七条怎么规定的？", ["第47条"]),
        ("2019 年的标准", ["2019"]),
        ("V3 的住宿标准", ["V3"]),
        ("What changed in FY23?", ["FY23"]),
        ("GDPR 怎么规定的？", ["GDPR"]),
        ("推荐用哪个版本的 Spring Boot？", ["Spring Boot"]),
    ],
)
def test_missing_terms_are_named_as_they_were_written(question: str, missing: list[str]) -> None:
    assert missing_terms(question, [EVIDENCE]) == missing


def test_another_language_has_other_words_for_articles() -> None:
    assert missing_terms("第四十六条怎么规定的？", ["Article 46. Compensation."]) == []
    assert missing_terms("ERR_4033 是什么？", ["ERR_4032 means no balance."]) == ["ERR_4033"]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("上海住宿补贴按什么比例发？", ["比例"]),
        ("GDPR 住宿每晚多少钱？", ["GDPR", "金额"]),
        ("上海住宿怎么申请？", []),
        ("How much does it cost?", ["an amount of money"]),
        ("Who books hotels?", []),
    ],
)
def test_terms_and_types_are_named_in_the_language_of_the_question(question: str, missing: list[str]) -> None:
    text = "上海的住宿须事先申请。" if language_of(question) == "zh" else "Hotels are booked by the office."
    assert missing_parts(question, [Passage("S1", "", text)]) == missing
