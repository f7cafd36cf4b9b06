"""Which passage an unlabelled sentence is given: one that says it, with its values beside its words."""

import pytest

from agent.checks.claims import check_claim
from agent.checks.passage import Source

ATTENDANCE = """考勤规定 > 第二章
员工每日上班、下班各打卡一次，每周汇总。在家办公的，通过手机端打卡。
未获批准而不到岗的，可以按旷工处理。
连续旷工 3 天的，公司解除劳动合同。"""
ENTRY = (
    "入职\n新员工入职须提交以下材料：\n1. 身份证复印件\n2. 学历证书复印件\n3. 离职证明\n4. 体检报告\n5. 一寸照片两张"
)
LIMITS = "差旅\n| 城市 | 住宿上限 |\n| --- | --- |\n| 北京 | 600元 |\n| 上海 | 500元 |\n| 成都 | 400元 |"
TRAVEL = """Travel
Meals are paid at 100 yuan a day.
Taxis need a receipt.
Late claims are refused after 10 days."""


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("连续旷工3天的，公司可以解除劳动合同。", ATTENDANCE),
        ("新员工入职须提交离职证明和体检报告。", ENTRY),
        ("北京的住宿上限为600元，成都的住宿上限为400元。", LIMITS),
        ("Meals are paid at 100 yuan a day and late claims are refused after 10 days.", TRAVEL),
    ],
)
def test_a_sentence_that_a_passage_says_gets_its_label(claim: str, passage: str) -> None:
    check = check_claim(claim, (), {"S1": Source(passage)})
    assert (check.status, check.labels) == ("repaired", ("S1",))


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        # All of its words stand in the passage, and so does its value, of something else.
        ("每周可以在家办公3天。", ATTENDANCE),
        ("Taxis are paid after 10 days at 200 yuan.", TRAVEL),
    ],
)
def test_a_sentence_made_up_of_its_words_gets_none(claim: str, passage: str) -> None:
    check = check_claim(claim, (), {"S1": Source(passage)})
    assert (check.status, check.labels) == ("removed", ())
