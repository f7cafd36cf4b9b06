"""Facts are equal however they are written."""

import pytest

from agent.checks.facts import facts


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
        *((text, "1970S") for text in ("1970s", "1970S")),
        *((text, "30000000 GBP") for text in ("£30m", "£30 million", "3000 万英镑")),
        *((text, "4") for text in ("四个部门", "4 个部门", "四所学校")),
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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("早上三年", {"3 years"}),
        ("8×5小时", {"8", "5 hours"}),
    ],
)
def test_what_is_said_once_for_two(text: str, found: set[str]) -> None:
    assert facts(text) == found
