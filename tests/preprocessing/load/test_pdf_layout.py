import io
from collections.abc import Callable
from typing import Any

import pytest
from fpdf import FPDF
from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject

from preprocessing.document import Document
from preprocessing.load.pdf import ocr
from preprocessing.sections import sections
from preprocessing.split import split
from tests.preprocessing import files

Load = Callable[..., Document]
BODY = "The pump must be checked each morning before it is started by the person on duty."


def paper() -> Any:
    made = FPDF(unit="pt", format=(600, 800))
    made.set_auto_page_break(False)
    made.add_page()
    made.set_font("Helvetica", size=10)
    return made


def saved(made: Any) -> bytes:
    return bytes(made.output())


def blocks(document: Document) -> list[tuple[str, int | None, str]]:
    return [(block.kind, block.page, block.text) for block in document.blocks]


def test_columns_that_are_written_row_by_row_are_read_one_after_the_other(load_bytes: Load) -> None:
    made = paper()
    made.text(60, 50, "A title over both columns of the page, which is longer than one of them is wide, for sure")
    left = [f"left line {number} says something about the pump in the cellar" for number in range(10)]
    right = [f"right line {number} tells of the valve that is on the roof top" for number in range(10)]
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        made.text(60, 80 + 12 * number, one)
        made.text(320, 80 + 12 * number, other)
    text = " ".join(block.text for block in load_bytes("a.pdf", saved(made)).blocks)
    places = [text.index(line[:12]) for line in ["A title over", *left, *right]]
    assert places == sorted(places)


def test_cells_without_rules_stay_in_their_row(load_bytes: Load) -> None:
    made = paper()
    for number in range(10):
        made.text(60, 80 + 14 * number, f"Bolt {number}")
        made.text(300, 80 + 14 * number, f"{number}5 yuan")
    lines = [line for block in load_bytes("a.pdf", saved(made)).blocks for line in block.text.split("\n")]
    assert lines == [f"Bolt {number} {number}5 yuan" for number in range(10)]


def test_text_is_read_where_it_stands_and_not_when_it_was_written(load_bytes: Load) -> None:
    made = paper()
    for number in range(4):
        made.text(60, 132 + 12 * number, BODY)
    made.text(60, 100, "Right:")
    made.text(60, 116, "Wrong:")
    made.text(91, 100, "close the valve first.")
    made.text(95, 116, "open the valve first.")
    assert [block.text for block in load_bytes("a.pdf", saved(made)).blocks][:2] == [
        "Right: close the valve first.",
        "Wrong: open the valve first.",
    ]


def ruled(made: Any, top: float, rows: list[list[str]], widths: tuple[int, ...] = (80, 120, 60)) -> None:
    for number, row in enumerate(rows):
        x = 60.0
        for width, text in zip(widths, row, strict=True):
            made.rect(x, top + 20 * number, width, 20)
            made.text(x + 4, top + 20 * number + 14, text)
            x += width


def test_ruled_tables_say_their_header_on_each_page(load_bytes: Load) -> None:
    made = paper()
    made.text(60, 60, BODY)
    ruled(made, 700, [["Code", "Meaning", "Note"], ["A0426", "too many items", ""]])
    made.add_page()
    ruled(made, 60, [["A0427", "JSON not parsed", "retry"], ["A0430", "illegal content", ""]])
    made.text(60, 140, BODY)
    head = "| Code | Meaning | Note |\n| --- | --- | --- |\n"
    assert blocks(load_bytes("a.pdf", saved(made))) == [
        ("paragraph", 1, BODY),
        ("table", 1, f"{head}| A0426 | too many items | |"),
        ("table", 2, f"{head}| A0427 | JSON not parsed | retry |\n| A0430 | illegal content | |"),
        ("paragraph", 2, BODY),
    ]


def test_a_drawing_is_no_table(load_bytes: Load) -> None:
    made = paper()
    for number in range(4000):
        made.line(60 + number % 97, 60 + number % 89, 300, 300 + number / 50)
    for text, x, y in [("North", 80, 100), ("South", 200, 100), ("East", 80, 200), ("West", 200, 200)]:
        made.text(x, y, text)
    assert {block.kind for block in load_bytes("a.pdf", saved(made)).blocks} == {"paragraph"}


def test_merged_and_broken_cells_of_ruled_tables(load_bytes: Load) -> None:
    made = paper()
    for x, y, width, height, *lines in [
        (60, 60, 80, 20, "Team"),
        (140, 60, 120, 20, "Cost"),
        (60, 80, 80, 60, "Sales"),
        (140, 80, 120, 40, "travel and", "hotels 3"),
        (140, 120, 120, 20, "meals 4"),
    ]:
        made.rect(x, y, width, height)
        for number, text in enumerate(lines):
            made.text(x + 4, y + 14 + 16 * number, text)
    (block,) = load_bytes("a.pdf", saved(made)).blocks
    assert block.text == "| Team | Cost |\n| --- | --- |\n| Sales | travel and hotels 3 |\n| Sales | meals 4 |"


def with_form(data: bytes, *fields: dict[str, Any]) -> bytes:
    """Add form fields to the first page; a field has the names of its entries without the slash."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    for field in fields:
        entries = {NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject("/Widget")}
        for key, value in field.items():
            entries[NameObject(f"/{key}")] = (
                ArrayObject([FloatObject(number) if isinstance(number, float) else TextStringObject(number)
                             for number in value])
                if isinstance(value, list)
                else NumberObject(value)
                if isinstance(value, int)
                else NameObject(value)
                if value.startswith("/")
                else TextStringObject(value)
            )  # fmt: skip
        writer.add_annotation(0, DictionaryObject(entries))
    return files.saved(writer)


def at(left: float, top: float, right: float) -> list[float]:
    """Return the place of a field beside a line that stands `top` points below the upper edge."""
    return [left, 800.0 - top - 3, right, 800.0 - top + 10]


def test_what_is_filled_into_a_form_stands_with_its_label(load_bytes: Load) -> None:
    made = paper()
    for number in range(4):
        made.text(60, 600 + 12 * number, BODY)
    made.text(60, 60, "First name")
    made.text(300, 60, "Deposit")
    made.text(80, 90, "Lent")
    made.text(180, 90, "Sold")
    made.text(60, 120, "Password")
    form = with_form(
        saved(made),
        {"FT": "/Tx", "T": "f1[0]", "V": "Alice\nMeyer", "Rect": at(120.0, 60, 250.0)},
        {"FT": "/Ch", "T": "a", "V": ["50 yuan", "cash"], "Rect": at(350.0, 60, 450.0)},
        {"FT": "/Btn", "T": "b", "AS": "/Yes", "Rect": at(60.0, 90, 72.0)},
        {"FT": "/Btn", "T": "c", "AS": "/Off", "Rect": at(160.0, 90, 172.0)},
        {"FT": "/Btn", "T": "d", "Ff": 1 << 16, "V": "Send", "Rect": at(400.0, 90, 450.0)},
        {"FT": "/Tx", "T": "e", "Ff": 1 << 13, "V": "secret", "Rect": at(150.0, 120, 250.0)},
        {"FT": "/Tx", "T": "g", "TU": "Remarks", "V": "lost on 3 May", "Rect": at(60.0, 300, 250.0)},
        {"FT": "/Tx", "T": "Text3", "V": "no name", "Rect": at(60.0, 330, 250.0)},
        {"FT": "/Tx", "T": "h", "V": "", "Rect": at(60.0, 360, 250.0)},
        {"FT": "/Tx", "T": "i", "V": "damaged"},
    )
    lines = [line for block in load_bytes("a.pdf", form).blocks for line in block.text.split("\n")]
    assert lines[:5] == [
        "First name Alice Meyer Deposit 50 yuan, cash", "☑ Lent ☐ Sold", "Password",
        "Remarks: lost on 3 May", "no name",
    ]  # fmt: skip


def test_headings_by_size_and_weight(load_bytes: Load) -> None:
    made = paper()
    for y, size, style, text in [
        (60, 20, "", "Pump manual"),
        (100, 14, "B", "Start"),
        *[(120 + 14 * line, 10, "", BODY) for line in range(5)],
        (200, 10, "B", "By hand"),
        *[(220 + 14 * line, 10, "", BODY) for line in range(5)],
        (300, 14, "B", "Stop"),
        *[(320 + 14 * line, 10, "", BODY) for line in range(5)],
    ]:
        made.set_font("Helvetica", style=style, size=size)
        made.text(60, y, text)
    found = sections(load_bytes("a.pdf", saved(made)).blocks)
    assert [section.path for section in found] == [("Start",), ("Start", "By hand"), ("Stop",)]


@pytest.mark.parametrize(("angle", "size", "mark"), [(45, 40, "CONFIDENTIAL"), (0, 60, "Property ACME")])
def test_watermarks_are_left_out(load_bytes: Load, angle: float, size: float, mark: str) -> None:
    made = FPDF(unit="pt", format=(600, 800))
    for number in range(3):
        made.add_page()
        made.set_font("Helvetica", size=10)
        for line in range(6):
            made.text(60, 100 + 14 * line, f"Rule {number}.{line} of the pump.")
        made.set_font("Helvetica", size=size)
        with made.rotation(angle, 300, 400):
            made.text(60, 400, mark)
        made.set_font("Helvetica", size=10)
        for line in range(6):
            made.text(60, 600 + 14 * line, f"More {number}.{line} of the valve.")
    text = "\n".join(block.text for block in load_bytes("a.pdf", saved(made)).blocks)
    assert not any(word in text for word in mark.split())
    assert all(f"Rule {number}.{line}" in text for number in range(3) for line in range(6))


def test_page_numbers_that_the_file_names_are_left_out(load_bytes: Load) -> None:
    made = paper()
    for label in ("A-1", "A-2"):
        if label != "A-1":
            made.add_page()
        made.text(60, 60, f"{BODY} It has part {label}.")
        made.text(290, 780, label)
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(saved(made))))
    writer.set_page_label(0, 1, style=PageLabelStyle.DECIMAL, prefix="A-")
    assert [block.text for block in load_bytes("a.pdf", files.saved(writer)).blocks] == [
        f"{BODY} It has part A-1.",
        f"{BODY} It has part A-2.",
    ]


def test_each_piece_names_the_page_that_holds_it(load_bytes: Load) -> None:
    made = paper()
    first = [f"First page sentence {number} ends here." for number in range(3)]
    second = [f"Second page sentence {number} ends here." for number in range(3)]
    made.text(60, 740, " ".join(first))
    made.text(60, 754, "The last sentence of this page is broken off in the middle since the paper ends and")
    made.add_page()
    made.text(60, 60, "goes on above. " + " ".join(second))
    (section,) = sections(load_bytes("a.pdf", saved(made)).blocks)
    found = [(piece.page, piece.page_end, piece.text) for piece in split(section, 400)]
    assert [(page, end, text[:5], text[-9:]) for page, end, text in found] == [
        (1, 2, "First", "on above."),
        (2, None, "Secon", "nds here."),
    ]


@pytest.mark.parametrize(
    ("read", "late"),
    [
        ({2: ["Deposit is 50 yuan."], 3: []}, ()),
        ({2: ["Deposit is 50 yuan."]}, ("OCR was stopped after 1800 seconds, before pages 3; split the file",)),
    ],
)
def test_scanned_pages_are_read_where_ocr_is_installed(
    load_bytes: Load, monkeypatch: pytest.MonkeyPatch, read: dict[int, list[str]], late: tuple[str, ...]
) -> None:
    made = paper()
    made.text(60, 60, "Cover 2024-17.")
    for _ in range(2):
        made.add_page()
    asked: list[list[int]] = []
    monkeypatch.setattr(ocr, "is_available", lambda: True)
    monkeypatch.setattr(ocr, "read_scanned", lambda *request: (asked.append(request[2]), read)[1])
    document = load_bytes("a.pdf", saved(made))
    assert asked == [[2, 3]]
    assert blocks(document) == [("paragraph", 1, "Cover 2024-17."), ("paragraph", 2, "Deposit is 50 yuan.")]
    assert document.warnings == ("1 of 3 pages read by OCR: 2", *late, "1 of 3 pages without text: 3")


def test_recognised_words_on_one_height_are_a_line() -> None:
    def box(x: float, y: float) -> list[list[float]]:
        return [[x, y], [x + 50, y], [x + 50, y + 20], [x, y + 20]]

    assert ocr.lines_of([(box(0, 42), "三"), (box(100, 3), "二"), (box(0, 0), "一")]) == ["一 二", "三"]


def test_pages_are_really_read_by_the_model(load_bytes: Load) -> None:
    if not ocr.is_available():
        pytest.skip("needs the extra folio[ocr]")
    import pypdfium2

    made = paper()
    made.set_font("Helvetica", size=24)
    made.text(60, 100, "Deposit is 50 yuan")
    picture = pypdfium2.PdfDocument(saved(made))[0].render(scale=2).to_pil()
    scanned = paper()
    scanned.image(picture, 0, 0, 600)
    assert "Deposit is 50 yuan" in load_bytes("a.pdf", saved(scanned)).blocks[0].text
