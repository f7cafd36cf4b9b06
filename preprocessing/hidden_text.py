"""Text in a file that people do not see: invisible characters, comments, hidden elements and hidden runs."""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence

from preprocessing.document import Block
from preprocessing.suspicious import ZERO_WIDTH, excerpt, speaks_to_a_model, tags_of, untagged

_OVERRIDE = re.compile("[\u202d\u202e\u2066-\u2068]")
_ZERO_WIDTH_MANY = 8
"""Zero-width characters in one line from which something is written in them, or words are broken up by them."""
_NEEDS_ZERO_WIDTH = re.compile("[\u0600-\u0fff\ufe0f\U0001f000-\U0001faff]")
"""Scripts and pictures whose spelling needs zero-width characters."""
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_UNSEEN = re.compile(
    r"<(\w+)\b[^>]*?(?:\shidden\b|style\s*=\s*[\"'][^\"'>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|"
    r"font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])))[^>]*>(.*?)</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)
_MARKUP = re.compile(r"<[^>]*>")
_RUN = re.compile(r"<w:r[ >](?:(?!</w:r>).)*?<w:vanish(?: w:val=\"(?:1|true|on)\")?\s*/>(.*?)</w:r>", re.DOTALL)
_RUN_TEXT = re.compile(r"<w:t(?: [^>]*)?>([^<]*)</w:t>")
_DOCX_BODY = "word/document.xml"
_MAX_BODY_BYTES = 64 * 2**20


def hidden_warnings(data: bytes, suffix: str, blocks: Sequence[Block]) -> list[str]:
    """Return what to tell the person who ingests a file of the suffix with text that people do not see.

    `blocks` are its blocks before they were cleaned, where invisible characters still stand.
    """
    return [*_hidden_characters("\n".join(block.text for block in blocks)), *_hidden_words(data, suffix)]


def _hidden_characters(text: str) -> Iterator[str]:
    if tags := tags_of(text):
        yield f"hidden text in invisible tag characters: “{excerpt(untagged(tags))}”"
    if _OVERRIDE.search(text):
        yield "characters that turn the order of letters round, so that people read something else than programs"
    many = (line for line in text.split("\n") if len(ZERO_WIDTH.findall(line)) >= _ZERO_WIDTH_MANY)
    if line := next((line for line in many if not _NEEDS_ZERO_WIDTH.search(line)), None):
        yield f"many invisible characters in “{excerpt(ZERO_WIDTH.sub('', line))}”"


def _hidden_words(data: bytes, suffix: str) -> Iterator[str]:
    """Yield what comments, hidden elements and hidden runs say to a model; these are not ingested."""
    if suffix == ".docx":
        hidden = "".join(text for run in _RUN.findall(_docx_body(data)) for text in _RUN_TEXT.findall(run))
        if hidden.strip():
            yield f"hidden text left out: “{excerpt(hidden)}”"
    if suffix in (".md", ".html"):
        text = data.decode("utf-8", "replace")
        found = [comment[1] for comment in _COMMENT.finditer(text)]
        found += [element[2] for element in _UNSEEN.finditer(text)]
        words = next((words for words in (_MARKUP.sub(" ", one) for one in found) if speaks_to_a_model(words)), None)
        if words:
            yield f"hidden text reads like instructions to a language model: “{excerpt(words)}”"


def _docx_body(data: bytes) -> str:
    # What is no archive is refused by its reader, in better words.
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if _DOCX_BODY not in archive.namelist() or archive.getinfo(_DOCX_BODY).file_size > _MAX_BODY_BYTES:
            return ""
        return archive.read(_DOCX_BODY).decode("utf-8", "replace")
