import pytest

from agent.quoting.units import Unit, list_around, quotation, split_units

TABLE = "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |\n| 总监 | 900 元 |"


def test_sentences_list_items_and_rows_are_units() -> None:
    text = f"第一句。“第二句！”第三句\n- 一项，含两句。仍是一项。\n\n{TABLE}\nIt costs 2.5 GB. Really."
    assert split_units(text) == [
        Unit("第一句。"),
        Unit("“第二句！”"),
        Unit("第三句"),
        Unit("- 一项，含两句。仍是一项。"),
        Unit("| 经理 | 650 元 |", "| 级别 | 限额 |"),
        Unit("| 总监 | 900 元 |", "| 级别 | 限额 |"),
        Unit("It costs 2.5 GB."),
        Unit("Really."),
    ]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        # Wrapped at a width, as Markdown and plain text often are.
        (
            "You may claim the cost of a taxi between the\nairport and the hotel. Keep\nthe receipt.",
            ["You may claim the cost of a taxi between the airport and the hotel.", "Keep the receipt."],
        ),
        (
            "员工出差期间的住宿费按照所在城市的标准在限额以内凭发\n票据实报销。超出部分自理。",
            ["员工出差期间的住宿费按照所在城市的标准在限额以内凭发票据实报销。", "超出部分自理。"],
        ),
        (
            "- A replacement is sent by post and takes up to\n  five days. You need not return it.\n- Another item",
            ["- A replacement is sent by post and takes up to five days. You need not return it.", "- Another item"],
        ),
        # A short line without a mark is a heading, and a line that is ended is whole.
        ("住宿标准\n上海每晚 500 元", ["住宿标准", "上海每晚 500 元"]),
        (
            "第一条 为了规范差旅管理，制定本办法，适用于全体员工。\n第二条 略",
            ["第一条 为了规范差旅管理，制定本办法，适用于全体员工。", "第二条 略"],
        ),
        (
            "The line before a table is long enough to be wrapped\n| 级别 | 限额 |",
            ["The line before a table is long enough to be wrapped"],
        ),
    ],
)
def test_wrapped_lines_are_one(text: str, units: list[str]) -> None:
    assert [unit.text for unit in split_units(text)] == units


LIST = """第九条 有下列情形之一的，不予报销：
（一）抬头错误的；
（二）超过六个月的。
报销由经理审批。"""


def test_an_item_knows_what_leads_it_in() -> None:
    lead = "第九条 有下列情形之一的，不予报销："
    units = split_units(LIST)
    assert units == [
        Unit(lead),
        Unit("（一）抬头错误的；", lead=lead),
        Unit("（二）超过六个月的。", lead=lead),
        Unit("报销由经理审批。"),
    ]
    assert quotation(units[2]) == f"{lead}\n（二）超过六个月的。"


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_list_is_whole_from_its_lead_or_any_item(at: int) -> None:
    units = split_units(LIST)
    assert [unit.text for unit in list_around(units, units[at])] == [unit.text for unit in units[:3]]


def test_a_long_list_is_cut_around_the_item() -> None:
    units = split_units("需要：\n" + "\n".join(f"- 第{number}项" for number in range(30)))
    assert [unit.text for unit in list_around(units, units[20])] == ["需要：", *(f"- 第{n}项" for n in range(13, 25))]


def test_a_list_under_a_heading_is_whole_too() -> None:
    units = split_units("- 原因：设备未登记。\n- 处理：扫码登记。\n\n其他。")
    assert list_around(units, units[1]) == units[:2]
    assert list_around(units, units[2]) == [units[2]]


def test_a_question_stays_with_its_answer() -> None:
    assert split_units("可以请假吗？可以。还有什么？") == [Unit("可以请假吗？可以。"), Unit("还有什么？")]
