import io
import zipfile
from collections.abc import Callable

import pytest

from preprocessing.document import Document
from preprocessing.errors import LoadError
from tests.preprocessing.files import pdf, word

Load = Callable[..., Document]
HTML = "<!-- 导出 --><!DOCTYPE html><html><body><table><tr><th>编号<th>价<tr><td>A<td>1</table></body></html>".encode()
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 64


def package(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name in names:
            made.writestr(zipfile.ZipInfo(name), "x")  # a fixed date: the bytes are part of a test's name
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "doc_type", "text"),
    [
        ("a.doc", word(), "docx", "年假五天。"),
        ("a.txt", pdf("Five days."), "pdf", "Five days."),
        ("a.xls", HTML, "html", "| 编号 | 价 |\n| --- | --- |\n| A | 1 |"),
        ("a.md", HTML, "html", "| 编号 | 价 |\n| --- | --- |\n| A | 1 |"),
        ("a.csv", HTML.decode().encode("utf-16"), "html", "| 编号 | 价 |\n| --- | --- |\n| A | 1 |"),
        ("a.xls", "编号\t价\nA\t1".encode("gbk"), "csv", "| 编号 | 价 |\n| --- | --- |\n| A | 1 |"),
        ("a.html", "只是文字，3 < 5。".encode(), "txt", "只是文字，3 < 5。"),
    ],
)
def test_the_content_decides(load_bytes: Load, name: str, data: bytes, doc_type: str, text: str) -> None:
    document = load_bytes(name, data)
    assert (document.doc_type, [block.text for block in document.blocks]) == (doc_type, [text])
    assert document.warnings[0].startswith(f"named .{name.split('.')[1]}, but the content is ")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.pdf", b"<html><body>404</body></html>", "not a PDF file but an HTML page; save or download"),
        ("a.docx", b"hello", "not a Word file; save or download it again as .docx"),
        ("a.doc", OLE + "WordDocument".encode("utf-16-le"), "old Word format (.doc); open it in Word and save"),
        ("a.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"), "password required; open it in Office"),
        ("a.xls", OLE + "Workbook".encode("utf-16-le"), "old Excel format (.xls)"),
        ("a.ppt", OLE, "old Office format"),
        ("a.docx", package("word/document.xml")[:40], "broken or cut short"),
        ("a.docx", package("readme.txt"), "a ZIP archive, not a document"),
        ("a.docx", package("mimetype", "content.xml"), "an OpenDocument or EPUB file"),
        ("a.xlsx", package("xl/workbook.bin"), "a binary workbook (.xlsb); save it as .xlsx"),
        ("a.pdf", b"\x89PNG\r\n\x1a\n", "a picture (PNG)"),
        ("a.txt", b"{\\rtf1\\ansi hello}", "an RTF file; open it in Word"),
        ("a.doc", b"MIME-Version: 1.0\nContent-Type: multipart/related", "a web archive (MHTML)"),
    ],
)  # fmt: skip
def test_content_that_nothing_reads_is_told_in_one_line(load_bytes: Load, name: str, data: bytes, message: str) -> None:
    with pytest.raises(LoadError) as caught:
        load_bytes(name, data)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"kb/{name}: ")
    assert "\n" not in str(caught.value)
