from collections.abc import Callable
from typing import Any

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from preprocessing.document import Document
from tests.preprocessing.files import saved

Load = Callable[..., Document]


def deck() -> Any:
    return pptx.Presentation()


def add(presentation: Any, title: str | None, layout: int = 5) -> Any:
    slide = presentation.slides.add_slide(presentation.slide_layouts[layout if title is not None else 6])
    if title is not None:
        slide.shapes.title.text = title
    return slide


def box(slide: Any, text: str, left: float, top: float) -> None:
    slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.5)).text_frame.text = text


def test_slides_are_pages_under_their_titles(load_bytes: Load) -> None:
    presentation = deck()
    add(presentation, "入职培训")
    body = add(presentation, "年假\v规定", layout=1).placeholders[1].text_frame
    body.text = "满一年五天"
    body.add_paragraph().text = "满十年十天"
    nested = body.add_paragraph()
    nested.text, nested.level = "不含节假日", 1
    presentation.slides[1].notes_slide.notes_text_frame.text = "讲解时举例。"
    document = load_bytes("a.pptx", saved(presentation))
    assert [(block.kind, block.level, block.page, block.text) for block in document.blocks] == [
        ("heading", 1, 1, "入职培训"),
        ("heading", 2, 2, "年假 规定"),
        ("list", 0, 2, "- 满一年五天\n- 满十年十天\n  - 不含节假日"),
        ("paragraph", 0, 2, "讲解时举例。"),
    ]
    assert (document.title, document.doc_type) == ("入职培训", "pptx")


def test_shapes_are_read_row_by_row(load_bytes: Load) -> None:
    slide = add(presentation := deck(), None)
    for text, left, top in [("四", 5, 3), ("三", 1, 3.1), ("二", 5, 1.1), ("一", 1, 1.2)]:
        box(slide, text, left, top)
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(5), Inches(1), Inches(1)).text_frame.text = "五"
    assert [block.text for block in load_bytes("a.pptx", saved(presentation)).blocks] == ["一", "二", "三", "四", "五"]


def test_tables_and_charts(load_bytes: Load) -> None:
    slide = add(presentation := deck(), None)
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    for index, text in enumerate(["部门", "费用", "人事", "1|2", "", "3"]):
        table.cell(index // 2, index % 2).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    data = CategoryChartData()
    data.categories = ["一季度", "二季度"]
    data.add_series("收入", (1.5, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(2), data)
    assert [block.text for block in load_bytes("a.pptx", saved(presentation)).blocks] == [
        "| 部门 | 费用 |\n| --- | --- |\n| 人事 | 1\\|2 |\n| 人事 | 3 |",
        "| | 收入 |\n| --- | --- |\n| 一季度 | 1.5 |\n| 二季度 | 2 |",
    ]


def test_hidden_and_blank_slides_are_told(load_bytes: Load) -> None:
    presentation = deck()
    box(add(presentation, None), "正文", 1, 1)
    add(presentation, None)
    box(hidden := add(presentation, None), "旧价", 1, 1)
    hidden.element.set("show", "0")
    document = load_bytes("a.pptx", saved(presentation))
    assert [block.text for block in document.blocks] == ["正文"]
    assert document.warnings == ("hidden slides left out: 3", "1 of 3 slides without text: 2")
