import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml

from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.load.word.numbering import number_in
from tests.preprocessing.files import blocks, saved

Load = Callable[..., Document]
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def with_part(data: bytes, name: str, kind: str, xml: str) -> bytes:
    """Add a part to the package with its relationship and content type."""
    out = io.BytesIO()
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for item in old.namelist():
            text = old.read(item)
            if item == "word/_rels/document.xml.rels":
                relation = f'<Relationship Id="rIdX" Type="{base}/{kind}" Target="{name}"/></Relationships>'
                text = text.replace(b"</Relationships>", relation.encode())
            if item == "[Content_Types].xml":
                main = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml"
                override = f'<Override PartName="/word/{name}" ContentType="{main}"/></Types>'
                text = text.replace(b"</Types>", override.encode())
            new.writestr(item, text)
        new.writestr(f"word/{name}", xml)
    return out.getvalue()


def written(*elements: str, document: Any = None) -> bytes:
    document = document or docx.Document()
    for element in elements:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(element.replace(">", f" {W}>", 1)))
    return saved(document)


def body(load_bytes: Load, *elements: str, document: Any = None) -> list[tuple[str, str]]:
    return blocks(load_bytes("a.docx", written(*elements, document=document)))


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def test_order_lists_and_accepted_changes(load_bytes: Load) -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "页眉"
    document.sections[0].footer.paragraphs[0].text = "页脚"
    document.add_heading("备件价格", 1)
    document.add_paragraph("表前。")
    table = document.add_table(2, 2)
    for one, text in zip(table._cells, ["编号", "单价", "B-02", "12 元|件"], strict=True):
        one.text = text
    changed = document.add_paragraph("违约金为")
    changed._p.append(parse_xml(f"<w:del {W}><w:r><w:delText>百分之五</w:delText></w:r></w:del>"))
    changed._p.append(parse_xml(f"<w:ins {W}><w:r><w:t>百分之八</w:t></w:r></w:ins>"))
    document.add_paragraph("甲", style="List Bullet")
    document.add_paragraph("乙", style="List Bullet")
    assert blocks(load_bytes("a.docx", saved(document))) == [
        ("heading", "备件价格"),
        ("paragraph", "表前。"),
        ("table", "| 编号 | 单价 |\n| --- | --- |\n| B-02 | 12 元\\|件 |"),
        ("paragraph", "违约金为百分之八"),
        ("list", "- 甲\n- 乙"),
    ]


def run(content: str, properties: str = "") -> str:
    content = content if content.startswith("<") else f"<w:t>{content}</w:t>"
    return f"<w:r><w:rPr>{properties}</w:rPr>{content}</w:r>"


RAISED = "<w:vertAlign w:val='superscript'/>"
RUBY = f"<w:ruby><w:rt>{run('jià')}</w:rt><w:rubyBase>{run('假')}</w:rubyBase></w:ruby>"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (f"<w:moveFrom>{run('旧')}</w:moveFrom><w:moveTo>{run('新')}</w:moveTo>", "新"),
        (run("藏", "<w:vanish/>") + run("见"), "见"),
        (run("见", "<w:vanish w:val='0'/>"), "见"),
        (run("10") + run("6", RAISED), "10^6"),
        (run("<w:sym w:font='Wingdings' w:char='F0FE'/>") + run("同意"), "☑同意"),
        (
            run("<w:instrText>PAGE</w:instrText>") + f"<w:fldSimple w:instr='REF'>{run('第三条')}</w:fldSimple>",
            "第三条",
        ),
        (run("<w:t>甲</w:t><w:tab/><w:t>乙</w:t><w:br/><w:t>丙</w:t>"), "甲\t乙\n丙"),
        (f"<w:sdt><w:sdtContent>{run('受控')}</w:sdtContent></w:sdt>", "受控"),
        (run(RUBY), "假"),
    ],
    ids=["moved", "hidden", "not hidden", "power", "tick", "field", "breaks", "control", "ruby"],
)
def test_text_as_it_is_shown(load_bytes: Load, content: str, text: str) -> None:
    assert body(load_bytes, f"<w:p>{content}</w:p>") == [("paragraph", text)]


def test_a_deleted_paragraph_mark_joins_two(load_bytes: Load) -> None:
    assert body(load_bytes, p("付款期限为", "<w:rPr><w:del/></w:rPr>"), p("15 天。")) == [
        ("paragraph", "付款期限为15 天。")
    ]


def test_a_span_beyond_all_columns_takes_no_memory(load_bytes: Load) -> None:
    row = cell(p("甲"), '<w:gridSpan w:val="300000000"/>') + cell(p("乙"))
    before = '<w:trPr><w:gridBefore w:val="300000000"/></w:trPr>'
    table = f"<w:tbl><w:tr>{row}</w:tr><w:tr>{before}{cell(p('丙'))}</w:tr></w:tbl>"
    assert body(load_bytes, table) == [("table", "| 甲 | 乙 |\n| --- | --- |\n| | 丙 |")]


def test_text_boxes_follow_their_paragraph(load_bytes: Load) -> None:
    box = f"<w:txbxContent>{p('框中一段')}{p('框中二段')}</w:txbxContent>"
    shape = f"<w:p><w:r><w:t>正文</w:t></w:r><w:r><w:pict>{box}</w:pict></w:r></w:p>"
    assert body(load_bytes, shape) == [("paragraph", "正文"), ("paragraph", "框中一段"), ("paragraph", "框中二段")]


def test_a_table_of_contents_is_left_out(load_bytes: Load) -> None:
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    control = f"<w:sdt>{gallery}<w:sdtContent>{p('总则 1')}</w:sdtContent></w:sdt>"
    assert body(load_bytes, control, p("正文。")) == [("paragraph", "正文。")]


def test_tables_with_merged_nested_and_deleted_parts(load_bytes: Load) -> None:
    inner = f"<w:tbl><w:tr>{cell(p('交通'))}{cell(p('1'))}</w:tr><w:tr>{cell(p('住宿'))}{cell(p('2'))}</w:tr></w:tbl>"
    rows = [
        cell(p("部门")) + cell(p("费用")) + cell(p("备注")),
        cell(p("人事"), '<w:vMerge w:val="restart"/>') + cell(inner) + cell(p("一行") + p("二行")),
        cell(p(""), "<w:vMerge/>") + cell(p("共 3"), '<w:gridSpan w:val="2"/>'),
    ]
    deleted = f"<w:tr><w:trPr><w:del/></w:trPr>{cell(p('旧'))}</w:tr>"
    table = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}{deleted}</w:tbl>"
    assert body(load_bytes, table) == [
        (
            "table",
            "| 部门 | 费用 | 备注 |\n| --- | --- | --- |\n| 人事 | 交通, 1; 住宿, 2 | 一行；二行 |\n| 人事 | 共 3 | |",
        )
    ]


def numbered(*levels: tuple[str, str]) -> Any:
    """Make a document whose list 77 has the given formats and texts by depth."""
    document = docx.Document()
    made = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for depth, (form, text) in enumerate(levels)
    )
    numbering = document.part.numbering_part.element
    numbering.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{made}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    return document


def item(text: str, depth: int, more: str = "") -> str:
    return p(text, f'{more}<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="77"/></w:numPr>')


def test_numbers_that_word_counts(load_bytes: Load) -> None:
    document = numbered(
        ("chineseCountingThousand", "第%1章"), ("chineseCountingThousand", "第%2条"), ("decimal", "（%3）")
    )
    heading = '<w:outlineLvl w:val="0"/>'
    assert body(
        load_bytes,
        item("总则", 0, heading), item("适用于员工。", 1), item("甲", 2), item("乙", 2), item("另行规定。", 1),
        item("休假", 0, heading), item("五天。", 1),
        document=document,
    ) == [
        ("heading", "第一章 总则"),
        ("paragraph", "第一条 适用于员工。"),
        ("list", "    （1） 甲\n    （2） 乙"),
        ("paragraph", "第二条 另行规定。"),
        ("heading", "第二章 休假"),
        ("paragraph", "第一条 五天。"),
    ]  # fmt: skip


def test_levels_that_are_skipped_and_articles_that_count_on(load_bytes: Load) -> None:
    document = numbered(("decimal", "%1"), ("decimal", "%1.%2"), ("decimal", "%1.%2.%3"))
    assert body(load_bytes, item("甲", 0), item("乙", 2), item("丙", 1), item("丁", 2), document=document) == [
        ("list", "1 甲\n    1.1.1 乙\n  1.2 丙\n    1.2.1 丁")
    ]
    document = numbered(("chineseCounting", "第%1章"), ("chineseCounting", "第%2条"), ("decimal", "%1.%3"))
    level = document.part.numbering_part.element.findall(f".//{{{W[9:-1]}}}lvl")
    level[1].append(parse_xml(f'<w:lvlRestart {W} w:val="0"/>'))
    level[2].append(parse_xml(f"<w:isLgl {W}/>"))
    heading = '<w:outlineLvl w:val="0"/>'
    assert body(
        load_bytes,
        item("总则", 0, heading), item("适用。", 1), item("另定。", 1), item("休假", 0, heading), item("五天。", 1),
        item("附表", 2, heading),
        document=document,
    ) == [
        ("heading", "第一章 总则"), ("paragraph", "第一条 适用。"), ("paragraph", "第二条 另定。"),
        ("heading", "第二章 休假"), ("paragraph", "第三条 五天。"), ("heading", "2.1 附表"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (4, "upperRoman", "IV"),
        (1994, "lowerRoman", "mcmxciv"),
        (28, "upperLetter", "BB"),
        (3, "decimalEnclosedCircle", "③"),
        (10, "chineseCounting", "十"),
        (105, "chineseCountingThousand", "一百零五"),
        (110, "chineseCountingThousand", "一百一十"),
        (5, "somethingNew", "5"),
        (1_000_000_000, "upperRoman", "1000000000"),
        (0, "lowerLetter", "0"),
    ],
)
def test_number_forms(number: int, form: str, text: str) -> None:
    assert number_in(number, form) == text


def test_notes_stand_below_what_they_note(load_bytes: Load) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("限额五千元")
    paragraph._p.append(parse_xml(f'<w:r {W}><w:footnoteReference w:id="2"/></w:r>'))
    document.add_paragraph("下一段。")
    notes = (
        f'<w:footnotes {W}><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote>'
        f'<w:footnote w:id="2">{p("不含税。")}</w:footnote></w:footnotes>'
    )
    data = with_part(saved(document), "footnotes.xml", "footnotes", notes)
    assert blocks(load_bytes("a.docx", data)) == [
        ("paragraph", "限额五千元[^2]"),
        ("paragraph", "[^2]: 不含税。"),
        ("paragraph", "下一段。"),
    ]


def bold(text: str, size: int = 21, more: str = "") -> str:
    return f"<w:p>{run(text, f'<w:b/><w:sz w:val={chr(34)}{size}{chr(34)}/>')}{more}</w:p>"


def levels(document: Document) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in document.blocks]


def test_short_bold_paragraphs_are_headings_where_no_style_says_so(load_bytes: Load) -> None:
    data = written(
        bold("差旅管理办法"), bold("总则"), p("适用于全体员工。"),
        bold("住宿", 28), p("每晚 500 元。"), bold("注意：发票须在 30 天内提交。"), bold("一线", 24),
        p("每晚 800 元。"),
        bold("联系人：张三"), p("分机 8001。"), bold("人事部"),
    )  # fmt: skip
    document = load_bytes("a.docx", data)
    assert document.title == "差旅管理办法"
    assert levels(document) == [
        (1, "差旅管理办法"), (4, "总则"), (0, "适用于全体员工。"),
        (2, "住宿"), (0, "每晚 500 元。"), (0, "注意：发票须在 30 天内提交。"), (3, "一线"), (0, "每晚 800 元。"),
        (0, "联系人：张三"), (0, "分机 8001。"), (0, "人事部"),
    ]  # fmt: skip


def test_bold_says_nothing_beside_heading_styles_or_where_most_is_bold(load_bytes: Load) -> None:
    styled = p("总则", '<w:pStyle w:val="Heading1"/>')
    assert levels(load_bytes("a.docx", written(styled, bold("住宿"), p("每晚 500 元。"), styled))) == [
        (1, "总则"), (0, "住宿"), (0, "每晚 500 元。"), (1, "总则"),
    ]  # fmt: skip
    assert {level for level, _ in levels(load_bytes("b.docx", written(bold("甲"), bold("乙"), p("丙。"))))} == {0}
    partly = bold("住宿", more=run("每晚 500 元"))
    assert levels(load_bytes("c.docx", written(partly, p("每晚。"), p("再。")))) == [
        (0, "住宿每晚 500 元"), (0, "每晚。"), (0, "再。"),
    ]  # fmt: skip


def test_bold_headings_stand_below_numbered_ones_and_a_title_that_has_a_style(load_bytes: Load) -> None:
    title = p("差旅办法", '<w:pStyle w:val="Title"/>')
    document = load_bytes("b.docx", written(title, bold("住宿"), p("每晚 500 元。"), p("凭票报销。")))
    assert levels(document) == [(1, "差旅办法"), (2, "住宿"), (0, "每晚 500 元。"), (0, "凭票报销。")]
    data = written(
        bold("差旅办法", 36), p("本办法自发布之日起施行。"), p("第一章 总则"), p("适用于全体员工。"),
        bold("住宿"), p("每晚 500 元。"), p("第二章 附则"), p("由人事部解释。"),
    )  # fmt: skip
    assert [block for block in levels(load_bytes("a.docx", data)) if block[0]] == [
        (1, "差旅办法"), (3, "第一章 总则"), (5, "住宿"), (3, "第二章 附则"),
    ]  # fmt: skip


def test_a_document_without_a_paragraph_has_no_text(load_bytes: Load) -> None:
    with pytest.raises(LoadError, match="no text in the file"):
        load_bytes("a.docx", saved(docx.Document()))
