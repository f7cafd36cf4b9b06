"""What in a file is not written for people: text that they do not see, and marks of the formats of models.

A person is told of it at ingest; no text is taken away for it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from preprocessing.document import Block

ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180e]")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_OVERRIDE = re.compile("[\u202d\u202e\u2066-\u2068]")
_ZERO_WIDTH_MANY = 8
"""Zero-width characters in one line from which something is written in them, or words are broken up by them."""
_NEEDS_ZERO_WIDTH = re.compile("[\u0600-\u0fff\ufe0f\U0001f000-\U0001faff]")
"""Scripts and pictures whose spelling needs zero-width characters."""
_CHAT_MARK = re.compile(r"<\|[a-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>", re.IGNORECASE)
_CITED_STEP = re.compile(
    r"^\W*(?:thought|action(?: input)?|observation|final answer|思考|行动(?:输入)?|动作|观察(?:结果)?)\W{0,4}[:：]"
    r".*[\[【]\s*S\s?\d{1,2}\s*[\]】]",
    re.IGNORECASE,
)
"""A step of an agent with a citation label: either alone stands in ordinary documents."""
_NO_SIZE = r"font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])"
_NOT_DRAWN = rf"display\s*:\s*none|visibility\s*:\s*hidden|{_NO_SIZE}"
_MARKUP = re.compile(r"<[^>]*>")
_WORD = re.compile(r"\w{2}")
_SHOWN_CHARS = 60


def hidden_warnings(data: bytes, suffix: str, blocks: Sequence[Block]) -> list[str]:
    """Return what to tell the person who ingests a file of the suffix.

    `blocks` are its blocks before they were cleaned, where invisible characters still stand.
    """
    text = "\n".join(block.text for block in blocks)
    return [*_hidden_characters(text), *_hidden_words(data, suffix), *_marks_of_models(text)]


def excerpt(text: str) -> str:
    """Return the beginning of a text in one line, without what cannot be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:_SHOWN_CHARS]


def tags_of(text: str) -> str:
    """Return the tag characters of a text, which show nothing and spell ASCII."""
    return "".join(_TAGS.findall(text))


def untagged(tags: str) -> str:
    """Return what tag characters spell."""
    return "".join(chr(ord(sign) - 0xE0000) for sign in tags)


def _hidden_characters(text: str) -> Iterator[str]:
    if tags := tags_of(text):
        yield f"hidden text in invisible tag characters: “{excerpt(untagged(tags))}”"
    if _OVERRIDE.search(text):
        yield "characters that turn the order of letters round, so that people read something else than programs"
    many = (line for line in text.split("\n") if len(ZERO_WIDTH.findall(line)) >= _ZERO_WIDTH_MANY)
    if line := next((line for line in many if not _NEEDS_ZERO_WIDTH.search(line)), None):
        yield f"many invisible characters in “{excerpt(ZERO_WIDTH.sub('', line))}”"


def _hidden_words(data: bytes, suffix: str) -> Iterator[str]:
    """Yield what is said in hidden elements that are read all the same."""
    if suffix in (".md", ".html"):
        # Of a page, what is not drawn at all is left out; the elements of a Markdown file are read as they stand.
        hidden_by = _NO_SIZE if suffix == ".html" else _NOT_DRAWN
        element = re.compile(rf"<(\w+)\b[^>]*?style\s*=\s*[\"'][^\"'>]*(?:{hidden_by})[^>]*>(.*?)</\1\s*>", re.S | re.I)
        found = (_MARKUP.sub(" ", element[2]) for element in element.finditer(data.decode("utf-8", "replace")))
        if words := next((words for words in found if _WORD.search(words)), None):
            yield f"text that people do not see: “{excerpt(words)}”"


def _marks_of_models(text: str) -> Iterator[str]:
    lines = (unicodedata.normalize("NFKC", ZERO_WIDTH.sub("", line)) for line in text.split("\n"))
    if line := next((line for line in lines if _CHAT_MARK.search(line) or _CITED_STEP.match(line)), None):
        yield f"written in the format of a language model: “{excerpt(line)}”"
