"""What a document says about itself: front matter, title, version, date."""

import datetime
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from preprocessing.document import Block
from preprocessing.visibility import is_visibility

Metadata = Mapping[str, str | tuple[str, ...]]

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_VERSION = re.compile(
    r"(?:^|[_\-\s.（(【\[])[vV](?:er(?:sion)?)?[ ._]?(?P<number>\d+(?:\.\d+)*)(?=$|[_\-\s）)】\]])"
    r"|[（(【\[_\-](?P<edition>\d{4}\s*(?:年)?\s*(?:修订|修正)?版|\d{4}年?(?:修订|修正)|第[0-9一二三四五六七八九十]+版)(?:$|[）)】\]_\-])"
)
# Titles that programs write by themselves: place-holders, file names, names of the program.
_POOR_TITLE = re.compile(
    r"^(?:untitled|无标题|未命名|title|document\s*\d*|文档\s*\d*|word document|microsoft (?:word|powerpoint|excel)\b.*|"
    r"幻灯片\s*\d*|powerpoint .*|.*\.(?:docx?|pdf|txt|md|pptx?|xlsx?|wps|rtf|tex|dvi|indd|html?)|[\W\d_]*)$",
    re.IGNORECASE,
)


def front_matter(text: str) -> tuple[dict[str, str | tuple[str, ...]], str]:
    """Return the YAML mapping at the head of the text, with values as text, and the text after it.

    A head that is no YAML mapping is text like any other; it loses its `---` lines, which would make it a heading.
    """
    import yaml  # only Markdown and text files need it

    found = _FRONT_MATTER.match(text)
    if not found:
        return {}, text
    try:
        mapping = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError):  # ValueError: a date such as 2024-02-30
        mapping = None
    if not isinstance(mapping, dict):
        return {}, f"{found[1]}\n\n{text[found.end() :]}"
    values = {str(key): "" if value is None else _as_text(value) for key, value in mapping.items()}
    # An empty value says nothing, but an empty visible_to is a mistake that must not make the document public.
    kept = {key: value for key, value in values.items() if value != "" or is_visibility(key)}
    return kept, text[found.end() :]


def _as_text(value: object) -> str | tuple[str, ...]:
    if isinstance(value, (list, tuple, set)):
        return tuple(_as_line(item) for item in value if item is not None)
    return _as_line(value)


def _as_line(value: object) -> str:
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()  # as YAML spells it
    return str(value).strip()


def first_text(value: str | tuple[str, ...] | None) -> str | None:
    """Return a metadata value as one text, None when there is nothing in it."""
    if isinstance(value, tuple):
        value = ", ".join(value)
    return value or None


def first_heading(blocks: Iterable[Block]) -> str | None:
    """Return the first level-1 heading."""
    return next((block.text for block in blocks if block.kind == "heading" and block.level == 1), None)


def sensible_title(title: str | None) -> str | None:
    """Return a title from file properties unless a program wrote it by itself."""
    title = " ".join((title or "").split())
    return None if not title or _POOR_TITLE.match(title) or "\ufffd" in title else title


def version_from_name(stem: str) -> str | None:
    """Return the version in a file name: `_V2` → `2`, `-v2.1` → `2.1`, `（2024版）` → `2024版`."""
    found = _VERSION.search(stem)
    return (found["number"] or found["edition"]) if found else None


def modification_time(path: Path) -> str:
    """Return when the file was last written, ISO 8601 in UTC to the second."""
    written = datetime.datetime.fromtimestamp(path.stat().st_mtime, tz=datetime.UTC)
    return written.isoformat(timespec="seconds")
