import pytest

from preprocessing.document import Block, Section
from preprocessing.split import Piece, split


def texts(*blocks: Block, limit: int = 400) -> list[str]:
    return [piece.text for piece in split(Section(("甲",), blocks), limit)]


def paragraph(text: str, page: int | None = None) -> Block:
    return Block("paragraph", text, page=page)


def test_a_piece_knows_its_place() -> None:
    section = Section(("总则", "范围"), (paragraph("适用于全体员工。", page=3),))
    assert split(section) == [Piece("适用于全体员工。", 3, ("总则", "范围"), "paragraph")]


def test_short_paragraphs_share_a_piece_up_to_the_limit() -> None:
    assert texts(paragraph("一二三。"), paragraph("四五六。"), paragraph("七八九。"), limit=10) == [
        "一二三。\n\n四五六。",
        "七八九。",
    ]


def test_a_row_longer_than_a_piece_names_its_columns() -> None:
    table = f"| 编号 | 说明 |\n| --- | --- |\n| A1 | {'长' * 30}。{'短' * 30}。 |"
    assert texts(Block("table", table), limit=50) == [f"编号: A1\n说明: {'长' * 30}。", f"{'短' * 30}。"]


def test_a_caption_goes_with_its_table() -> None:
    table = "| 编号 | 数 |\n| --- | --- |\n| A | 1 |"
    pieces = texts(paragraph("前文" * 10 + "。"), paragraph("表 1：库存"), Block("table", table), limit=60)
    assert pieces == ["前文" * 10 + "。", f"表 1：库存\n\n{table}"]


def test_a_list_keeps_its_lead_in() -> None:
    blocks = (paragraph("概述。" * 5), paragraph("须提交下列材料："), Block("list", "- 身份证\n- 申请表\n- 照片"))
    assert texts(*blocks, limit=30) == ["概述。" * 5, "须提交下列材料：\n\n- 身份证\n- 申请表\n- 照片"]


def test_nested_items_stay_with_their_item() -> None:
    assert texts(Block("list", "- 一\n  - 甲\n- 二\n  - 乙"), limit=9) == ["- 一\n  - 甲", "- 二\n  - 乙"]


@pytest.mark.parametrize("text", ["| | |\n|---|---|", "……", "---"])
def test_debris_gives_no_piece(text: str) -> None:
    assert texts(paragraph(text)) == []
