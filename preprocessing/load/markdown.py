"""Markdown: block structure by CommonMark, text as the author wrote it."""

import html
import re
import textwrap

from preprocessing.document import Block, BlockKind
from preprocessing.encoding import decode_clean
from preprocessing.load.parsed import Parsed
from preprocessing.metadata import first_heading, front_matter

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
    from markdown_it import MarkdownIt  # only Markdown files need it

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
    from preprocessing.load.html import parse_html  # only some files hold HTML
    from preprocessing.load.html_blocks import html_blocks

    return list(html_blocks(parse_html(source).find("body")))
