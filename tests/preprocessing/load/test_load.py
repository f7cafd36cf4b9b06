import io
from collections.abc import Callable

import pytest
from fpdf import FPDF
from pypdf import PdfReader, PdfWriter

from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.load.encoding import is_garbled
from preprocessing.load.pdf import ocr
from tests.preprocessing.files import pdf, saved

Load = Callable[..., Document]


def encrypted(text: str, user: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(text))))
    writer.encrypt(user, owner_password="o", algorithm="AES-256")
    return saved(writer)


HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def raw_pdf(content: str, font: str = HELVETICA) -> bytes:
    """Make a page whose content stream is given, in Helvetica without widths unless another font is."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
        f"/Resources << /Font << /F1 {font} >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    body = "%PDF-1.4\n" + "".join(f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"{body}trailer\n<< /Root 1 0 R /Size 5 >>\nstartxref\n0\n%%EOF".encode("ascii")


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def test_markdown_with_front_matter(load_bytes: Load) -> None:
    head = "---\ntitle: 休假制度\nversion: 3\nupdated_at: 2024-03-05\ndepartment: 人事\n---\n# 标题\n\n五天。\n"
    document = load_bytes("a_V2.md", head.encode(), metadata={"department": "财务", "visible_to": ("hr",)})
    assert (document.title, document.version, document.updated_at) == ("休假制度", "3", "2024-03-05")
    assert document.metadata == {"department": "财务", "visible_to": ("hr",), "encoding": "utf-8"}
    assert (document.source, document.doc_type, texts(document)) == ("kb/a_V2.md", "md", ["标题", "五天。"])


def test_markdown_blocks(load_bytes: Load) -> None:
    text = (
        "前言\n\n编号 | 说明\n---|---\nA | 一 \\| 二\n\n- 甲\n    - 乙\n\n```\n# 注释\n```\n\n    x = 1\n\n"
        "<ul><li>丙</li></ul>\n\n<!-- 不看 -->\n\n***\n\n[链接]: https://example.invalid\n"
    )
    assert [(block.kind, block.text) for block in load_bytes("a.md", text.encode()).blocks] == [
        ("paragraph", "前言"),
        ("table", "| 编号 | 说明 |\n| ---|--- |\n| A | 一 \\| 二 |"),
        ("list", "- 甲\n    - 乙"),
        ("code", "```\n# 注释\n```"),
        ("code", "```\nx = 1\n```"),
        ("list", "- 丙"),
        ("paragraph", "[链接]: https://example.invalid"),
    ]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "kb/a.txt: file is empty"),
        ("a.md", b"---\n\n***\n", "kb/a.md: no text in the file"),
        (
            "a.exe",
            b"MZ",
            r"not supported; supported are \.csv, \.docx, \.htm, \.html, \.md, \.pdf, \.pptx, \.txt, \.xlsx",
        ),
        ("a.pdf", b"%PDF-1.4\n1 0 obj\n<<", "broken PDF"),
    ],
)
def test_files_that_cannot_be_read(load_bytes: Load, name: str, data: bytes, message: str) -> None:
    with pytest.raises(LoadError, match=message) as caught:
        load_bytes(name, data)
    assert "\n" not in str(caught.value)


def test_pdf_without_running_lines_and_with_joined_sentences(load_bytes: Load) -> None:
    start = "Check the inlet valve. The pump must never run"
    bodies = [
        "Section 1. Pump start\n" + start,
        "dry for more than 20 seconds, or the seal burns.\nIt is self-\nsealing and cooper-\nates.",
        "Alarm 17 means low oil.",
        "Use oil grade VG46.",
    ]
    pages = [f"Manual v3.2 | Chapter {n}\n{body}\nPage {n} of 4" for n, body in enumerate(bodies, 1)]
    blocks = load_bytes("a.pdf", pdf(*pages)).blocks
    assert [(block.kind, block.page, block.text) for block in blocks] == [
        ("heading", 1, "Section 1. Pump start"),
        (
            "paragraph",
            1,
            f"{start} dry for more than 20 seconds, or the seal burns. It is self-sealing and cooperates.",
        ),
        ("paragraph", 3, "Alarm 17 means low oil."),
        ("paragraph", 4, "Use oil grade VG46."),
    ]


def test_pages_that_all_say_the_same_say_it(load_bytes: Load) -> None:
    assert texts(load_bytes("a.pdf", pdf(*["The limit is 13 bar."] * 4))) == ["The limit is 13 bar."] * 4


def test_pages_without_text(load_bytes: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "is_available", lambda: False)
    document = load_bytes("a.pdf", pdf("Cover 2024-17.", "", "", "Term is 36 months."))
    hint = "to read scanned pages: pip install 'folio[ocr]'"
    assert document.warnings == (f"2 of 4 pages without text: 2, 3; {hint}",)
    assert [block.page for block in document.blocks] == [1, 4]
    with pytest.raises(
        LoadError, match="no text on any of its 3 pages; it looks scanned; to read scanned pages: pip install"
    ):
        load_bytes("b.pdf", pdf("", "", ""))


def test_encrypted_pdfs(load_bytes: Load) -> None:
    owner_only, locked = (encrypted("Deposit is 50 yuan.", user) for user in ("", "u"))
    assert texts(load_bytes("a.pdf", owner_only)) == ["Deposit is 50 yuan."]
    assert texts(load_bytes("b.pdf", locked, password="u")) == ["Deposit is 50 yuan."]
    with pytest.raises(LoadError, match="password required"):
        load_bytes("b.pdf", locked)
    with pytest.raises(LoadError, match="the password is wrong"):
        load_bytes("b.pdf", locked, password="x")


def test_words_set_closer_than_half_a_space_are_parted(load_bytes: Load) -> None:
    words = ["Isolate", "the", "leaking", "segment", "within", "15", "minutes", "and", "call", "extension", "8001"]
    measure = FPDF(unit="pt")
    measure.set_font("Helvetica", size=12)
    shown, x = [], 72.0
    for text in words:
        shown.append(f"1 0 0 1 {x:.2f} 700 Tm ({text}) Tj")
        x += measure.get_string_width(text) + 1  # a space would be 3.3 points wide
    assert texts(load_bytes("a.pdf", raw_pdf(f"BT /F1 12 Tf {' '.join(shown)} ET"))) == [" ".join(words)]


@pytest.mark.parametrize(("cmap", "encoding"), [("GBK2K-H", "gb18030"), ("UniGB-UTF16-H", "utf-16-be")])
def test_chinese_by_a_predefined_character_map(load_bytes: Load, cmap: str, encoding: str) -> None:
    cid = (
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> >>"
    )
    font = f"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /{cmap} /DescendantFonts [{cid}] >>"
    shown = "会议纪要：罚款上限为五千元".encode(encoding).hex()
    document = load_bytes("a.pdf", raw_pdf(f"BT /F1 12 Tf 72 700 Td <{shown}> Tj ET", font))
    assert [(block.page, block.text) for block in document.blocks] == [(1, "会议纪要：罚款上限为五千元")]


@pytest.mark.parametrize(
    ("with_ocr", "message"),
    [
        (False, r"text on 1 of 1 pages \(1\) is garbled \(fonts without a character map\); to read scanned pages: pip"),
        (True, r"no text that can be read \(fonts without a character map\) on any of its 1 pages; OCR finds none"),
    ],
)
def test_glyphs_without_characters_are_not_indexed(
    load_bytes: Load, monkeypatch: pytest.MonkeyPatch, with_ocr: bool, message: str
) -> None:
    names = " ".join(f"/G{number:02X}" for number in range(0x41, 0x5B))
    encoding = f"<< /Type /Encoding /Differences [65 {names}] >>"
    font = f"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Own /Encoding {encoding} >>"
    monkeypatch.setattr(ocr, "is_available", lambda: with_ocr)
    monkeypatch.setattr(ocr, "read_scanned", lambda _data, _password, pages: {page: [] for page in pages})
    with pytest.raises(LoadError, match=message):
        load_bytes("a.pdf", raw_pdf("BT /F1 12 Tf 72 700 Td (DEPOSITISFIFTYYUAN) Tj ET", font))


LIMIT = raw_pdf("BT /F1 12 Tf 72 700 Td (Limit is 12 bar.) Tj ET")


@pytest.mark.parametrize("start", [0, 17, 999_999, LIMIT.index(b"trailer")])
def test_a_wrong_place_of_the_index_is_recovered(load_bytes: Load, start: int) -> None:
    data = LIMIT.replace(b"startxref\n0", f"startxref\n{start}".encode())
    assert texts(load_bytes("a.pdf", data)) == ["Limit is 12 bar."]


@pytest.mark.parametrize(
    ("text", "garbled"),
    [
        ("/G21/G22/G23/G24/G25/G26/G2A/G2B/G2C/G2D/G2E", True),
        ("(cid:12)(cid:13)(cid:14)(cid:15)(cid:16)(cid:17)", True),
        ("\ue001\ue002\ue003\ue004\ue005 only a few words", True),
        ("Θݱఆ၊ɹԘமޙཀ" * 3, True),
        ("设备 α、β 与 λ 的限值为 5 Ω，Ångström 与 кВт 亦同。", False),
        ("See /etc/hosts and /usr/bin/env for the paths.", False),
        ("短", False),
    ],
)
def test_garbled_text(text: str, garbled: bool) -> None:
    assert is_garbled(text) is garbled
