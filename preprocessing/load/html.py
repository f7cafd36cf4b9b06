"""HTML: the article as blocks, without what surrounds it on the page."""

import datetime
import re
from typing import Any

from preprocessing.encoding import Decoded, decode_clean
from preprocessing.errors import LoadError
from preprocessing.load.html_article import article_of
from preprocessing.load.html_blocks import html_blocks
from preprocessing.load.parsed import Parsed
from preprocessing.metadata import first_heading

_CHARSET = re.compile(rb"<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_HEAD = 8192
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_MODIFIED = (
    "article:modified_time",
    "og:updated_time",
    "last-modified",
    "dcterms.modified",
    "article:published_time",
    "date",
    "pubdate",
)
_SITE = re.compile(r"\s+[-|–—_·»]\s+[^-|–—_·»]*$")


def read_html(data: bytes, _password: str | None = None) -> Parsed:
    """Read a page that was saved from the web or written by a program."""
    decoded = _decode(data)
    root = parse_html(decoded.text)
    page_title = root.findtext(".//title")
    said = {_name(meta): meta.get("content", "") for meta in root.iter("meta")}
    heading = next((" ".join(found.text_content().split()) for found in root.iter("h1")), None)
    blocks = tuple(html_blocks(article_of(root)))
    return Parsed(
        blocks=blocks,
        heading_title=first_heading(blocks) or heading or None,
        property_title=_SITE.sub("", " ".join(page_title.split())) if page_title else None,
        updated_at=next((date for name in _MODIFIED if (date := _iso(said.get(name, "")))), None),
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def parse_html(text: str) -> Any:
    """Return the root element of a page or a fragment."""
    from lxml import etree, html  # slow to import

    # The declaration is about the bytes; the parser refuses it in text.
    text = _XML_DECLARATION.sub("", text).replace("\0", "")
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = html.document_fromstring(text, parser=parser, ensure_head_body=True)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise LoadError(f"HTML that cannot be read ({' '.join(str(error).split())[:80]})") from error
    return root


def _decode(data: bytes) -> Decoded:
    declared = _CHARSET.search(data[:_HEAD])
    return decode_clean(data, declared[1].decode("ascii") if declared else None)


def _name(meta: Any) -> str:
    return str(meta.get("property") or meta.get("name") or meta.get("http-equiv") or "").lower()


def _iso(date: str) -> str | None:
    kind = datetime.datetime if len(date.strip()) > len("2024-01-01") else datetime.date
    try:
        return kind.fromisoformat(date.strip()).isoformat()
    except ValueError:
        return None
