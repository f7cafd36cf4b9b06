"""Facts are equal however they are written, and a claim with a changed fact is found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.claims import Claim, check_claims, cited_labels, facts, remove_unknown_labels, split_claims


@pytest.mark.parametrize(
    ("written", "fact"),
    [
        *((text, "1200") for text in ("1,200", "1200", "1200.0", "一千二百", "１２００", "１，２００")),
        *(
            (text, "80%")
            for text in ("80%", "80％", "80 %", "百分之八十", "百分之80", "80 percent", "80 per cent", "八成")
        ),
        *(
            (text, "500 CNY")
            for text in ("￥500", "¥500", "500元", "500 元", "五百元", "500 yuan", "RMB 500", "人民币500元")
        ),
        *((text, "12000 CNY") for text in ("1.2万元", "12,000元", "一万二千元", "￥1.2万", "12 thousand yuan")),
        *((text, "120000000") for text in ("1.2亿", "1亿2000万", "一亿二千万", "120 million", "120,000,000")),
        *((text, "第46条") for text in ("第四十六条", "第46条", "第 46 条", "第４６条")),
        *(
            (text, "2024-07-01")
            for text in (
                *("2024年7月1日", "2024 年 7 月 1 日", "2024-07-01", "2024/7/1", "2024.07.01", "二〇二四年七月一日"),
                *(
                    "July 1, 2024",
                    "Jul. 1, 2024",
                    "July 1st 2024",
                    "1 July 2024",
                    "1st of July, 2024",
                    "２０２４年７月１日",
                ),
            )
        ),
        *((text, "2024-07") for text in ("2024年7月", "July 2024", "2024-07")),
        *((text, "07-01") for text in ("7月1日", "七月一日", "July 1", "1 July", "the 1st of July")),
        *((text, "2024") for text in ("2024年", "2024", "in 2024", "二〇二四年")),
        *((text, "month 3") for text in ("3月", "三月份", "in March")),
        *(
            (text, "15:00")
            for text in ("15:00", "下午3点", "下午三点", "3 pm", "3:00 p.m.", "15点整", "15时", "１５：００")
        ),
        *((text, "09:30") for text in ("9:30", "上午九点半", "9点30分", "9:30 am")),
        *((text, "3 months") for text in ("3个月", "三个月", "three months", "3 months", "3-month")),
        *((text, "5 workdays") for text in ("5个工作日", "五个工作日", "five working days", "5 business days")),
        *((text, "5 days") for text in ("5天", "5 天", "五天", "five days", "5-day", "5 个自然日", "5 calendar days")),
        *((text, "1.5 hours") for text in ("1.5小时", "一个半小时", "1.50 hours")),
        *((text, "2.5 years") for text in ("两年半", "2.5年", "2.5 years")),
        *((text, "25") for text in ("25", "twenty-five", "二十五")),
        *((text, "1970S") for text in ("1970s", "1970年代", "20世纪70年代", "二十世纪七十年代", "mid-1970s")),
        *((text, "19 century") for text in ("19世纪", "十九世紀", "the 19th century", "19th-century")),
        *((text, "30000 CNY") for text in ("3萬元", "三萬元", "3 万元")),
        *((text, "2/3") for text in ("三分之二", "2/3")),
        *((text, "50 m2") for text in ("50平方米", "50 m²", "50㎡")),
        *((text, "Q3") for text in ("Q3", "第三季度", "第3季度")),
        *((text, "2.3.1") for text in ("v2.3.1", "V2.3.1", "2.3.1", "版本 2.3.1")),
        *(
            (text, "GB/T7714-2015")
            for text in ("GB/T 7714-2015", "GB/T7714-2015", "ＧＢ／Ｔ 7714-2015", "GB/T 7714—2015")
        ),
        *((text, text) for text in ("ERR_4032", "A0427", "PPR-9087", "ISO9001:2015", "192.168.1.1")),
    ],
)
def test_a_fact_is_the_same_however_it_is_written(written: str, fact: str) -> None:
    assert facts(written) == {fact}
    assert facts(f"规定为{written}。") == {fact}
    assert facts(f"It is {written}, see there. [S1]") == {fact}


@pytest.mark.parametrize(
    "text",
    [
        *("", "年假", "Annual leave", "[S1]", "[S1][S2]", "【S12】", "［Ｓ１］", "(S1)", "[S1, S2]", "according to S1"),
        *(
            "1. 年假",
            "2) 病假",
            "3、事假",
            "（4）其他",
            "① 年假",
            "- 1. leave",
            "二、病假",
            "（三）事假",
            "第三，报销",
            "Step 2: apply",
        ),
        *(
            "### 3.2 报销标准",
            "3.2.1 Travel",
            "十分重要",
            "一般情况",
            "进一步",
            "一次性",
            "第三方",
            "万一",
            "千万不要",
            "统一",
            "几十",
        ),
        *("第二次世界大战", "三元组", "the first", "the 2nd", "一些人", "三亚"),
    ],
)
def test_labels_list_numbers_and_idioms_are_no_facts(text: str) -> None:
    assert facts(text) == set()


@pytest.mark.parametrize("number", [str(value) for value in range(1, 21)])
def test_english_number_words_up_to_twenty(number: str) -> None:
    words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    word = [*words.split(), "eighteen", "nineteen", "twenty"][int(number) - 1]
    assert facts(f"after {word} weeks") == {f"{number} weeks"}


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("年假 5 天。[S1]病假 3 天[S2]。", [("年假 5 天。[S1]", ("S1",)), ("病假 3 天[S2]。", ("S2",))]),
        (
            "Five days. [S1] Sick pay is 80%. [S2][S3]",
            [("Five days. [S1]", ("S1",)), ("Sick pay is 80%. [S2][S3]", ("S2", "S3"))],
        ),
        ("A is 5 [S1, S2]. B.", [("A is 5 [S1, S2].", ("S1", "S2")), ("B.", ())]),
        ("甲；乙！丙？【S1】［Ｓ２］", [("甲；", ()), ("乙！", ()), ("丙？【S1】［Ｓ２］", ("S1", "S2"))]),
        ("他说“可以。”（S1）好。", [("他说“可以。”（S1）", ("S1",)), ("好。", ())]),
        (
            "Rate 3.5 vs. 4, e.g. in v2.3.1. Yes (S1).",
            [("Rate 3.5 vs. 4, e.g. in v2.3.1.", ()), ("Yes (S1).", ("S1",))],
        ),
        ("1. one [S1]\n2. two. [S2]\n", [("1. one [S1]", ("S1",)), ("2. two. [S2]", ("S2",))]),
        ("| 类 | 天 |\n|---|---|\n| 年假。 | 5 [S1] |", [("| 类 | 天 |", ()), ("| 年假。 | 5 [S1] |", ("S1",))]),
        ("年假 5 天。\n[S1]\n\n好", [("年假 5 天。\n[S1]", ("S1",)), ("好", ())]),
        ("Ask HR.[S2]Then wait.", [("Ask HR.[S2]", ("S2",)), ("Then wait.", ())]),
        ("Due Apr. 5, see a.co/x?y=1. Is it?[S1]", [("Due Apr. 5, see a.co/x?y=1.", ()), ("Is it?[S1]", ("S1",))]),
        ("", []),
    ],
)
def test_sentences_take_the_labels_in_or_right_after_them(
    answer: str, claims: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert split_claims(answer) == claims
    assert all(text in answer for text, _ in split_claims(answer))


POLICY = {
    "S1": "第四十六条 员工累计工作满一年不满十年的，年休假 5 天；满十年不满二十年的，年休假 10 天。"
    "自 2024 年 7 月 1 日起施行。",
    "S2": "差旅住宿标准为每人每天 450 元，超出部分由个人承担。报销单须在返回后 30 个自然日内提交，逾期按 80% 报销。",
    "S3": "Remote sessions are closed after 45 minutes of inactivity. "
    "Error ERR_4032 means that the token of device A0427 expired.",
    "S4": "Claims above $1,200 need two approvals and are paid within five working days, "
    "from 9:00 to 17:30, since March 15, 2023.",
    "S5": "参考文献按 GB/T 7714-2015 著录，系统版本不低于 v2.3.1，注册资本一千二百万元，合格率百分之九十四。",
    "S6": "1. 申请\n2. 审批\n第三季度考核于下午 2:00 至 5:30 进行，持续三个半小时，地点 3 号楼 1205 室。",
}


@pytest.mark.parametrize("label", POLICY)
def test_an_unchanged_quotation_misses_nothing(label: str) -> None:
    claims = check_claims("".join(f"{line}[{label}]\n" for line in POLICY[label].split("\n")), POLICY)
    assert claims
    assert [claim.missing for claim in claims] == [()] * len(claims)


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
        "Pay arrives in 5 days, 9 am to 5:30 pm. [S4]",
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
    assert [found.missing for found in check_claims(claim, POLICY)] == [()]


@pytest.mark.parametrize(
    ("claim", "missing"),
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
        ("Open from 9:00 to 18:30. [S4]", ("18:30",)),
        ("依据 GB/T 7714-2005，版本 v2.3.2。[S5]", ("GB/T7714-2005", "2.3.2")),
        ("注册资本 1200 元。[S5]", ("1200 CNY",)),
        ("合格率 91%，统计年份 2020。[S5]", ("91%", "2020")),
        ("第二季度考核，地点 1206 室。[S6]", ("Q2", "1206")),
        ("差旅住宿标准为每人每天 450 元。[S1]", ("450 CNY",)),
        ("年假 5 天。[S9]", ("5 days",)),
    ],
)
def test_a_changed_fact_or_a_wrong_label_is_found(claim: str, missing: tuple[str, ...]) -> None:
    (found,) = check_claims(claim, POLICY)
    assert set(found.missing) == set(missing)
    assert not found.supported


@pytest.mark.parametrize("passage", ["共 1500 元", "500.5 元", "A500", "0.500.1", "ERR_500_2x", "编号 5001", "¥1,500"])
def test_a_number_stands_only_as_a_whole_token(passage: str) -> None:
    wanted = () if passage == "ERR_500_2x" else ("500 CNY",)
    (found,) = check_claims("上限 500 元。[S1]", {"S1": passage})
    assert found.missing == wanted


def test_a_sentence_without_labels_is_returned_unchecked() -> None:
    assert check_claims("年假 99 天。", POLICY) == [Claim("年假 99 天。", (), ())]


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("a [S2] b 【S1】［Ｓ３］(S2)（S4）", ["S2", "S1", "S3", "S4"]),
        ("[S1, S2、S3][S1；S5] [s6] [S 7] [S08]", ["S1", "S2", "S3", "S5", "S6", "S7", "S8"]),
        ("[S] [Sx] [1] (see S1) Size S1", []),
    ],
)
def test_cited_labels(answer: str, labels: list[str]) -> None:
    assert cited_labels(answer) == labels


@pytest.mark.parametrize(
    ("answer", "cleaned", "removed"),
    [
        ("年假 5 天。[S1] 病假 80%。[S9]", "年假 5 天。[S1] 病假 80%。", ["S9"]),
        ("Five days [S9]. Then [S9] six [S1].", "Five days. Then six [S1].", ["S9"]),
        ("A【S1，S9】B（S2）", "A[S1]B[S2]", ["S9"]),
        ("[S9] Five days\n[S8] six", "Five days\nsix", ["S9", "S8"]),
        ("| 年假 | 5 [S9] |\n  - x [S9]\n", "| 年假 | 5 |\n  - x\n", ["S9"]),
        ("5[S9]6", "5 6", ["S9"]),
        ("  - keep  [S1]  this", "  - keep  [S1]  this", []),
        ("", "", []),
    ],
)
def test_unknown_labels_are_removed_and_known_ones_made_alike(answer: str, cleaned: str, removed: list[str]) -> None:
    assert remove_unknown_labels(answer, {"S1", "S2"}) == (cleaned, removed)


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
        assert all(claim.supported for claim in check_claims(quotation, {"S7": quotation, **dict.fromkeys(labels, "")}))


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 10**9), st.integers(2, 10**9), st.sampled_from(["元", " 天", "%", " km", " people", "次"]))
def test_two_different_numbers_never_match(said: int, held: int, unit: str) -> None:
    (claim,) = check_claims(f"上限为 {said:,}{unit}。[S1]", {"S1": f"上限为 {held}{unit}。"})
    assert claim.supported == (said == held)
