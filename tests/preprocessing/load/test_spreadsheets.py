import datetime
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font

from preprocessing.document import Document
from preprocessing.load.sheets.cell_format import moment_text, number_text
from tests.preprocessing.files import blocks, saved

Load = Callable[..., Document]
DAY = datetime.datetime(2024, 5, 1, 15, 4, 5)


def xlsx(*sheets: tuple[str, list[list[Any]]], change: Callable[[Any], object] = lambda workbook: None) -> bytes:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets:
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    change(workbook)
    return saved(workbook)


def test_each_sheet_is_a_section(load_bytes: Load) -> None:
    data = xlsx(("价格", [["编号", "单价"], ["B-02", 12]]), ("空", []), ("说明", [["含税。"]]))
    assert blocks(load_bytes("a.xlsx", data)) == [
        ("heading", "价格"),
        ("table", "| 编号 | 单价 |\n| --- | --- |\n| B-02 | 12 |"),
        ("heading", "说明"),
        ("paragraph", "含税。"),
    ]


def test_far_cells_and_columns_merged_to_the_end_cost_nothing(load_bytes: Load) -> None:
    def spread(workbook: Any) -> None:
        sheet = workbook["价格"]
        sheet.cell(1_048_576, 30).font = Font(bold=True)
        sheet.cell(1_048_570, 16_384).value = "含税"
        sheet.merge_cells("A2:A5000")

    data = xlsx(("价格", [["编号", "单价"], ["B-02", 12]]), change=spread)
    assert blocks(load_bytes("a.xlsx", data))[1:] == [
        ("table", "| 编号 | 单价 |\n| --- | --- |\n| B-02 | 12 |"),
        ("paragraph", "含税"),
    ]


def test_values_are_as_shown(load_bytes: Load) -> None:
    def formats(workbook: Any) -> None:
        for cell, code in zip(
            workbook["费用"][2], ["yyyy年m月d日", "¥#,##0.00", "0.0%", "00000", "General"], strict=True
        ):
            cell.number_format = code

    rows = [["日期", "金额", "税率", "编号", "通过"], [DAY, 1234.5, 0.0725, 42, True]]
    assert blocks(load_bytes("a.xlsx", xlsx(("费用", rows), change=formats)))[1][1].split("\n")[2] == (
        "| 2024年5月1日 | ¥1,234.50 | 7.3% | 00042 | TRUE |"
    )


def test_titles_gaps_and_notes_around_tables(load_bytes: Load) -> None:
    def bold(workbook: Any) -> None:
        for cell in workbook["表"][9]:
            cell.font = Font(bold=True)

    rows = [
        ["2024 年度预算"], [], [None, "部门", None, "金额"], [None, "人事", None, 1], [], [None, "财务", None, 2],
        [None, "单位：万元"], [], ["编号", "名"], ["甲", "乙"],
    ]  # fmt: skip
    assert blocks(load_bytes("a.xlsx", xlsx(("表", rows), change=bold))) == [
        ("heading", "表"),
        ("paragraph", "2024 年度预算"),
        ("table", "| 部门 | 金额 |\n| --- | --- |\n| 人事 | 1 |\n| 财务 | 2 |"),
        ("paragraph", "单位：万元"),
        ("table", "| 编号 | 名 |\n| --- | --- |\n| 甲 | 乙 |"),
    ]


def test_merged_cells_stay_readable(load_bytes: Load) -> None:
    def merge(workbook: Any) -> None:
        for area in ("A1:A2", "B1:C1", "A3:A4"):
            workbook["表"].merge_cells(area)

    rows = [["部门", "费用", None], [None, "交通", "住宿"], ["人事\n行政", 1, 2], [None, 3, 4]]
    assert blocks(load_bytes("a.xlsx", xlsx(("表", rows), change=merge)))[1][1] == (
        "| 部门 | 费用 交通 | 费用 住宿 |\n| --- | --- | --- |\n| 人事；行政 | 1 | 2 |\n| 人事；行政 | 3 | 4 |"
    )


def test_hidden_sheets_and_formulas_without_result_are_told(load_bytes: Load) -> None:
    def hide(workbook: Any) -> None:
        workbook["草稿"].sheet_state = "hidden"

    data = xlsx(("表", [["数", "和"], [1, "=A2*2"]]), ("草稿", [["旧价", 9]]), change=hide)
    document = load_bytes("a.xlsx", data)
    assert "旧价" not in str(document.blocks)
    assert document.warnings == (
        "hidden sheets left out: 草稿",
        "1 formulas without a saved result (B2); open and save it in Excel",
    )


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1234.5, "General", "1234.5"),
        (0.1 + 0.2, "General", "0.3"),
        (1234567.891, "#,##0", "1,234,568"),
        (2.5, "0", "3"),
        (0.5, "#.##", ".5"),
        (-5.0, "#,##0.00_);(#,##0.00)", "(5.00)"),
        (-5.0, "#,##0;[Red]-#,##0", "-5"),
        (0, '0;-0;"无"', "无"),
        (3, '0\\ "元/件"', "3 元/件"),
        (8, "[$¥-804]#,##0.00", "¥8.00"),
        (12345, "0.00E+00", "1.23E+04"),
        (1234567, "#,##0,", "1,235"),
        (13800138000, "000 0000 0000", "13800138000"),
    ],
)
def test_number_formats(value: float, code: str, shown: str) -> None:
    assert number_text(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (DAY, "yyyy-mm-dd", "2024-05-01"),
        (DAY, "mm-dd-yy", "2024-05-01 15:04"),
        (datetime.datetime(2024, 5, 1), "m/d/yy", "2024-05-01"),
        (DAY, "mm:ss", "04:05"),
        (DAY, "h:mm AM/PM", "3:04 PM"),
        (DAY, '上午/下午h"时"mm"分"', "下午3时04分"),
        (DAY, "aaaa", "星期三"),
        (datetime.time(9, 30), "hh:mm", "09:30"),
        (datetime.timedelta(hours=26, minutes=5), "[h]:mm:ss", "26:05:00"),
    ],
)
def test_date_formats(value: Any, code: str, shown: str) -> None:
    assert moment_text(value, code) == shown


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "，"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk"])
def test_csv_delimiters_and_encodings(load_bytes: Load, delimiter: str, encoding: str) -> None:
    rows = [["编号", "名称", "价"], ["B-02", "垫圈", "12"], ["B-03", "", "8"]]
    data = "\r\n".join(delimiter.join(row) for row in rows).encode(encoding)
    assert blocks(load_bytes("a.csv", data)) == [
        ("table", "| 编号 | 名称 | 价 |\n| --- | --- | --- |\n| B-02 | 垫圈 | 12 |\n| B-03 | | 8 |")
    ]


def test_csv_quotes_titles_and_gaps(load_bytes: Load) -> None:
    text = '库存表,,\n\n编号,说明,\nA,"含逗号, 和""引号""\n两行",\n'
    assert blocks(load_bytes("a.csv", text.encode())) == [
        ("paragraph", "库存表"),
        ("table", '| 编号 | 说明 |\n| --- | --- |\n| A | 含逗号, 和"引号"; 两行 |'),
    ]


def test_csv_with_an_open_quote_keeps_its_rows(load_bytes: Load) -> None:
    rows = ["编号,尺寸", 'A,5"', *[f"B{number},6" for number in range(60)]]
    (table,) = load_bytes("a.csv", "\n".join(rows).replace('5"', '"5').encode()).blocks
    assert len(table.text.split("\n")) == 63
