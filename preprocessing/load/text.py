"""Plain text: paragraphs between blank lines, headings by their numbering."""

from preprocessing.document import Block
from preprocessing.encoding import decode_clean
from preprocessing.headings import mark_headings
from preprocessing.load.parsed import Parsed
from preprocessing.metadata import front_matter


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
