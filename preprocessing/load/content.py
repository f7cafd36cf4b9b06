"""Which format a file has: its content decides, its suffix only where the content fits several."""

import io
import re
import zipfile
from typing import Any

from preprocessing.errors import LoadError

NAMES = {
    ".csv": "CSV",
    ".docx": "Word",
    ".html": "HTML",
    ".md": "Markdown",
    ".pdf": "PDF",
    ".pptx": "PowerPoint",
    ".txt": "plain text",
    ".xlsx": "Excel",
}
OLD_SUFFIXES = frozenset({".doc", ".xls", ".ppt", ".rtf"})
"""Suffixes of formats that nothing here reads, under which files of newer formats are often found."""
_SAME = {".htm": ".html"}
_TEXT = frozenset({".md", ".txt", ".csv"})
_HEAD = 4096
_PDF_HEADER_WITHIN = 1024
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_PACKAGES = {"word/": ".docx", "ppt/": ".pptx", "xl/": ".xlsx"}
_NOT_READ = (
    (b"\x89PNG", "a picture (PNG); put it in a PDF and run OCR"),
    (b"\xff\xd8\xff", "a picture (JPEG); put it in a PDF and run OCR"),
    (b"GIF8", "a picture (GIF); put it in a PDF and run OCR"),
    (b"II*\0", "a picture (TIFF); save it as PDF and run OCR"),
    (b"MM\0*", "a picture (TIFF); save it as PDF and run OCR"),
    (b"{\\rtf", "an RTF file; open it in Word and save it as .docx"),
    (b"Rar!", "a RAR archive; unpack it"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it"),
    (b"\x1f\x8b", "a gzip archive; unpack it"),
    (b"MZ\x90\0", "a program"),
    (b"\x7fELF", "a program"),
)
_OLE = b"\xd0\xcf\x11\xe0"
_OLE_STREAMS = (
    ("EncryptedPackage", "password required; open it in Office and save it without a password"),
    ("WordDocument", "old Word format (.doc); open it in Word and save it as .docx"),
    ("Workbook", "old Excel format (.xls); open it in Excel and save it as .xlsx"),
    ("PowerPoint Document", "old PowerPoint format (.ppt); open it in PowerPoint and save it as .pptx"),
)
MAX_UNPACKED_BYTES = 300 * 1024 * 1024
MAX_RATIO = 100
"""Unpacked over packed size of one part; text packs at most about 20 to 1."""
_RATIO_MATTERS_BYTES = 10 * 1024 * 1024


def format_of(data: bytes, suffix: str) -> str:
    """Return the suffix of the format that the content has.

    Raises LoadError, without a file name, for content that cannot be read, and for text or HTML under the suffix of a
    paged format, which is mostly the error page of a download.
    """
    suffix = _SAME.get(suffix, suffix)
    if data.startswith(b"PK\x03\x04"):
        return _package(data)
    if b"%PDF-" in data[: _PDF_HEADER_WITHIN if suffix == ".pdf" else 16]:
        return ".pdf"
    if data.startswith(_OLE):
        marked = (reason for name, reason in _OLE_STREAMS if name.encode("utf-16-le") in data)
        raise LoadError(next(marked, "old Office format; save it as .docx, .xlsx or .pptx"))
    for magic, what in _NOT_READ:
        if data.startswith(magic):
            raise LoadError(f"the content is {what}")
    return _text_format(data, suffix)


def difference(suffix: str, content: str) -> str | None:
    """Return what to tell a person when a file's suffix and its content differ."""
    if _SAME.get(suffix, suffix) == content:
        return None
    return f"named {suffix}, but the content is {NAMES[content]} and was read as such"


def _text_format(data: bytes, suffix: str) -> str:
    head = data[:_HEAD].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe").decode("latin-1")
    is_html = _HTML.match(head) is not None
    if suffix in (".pdf", ".docx", ".pptx"):
        what = " but an HTML page" if is_html else ""
        raise LoadError(f"not a {NAMES[suffix]} file{what}; save or download it again as {suffix}")
    if head.lstrip().startswith("MIME-Version:"):
        raise LoadError("a web archive (MHTML); save it as .html or .docx")
    if "urn:schemas-microsoft-com:office:spreadsheet" in head or "schemas.microsoft.com/office/word/2003" in head:
        raise LoadError("Office XML of 2003; open it in Office and save it as .xlsx or .docx")
    if is_html:
        return ".html"
    if suffix == ".html":
        return ".html" if _TAG.search(data.decode("latin-1")) else ".txt"
    if suffix in (".xls", ".xlsx"):
        return ".csv"  # what web systems export as a workbook
    return suffix if suffix in _TEXT else ".txt"


def _package(data: bytes) -> str:
    names = [part.filename for part in _parts(data)]
    if "xl/workbook.bin" in names:
        raise LoadError("a binary workbook (.xlsb); save it as .xlsx")
    for prefix, suffix in _PACKAGES.items():
        if any(name.startswith(prefix) for name in names):
            return suffix
    if "mimetype" in names:
        raise LoadError("an OpenDocument or EPUB file; save it as .docx, .xlsx, .pptx or .pdf")
    raise LoadError("a ZIP archive, not a document; unpack it")


def check_package(data: bytes, max_unpacked_bytes: int | None = None) -> None:
    """Raise LoadError, before anything is unpacked, for a package that is broken or too large inside."""
    parts = _parts(data)
    unpacked, most = sum(part.file_size for part in parts), max_unpacked_bytes or MAX_UNPACKED_BYTES
    if unpacked > most:
        raise LoadError(f"unpacks to {unpacked >> 20} MB, the limit is {most >> 20} MB; split it")
    for part in parts:
        ratio = part.file_size / max(part.compress_size, 1)
        if part.file_size > _RATIO_MATTERS_BYTES and ratio > MAX_RATIO:
            raise LoadError(f"part {part.filename} unpacks {ratio:.0f} to 1, the limit is {MAX_RATIO} to 1")


def _parts(data: bytes) -> list[zipfile.ZipInfo]:
    try:
        return zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise LoadError("broken or cut short (the ZIP package inside cannot be read); get the file again") from error


def modified_at(properties: Any, relations: Any) -> str | None:
    """Return when the author last saved the file, ISO 8601.

    `relations` are those of the package: without properties among them the reader makes some up, dated today.
    """
    if not any(str(relation.reltype).endswith("/core-properties") for relation in relations):
        return None
    return properties.modified.isoformat() if properties.modified else None
