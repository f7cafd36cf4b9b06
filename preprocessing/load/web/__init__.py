"""HTML: the article that its author wrote, without navigation, menus, scripts and hidden text."""

import datetime
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree, html

from preprocessing.document import Parsed
from preprocessing.errors import LoadError
from preprocessing.load.encoding import decode_clean
from preprocessing.load.metadata import first_heading
from preprocessing.load.web.blocks import html_blocks

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
_UNSEEN_TAGS = frozenset(
    "script style template noscript iframe object embed svg canvas audio video map head nav dialog "
    "select option button input textarea form-control rt rp del s strike".split()
)
_UNSEEN_ROLES = frozenset("navigation banner contentinfo search complementary menu menubar toolbar dialog".split())
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# Whole words of class and id, so that `navigation-guide` on an article is not taken for a menu by a part of a word.
_FURNITURE = frozenset(
    "nav navbar navigation navbox navbox-styles menu main-menu sidebar breadcrumb breadcrumbs footer site-footer "
    "site-header cookie cookies cookie-banner cookie-consent advert advertisement ads share social skip-link skiplink "
    "mw-jump-link mw-editsection noprint catlinks printfooter vector-header toc pagination pager related-posts "
    "sr-only visually-hidden headerlink anchor-link screen-reader-text".split()
)
_WORDS = re.compile(r"\S+")
_REFERENCE_MARK = re.compile(r"^\s*\[\s*(?:\d+|[a-z]|note \d+|注 ?\d+)\s*\]\s*$")
_LEAST_SHARE = 0.25
"""Share of the page's text that `main` or `article` must hold to be taken for the article."""
_LINKED, _LEAST_LINKS, _LONG_LINK = 0.85, 4, 25
_LINK_LISTS = ("ul", "ol", "div", "table", "section")
_LEAST_PROSE = 60


def read_html(data: bytes, _password: str | None = None) -> Parsed:
    """Read a page that was saved from the web or written by a program."""
    declared = _CHARSET.search(data[:_HEAD])
    decoded = decode_clean(data, declared[1].decode("ascii") if declared else None)
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
    # The declaration is about the bytes; the parser refuses it in text.
    text = _XML_DECLARATION.sub("", text).replace("\0", "")
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = html.document_fromstring(text, parser=parser, ensure_head_body=True)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise LoadError(f"HTML that cannot be read ({' '.join(str(error).split())[:80]})") from error
    return root


def _name(meta: Any) -> str:
    return str(meta.get("property") or meta.get("name") or meta.get("http-equiv") or "").lower()


def _iso(date: str) -> str | None:
    kind = datetime.datetime if len(date.strip()) > len("2024-01-01") else datetime.date
    try:
        return kind.fromisoformat(date.strip()).isoformat()
    except ValueError:
        return None


def article_of(root: Any) -> Any:
    """Return the element that holds the article, pruned in place of what is no content."""
    body = root.find("body") if root.find("body") is not None else root
    for element in list(_furniture(body)):
        _remove(element)
    article = _marked_article(body)
    if article is None:
        for element in [child for child in body.iter("header", "footer", "aside") if not _is_in_article(child)]:
            if element.find(".//h1") is None:
                _remove(element)
        return _without_link_lists(body, list(body.iter(*_LINK_LISTS)))
    # In a marked article a list of links is content, unless it stands above everything else.
    prose = next((found for found in article.iter("p") if _length(found) >= _LEAST_PROSE), None)
    above = [] if prose is None else prose.xpath("preceding::*")
    return _without_link_lists(article, [element for element in above if element.tag in _LINK_LISTS])


def _without_link_lists(article: Any, candidates: list[Any]) -> Any:
    for element in candidates:
        if element is not article and _is_link_list(element):
            _remove(element)
    return article


def _marked_article(body: Any) -> Any | None:
    """Return the `main` or `article` that holds a fair share of the page."""
    whole = _length(body)
    for found in (list(body.iter("main")), body.xpath(".//*[@role='main']"), list(body.iter("article"))):
        if len(found) == 1 and _length(found[0]) >= _LEAST_SHARE * whole:
            return found[0]
    return None


def _furniture(body: Any) -> Iterator[Any]:
    for element in body.iter():
        if element is body or not isinstance(element.tag, str):
            continue
        is_mark = element.tag == "sup" and _REFERENCE_MARK.match(element.text_content())
        if is_mark or element.tag in _UNSEEN_TAGS or element.get("role") in _UNSEEN_ROLES or _is_hidden(element):
            yield element
        elif element.tag not in ("main", "article", "html", "h1"):
            words = _WORDS.findall(f"{element.get('class') or ''} {element.get('id') or ''}".lower())
            if not _FURNITURE.isdisjoint(words):
                yield element


def _is_hidden(element: Any) -> bool:
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    return bool(_HIDDEN_STYLE.search(element.get("style") or ""))


def _remove(element: Any) -> None:
    """Take the element out; the text behind it, which belongs to its parent, stays."""
    if element.getparent() is not None:
        element.drop_tree()


def _length(element: Any) -> int:
    return len("".join(element.text_content().split()))


def _is_in_article(element: Any) -> bool:
    return any(parent.tag in ("main", "article", "section", "blockquote") for parent in element.iterancestors())


def _is_link_list(element: Any) -> bool:
    links = [_length(link) for link in element.iter("a")]
    if len(links) < _LEAST_LINKS or sum(links) / len(links) > _LONG_LINK or element.find(".//h1") is not None:
        return False
    return sum(links) >= _LINKED * _length(element)
