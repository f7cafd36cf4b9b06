"""What a document says about itself: front matter, title, version, date."""

import datetime
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from preprocessing.document import Block
from preprocessing.visibility import is_visibility

Metadata = Mapping[str, str | tuple[str, ...]]

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_VERSION = re.compile(
    r"(?:^|[_\-\s.（(【\[])[vV](?:er(?:sion)?)?[ ._]?(?P<number>\d+(?:\.\d+)*)(?=$|[_\-\s）)】\]])"
    r"|[（(【\[_\-](?P<edition>\d{4}\s*(?:年)?\s*(?:修订|修正)?版|\d{4}年?(?:修订|修正)|第[0-9一二三四五六七八九十]+版)(?:$|[）)】\]_\-])"
)
_NOTHING = frozenset({"~", "null", "Null", "NULL"})
"""How YAML spells that there is no value."""
# Titles that programs write by themselves: place-holders, file names, names of the program.
_POOR_TITLE = re.compile(
    r"^(?:untitled|无标题|未命名|title|document\s*\d*|文档\s*\d*|word document|microsoft (?:word|powerpoint|excel)\b.*|"
    r"幻灯片\s*\d*|powerpoint .*|.*\.(?:docx?|pdf|txt|md|pptx?|xlsx?|wps|rtf|tex|dvi|indd|html?)|[\W\d_]*)$",
    re.IGNORECASE,
)


def front_matter(text: str) -> tuple[dict[str, str | tuple[str, ...]], str]:
    """Return the YAML mapping at the head of the text, with values as they are written, and the text after it.

    Version 1.10 is not 1.1, number 007 not 7 and the country NO no falsehood. A head that is no YAML mapping is text
    like any other; it loses its `---` lines, which would make it a heading.
    """
    found = _FRONT_MATTER.match(text)
    if not found:
        return {}, text
    mapping = _mapping(found[1])
    if mapping is None:
        return {}, f"{found[1]}\n\n{text[found.end() :]}"
    values = {str(key): _as_text(value) for key, value in mapping.items()}
    # An empty value says nothing, but an empty visible_to is a mistake that must not make the document public.
    kept = {key: value for key, value in values.items() if value != "" or is_visibility(key)}
    return kept, text[found.end() :]


def _mapping(head: str) -> dict[Any, Any] | None:
    import yaml  # only Markdown and text files need it

    try:
        # References are refused: a few lines of them may stand for more text than there is memory.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(head)):
            return None
        mapping = yaml.load(head, Loader=yaml.BaseLoader)  # makes text, lists and mappings only
    except (yaml.YAMLError, RecursionError, TypeError):  # TypeError: a list as a key
        return None
    return mapping if isinstance(mapping, dict) else None


def _as_text(value: object) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(line for item in value if (line := _as_line(item)))
    return _as_line(value)


def _as_line(value: object) -> str:
    line = str(value).strip()
    return "" if line in _NOTHING else line


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
