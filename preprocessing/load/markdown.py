"""Markdown and plain text: blocks by CommonMark or by blank lines, front matter, text as the author wrote it."""

import html
import re
import textwrap
from typing import Any

import yaml
from markdown_it import MarkdownIt

from preprocessing.document import Block, BlockKind, Parsed
from preprocessing.load.encoding import decode_clean
from preprocessing.load.headings import mark_headings
from preprocessing.load.metadata import first_heading
from preprocessing.load.web import parse_html
from preprocessing.load.web.blocks import html_blocks
from preprocessing.visibility import is_visibility

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "blockquote_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "paragraph",
}
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_NOTHING = frozenset({"~", "null", "Null", "NULL"})
"""How YAML spells that there is no value."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING_TAIL = re.compile(r"\s*\{#[\w-]+\}\s*$")
_PIPE_ENTITY = re.compile(r"&(?:#124|#[xX]7[cC]|vert|verbar|VerticalLine);")


def read_markdown(data: bytes, _password: str | None = None) -> Parsed:
    """Read Markdown with optional front matter."""
    decoded = decode_clean(data)
    metadata, body = front_matter(decoded.text)
    blocks = markdown_blocks(body)
    return Parsed(
        blocks=blocks,
        metadata=metadata,
        heading_title=first_heading(blocks),
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Return the top-level blocks; lines that CommonMark shows nowhere, such as link targets, stay as paragraphs."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # the inside of a paragraph stays as written
    lines = text.split("\n")
    blocks: list[Block] = []
    done = 0
    tokens = parser.parse(text)
    for position, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        begin, end = token.map
        _add(blocks, "paragraph", "\n".join(lines[done:begin]))
        done = max(done, end)
        source = "\n".join(lines[begin:end]).strip("\n")
        if token.type == "heading_open":
            title = _HEADING_TAIL.sub("", _COMMENT.sub("", html.unescape(tokens[position + 1].content)))
            if "\n" in title.strip():  # lines above a rule that the author meant as a rule
                _add(blocks, "paragraph", title)
            else:
                _add(blocks, "heading", " ".join(title.split()), level=int(token.tag[1]))
        elif token.type == "code_block":
            _add(blocks, "code", f"```\n{textwrap.dedent(source).strip()}\n```")
        elif token.type == "fence":
            is_closed = source.rstrip().endswith(token.markup) and end - begin > 1
            if token.content.strip():
                _add(blocks, "code", source if is_closed else f"{source}\n{token.markup}")
        elif token.type == "html_block":
            blocks.extend(_html_blocks(source))
        elif token.type == "table_open":
            _add(blocks, "table", _table(source))
        elif token.type in _KINDS:
            _add(blocks, _KINDS[token.type], html.unescape(_COMMENT.sub("", source)))
    _add(blocks, "paragraph", "\n".join(lines[done:]))
    return tuple(blocks)


def _add(blocks: list[Block], kind: BlockKind, text: str, level: int = 0) -> None:
    if text.strip():
        blocks.append(Block(kind=kind, text=text, level=level))


def _table(source: str) -> str:
    """Return the table with a pipe at both ends of each row; an escaped pipe stays escaped."""
    rows = (_PIPE_ENTITY.sub(r"\\|", row.strip()) for row in source.split("\n"))
    return "\n".join(f"| {_bare(html.unescape(row))} |" for row in rows)


def _bare(row: str) -> str:
    row = row.removeprefix("|")
    return (row[:-1] if row.endswith("|") and not row.endswith("\\|") else row).strip()


def _html_blocks(source: str) -> list[Block]:
    if not _COMMENT.sub("", source).strip():
        return []
    return list(html_blocks(parse_html(source).find("body")))


def read_text(data: bytes, _password: str | None = None) -> Parsed:
    """Read plain text with optional front matter."""
    decoded = decode_clean(data)
    metadata, body = front_matter(decoded.text)
    lines = body.split("\n")
    levels = mark_headings(lines)
    blocks: list[Block] = []
    paragraph: list[str] = []
    for line, level in zip([*lines, ""], [*levels, 0], strict=True):
        if paragraph and (level or not line.strip()):
            blocks.append(Block("paragraph", "\n".join(paragraph)))
            paragraph = []
        if level:
            blocks.append(Block("heading", " ".join(line.split()), level))
        elif line.strip():
            paragraph.append(line.rstrip())
    return Parsed(blocks=tuple(blocks), metadata=metadata, encoding=decoded.encoding, warnings=decoded.warnings)


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
