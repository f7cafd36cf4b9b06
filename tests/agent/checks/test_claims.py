"""A claim with a changed fact is found, and the same facts in other words are not."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.checks.citations import split_claims
from agent.checks.claims import find
from agent.checks.finding import Finding
from agent.checks.passage import Source


def findings(answer: str, passages: Mapping[str, str]) -> list[tuple[Finding, ...]]:
    """Return what each sentence with labels says that its passages do not."""
    sources = {label: Source(text) for label, text in passages.items()}
    return [
        find(text, [sources[label] for label in labels if label in sources])
        for text, labels in split_claims(answer)
        if labels
    ]


def missing(answer: str, passages: Mapping[str, str]) -> list[set[str]]:
    return [{finding.said for finding in found} for found in findings(answer, passages)]


POLICY = {
    "S1": "第四十六条 员工累计工作满一年不满十年的，年休假 5 天；满十年不满二十年的，年休假 10 天。"
    "自 2024 年 7 月 1 日起施行。",
    "S2": "差旅住宿标准为每人每天 450 元，超出部分由个人承担。报销单须在返回后 30 个自然日内提交，逾期按 80% 报销。",
    "S3": "Remote sessions are closed after 45 minutes of inactivity. "
    "Error ERR_4032 means that the token of device A0427 expired.",
    "S4": "Claims above $1,200 need two approvals and are paid within five working days, "
    "from 9:00 to 17:30, since March 15, 2023.",
    "S5": "参考文献按 GB/T 7714-2015 著录，系统版本不低于 v2.3.1，注册资本一千二百万元，合格率百分之九十四。",
    "S6": "1. 申请\n2. 审批\n第三季度考核于下午 2:00 至下午 5:30 进行，持续三个半小时，地点 3 号楼 1205 室。",
}


@pytest.mark.parametrize(
    "claim",
    [
        "工作满 1 年不满 10 年的，年假为五天。[S1]",
        "After 10 years it is ten days (Article 46). [S1]",
        "该办法于2024-07-01施行。[S1]",
        "It has applied since July 2024. [S1]",
        "7月1日起施行；[S1]",
        "每晚上限 ￥450，30 天内报销。[S2]",
        "Hotels: up to CNY 450 a day; late claims are paid at 80 percent. [S2]",
        "闲置 45 分钟后断开，设备为 a0427。[S3]",
        "超过 1,200 美元需两级审批，5 个工作日内支付。[S4]",
        "Pay arrives in 5 business days, 9 am to 5:30 pm. [S4]",
        "Approved from 15 March 2023. [S4]",
        "注册资本为 1,200 万元，即 12,000,000 元，合格率 94%。[S5]",
        "The standard GB/T 7714 (2015 edition) and version 2.3.1 apply. [S5]",
        "Q3 考核时间为 14:00–17:30，共 3.5 小时。[S6]",
        "见第 2 项。[S6]",
        "须满足以下三个条件。[S1]",
        "There are three conditions and one exception. [S1]",
        "年假 5 天，超标自付 450 元以上部分。[S1][S2]",
    ],
)
def test_the_same_facts_in_other_words_miss_nothing(claim: str) -> None:
    assert missing(claim, POLICY) == [set()]


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        ("满一年不满十年的，年休假 6 天。[S1]", ("6 days",)),
        ("自 2024 年 7 月 2 日起施行。[S1]", ("2024-07-02",)),
        ("自 2025 年 7 月 1 日起施行。[S1]", ("2025-07-01",)),
        ("In force since August 1, 2024. [S1]", ("2024-08-01",)),
        ("依据第四十七条。[S1]", ("第47条",)),
        ("Article 47 says so. [S1]", ("第47",)),
        ("住宿标准为 540 元。[S2]", ("540 CNY",)),
        ("住宿标准为 45 元。[S2]", ("45 CNY",)),
        ("住宿标准为 450 美元。[S2]", ("450 USD",)),
        ("逾期按 85% 报销，须 3 天内提交。[S2]", ("85%", "3 days")),
        ("逾期按百分之八报销。[S2]", ("8%",)),
        ("It closes after 45 hours. [S3]", ("45 hours",)),
        ("Error ERR_4033 on device A0428. [S3]", ("ERR_4033", "A0428")),
        ("Error ERR_403 on device A04271. [S3]", ("ERR_403", "A04271")),
        ("Above $12,000, within six working days. [S4]", ("12000 USD", "6 workdays")),
        ("Pay arrives in 5 days. [S4]", ("5 days",)),
        ("Open from 9:00 to 18:30. [S4]", ("18:30",)),
        ("依据 GB/T 7714-2005，版本 v2.3.2。[S5]", ("GB/T7714-2005", "2.3.2")),
        ("注册资本 1200 元。[S5]", ("1200 CNY",)),
        ("合格率 91%，统计年份 2020。[S5]", ("91%", "2020")),
        ("第二季度考核，地点 1206 室。[S6]", ("Q2", "1206")),
        ("差旅住宿标准为每人每天 450 元。[S1]", ("450 CNY",)),
        ("年假 5 天。[S9]", ("5 days",)),
    ],
)
def test_a_changed_fact_or_a_wrong_label_is_found(claim: str, wanted: tuple[str, ...]) -> None:
    assert missing(claim, POLICY) == [set(wanted)]


LEAVE = {
    "S1": "员工累计工作满一年不满十年的，年休假 5 天；满十年不满二十年的，年休假 10 天。"
    "未经批准，员工不得将客户资料带出公司。差旅补助每天不超过 100 元。本办法由人力资源部李明负责解释。",
    "S2": "Employees may not share passwords. The plan covers dental care. Bruce Wayne approves travel to Paris; "
    "the Centers for Disease Control issue the rules. Leave is granted by Clark Kent in Berlin.",
    "S3": "| 级别 | 一线城市 | 其他城市 |\n| --- | --- | --- |\n| 经理 | 650 元 | 450 元 |\n| 总监 | 900 元 | 600 元 |",
    "S4": "公司颁布《差旅管理办法》，强调“先审批、后出差”。",
}


@pytest.mark.parametrize(
    "claim",
    [
        "未经批准，员工不可以将客户资料带出公司。[S1]",
        "未经批准，禁止员工将客户资料带出公司。[S1]",
        "差旅补助每天最多 100 元。[S1]",
        "不，差旅补助每天不超过 100 元。[S1]",
        "滿十年不滿二十年的，年休假 10 天。[S1]",
        "本辦法由人力資源部李明負責解釋。[S1]",
        "Employees mustn't share passwords. [S2]",
        "The CDC issues the rules. [S2]",
        "No, employees may not share passwords. [S2]",
        "However, the plan covers dental care. [S2]",
        "级别：总监，一线城市：900 元，其他城市：600 元。[S3]",
        "《差旅管理办法》要求“先审批……后出差”。[S4]",
        "The rule asks for “approval first”. [S4]",
    ],
)
def test_the_same_in_other_words_is_supported(claim: str) -> None:
    assert findings(claim, LEAVE) == [()]


@pytest.mark.parametrize(
    ("claim", "problem", "said", "held"),
    [
        ("满十年不满二十年的，年休假 5 天。[S1]", "value", "5 days", "10 days"),
        ("未经批准，员工可以将客户资料带出公司。[S1]", "reversed", "可以", "不得"),
        ("差旅补助每天超过 100 元。[S1]", "reversed", "", "不"),
        ("差旅补助每天至少 100 元。[S1]", "reversed", "至少", "不超过"),
        ("Employees may share passwords. [S2]", "reversed", "", "not"),
        ("The plan does not cover dental care. [S2]", "reversed", "does not", ""),
        ("Peter Parker approves travel to Paris. [S2]", "name", "Peter Parker", ""),
        ("Bruce Wayne approves travel to London. [S2]", "name", "London", ""),
        ("级别：总监，一线城市：900 元，其他城市：450 元。[S3]", "value", "450 CNY", "600 CNY"),
        ("依据《费用管理办法》，须先审批。[S4]", "quotation", "费用管理办法", ""),
        ("公司强调“先出差、后审批”。[S4]", "quotation", "先出差、后审批", ""),
    ],
)
def test_what_the_passage_says_otherwise_is_found(claim: str, problem: str, said: str, held: str) -> None:
    (found,) = findings(claim, LEAVE)
    assert (problem, said, held) in [(one.problem, one.said, one.held) for one in found]


PIECES = st.sampled_from(
    [
        *"一二十百千万亿两零点第条年月日天元%.,-/:[]()| ",
        "S1",
        "[S1]",
        "12",
        "3.5",
        "1,200",
        "v2",
        "ERR_1",
        "成",
        "半",
        "个",
        "two ",
        "\n",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join))
def test_whatever_is_quoted_with_its_label_is_supported(text: str) -> None:
    for sentence, labels in split_claims(text):
        quotation = f"{sentence} [S7]"
        assert not any(findings(quotation, {"S7": quotation, **dict.fromkeys(labels, "")}))


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 10**9), st.integers(2, 10**9), st.sampled_from(["元", " 天", "%", " km", " people", "次"]))
def test_two_different_numbers_never_match(said: int, held: int, unit: str) -> None:
    (found,) = findings(f"上限为 {said:,}{unit}。[S1]", {"S1": f"上限为 {held}{unit}。"})
    assert bool(found) == (said != held)
