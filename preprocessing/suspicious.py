"""Text in a document that speaks to a language model instead of to people.

A document may say anything; what it says to a model is told to the person who ingests it, and is no evidence.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from preprocessing.document import Block

_PHRASES = "suspicious_phrases.txt"
_LABELS = re.compile(
    r"^\W*(?P<label>thought|action input|action|observation|question|final answer"
    r"|思考|行动输入|行动|动作|观察|观察结果|问题)\W{0,4}[:：]",
    re.I,
)
_ROLES = re.compile(r"^\W*(?P<role>user|human|assistant|ai|用户|助手|助理)\W{0,3}[:：]", re.I)
_CITATION = re.compile(r"[\[【［]\s*S\s?\d{1,2}\s*[\]】］]", re.I)

_SENTENCE = re.compile(r".+?(?:[。！？；]+[”’」』）)\"]*|[!?]+[\")]*(?=\s)|(?<=[^\W\d])[.;](?=\s)|$)\s*", re.DOTALL)

ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180e]")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_OTHER_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SHOWN_CHARS = 60
_NAMED = 3


def suspicious_parts(text: str) -> list[str]:
    """Return the parts of a text that speak to a language model, in order, each without its line break."""
    return [part for part, is_suspicious in _parts(text) if is_suspicious and part.strip()]


def without_suspicious(text: str, instead: str = "") -> str:
    """Return the text without the parts that speak to a language model, `instead` once in the place of each run."""
    kept = ""
    was_suspicious = False
    for part, is_suspicious in _parts(text):
        if not is_suspicious:
            kept += part
        elif not was_suspicious:
            kept += f"{instead}\n" if instead or not kept.endswith("\n") else ""
        was_suspicious = is_suspicious
    return re.sub(r"\n{3,}", "\n\n", kept).strip("\n")


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a text with their line breaks, and whether each speaks to a language model.

    What such a sentence leads to counts with it: the rest of its paragraph, the next paragraph after a colon, and
    sentences before it that bear labels of their own.
    """
    lines = text.split("\n")
    folded = [_folded(line) for line in lines]
    script = _is_script(folded)
    goes_on = False
    for number, line in enumerate(lines):
        end = "\n" if number + 1 < len(lines) else ""
        if not line.strip():
            before = folded[number - 1].rstrip() if number else ""
            goes_on = goes_on and (not before or before.endswith((":", "：")))
            yield line + end, goes_on
            continue
        is_script = script and bool(_LABELS.match(folded[number]) or _ROLES.match(folded[number]))
        sentences = _SENTENCE.findall(line)
        first = 0 if goes_on or is_script else None
        if first is None and speaks_to_a_model("\n".join(sentences)):
            first = next((place for place, one in enumerate(sentences) if speaks_to_a_model(one)), 0)
        for place, sentence in enumerate(sentences):
            led = first is not None and (place >= first or bool(_CITATION.search(sentence)))
            yield sentence + (end if place + 1 == len(sentences) else ""), led
        goes_on = first is not None and not line.lstrip().startswith("|")  # rows of a table say each their own


def speaks_to_a_model(text: str) -> bool:
    """Say whether a line reads like an order to a language model, or imitates the format of an agent."""
    folded = "\n".join(map(_folded, text.split("\n")))
    if _phrases().search(folded):
        return True
    return bool(_LABELS.match(folded) and _CITATION.search(folded))


def order_warnings(blocks: Sequence[Block]) -> list[str]:
    """Return what to tell the person who ingests a document with such parts: one line that shows the first of them."""
    parts = suspicious_parts("\n\n".join(block.text for block in blocks))
    if not parts:
        return []
    shown = "; ".join(f"“{excerpt(part)}”" for part in parts[:_NAMED])
    more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
    return [f"reads like instructions to a language model, on which no answer will rest: {shown}{more}"]


def excerpt(text: str) -> str:
    """Return the beginning of a text in one line, without what cannot be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:_SHOWN_CHARS]


def tags_of(text: str) -> str:
    """Return the tag characters of a text, which show nothing and spell ASCII."""
    return "".join(_TAGS.findall(text))


def untagged(tags: str) -> str:
    """Return what tag characters spell."""
    return "".join(chr(ord(sign) - 0xE0000) for sign in tags)


def _is_script(lines: Sequence[str]) -> bool:
    """Say whether the lines imitate a conversation with a model: two labels of its format, or both its roles.

    One label alone, such as "Action:" in minutes, is a word like any other.
    """
    labels = {found["label"].casefold() for line in lines if (found := _LABELS.match(line))}
    roles = {found["role"].casefold() for line in lines if (found := _ROLES.match(line))}
    is_asked = bool(roles & {"user", "human", "用户"})
    return len(labels - {"question", "问题"}) >= 2 or (is_asked and bool(roles - {"user", "human", "用户"}))


def _folded(line: str) -> str:
    """Return the line as a model would understand it: compatibility forms folded, invisible characters out."""
    visible = _OTHER_INVISIBLE.sub("", ZERO_WIDTH.sub("", _TAGS.sub(lambda tags: untagged(tags[0]), line)))
    return unicodedata.normalize("NFKC", visible).replace("’", "'")


@cache
def _phrases() -> re.Pattern[str]:
    """Return what matches any phrase of the file beside this one."""
    lines = files(__package__).joinpath(_PHRASES).read_text(encoding="utf-8").splitlines()
    words: dict[str, str] = {}
    phrases: list[str] = []
    for line in lines:
        defined = re.match(r"(%\w+%) = (.*)", line)
        if defined:
            words[defined[1]] = defined[2]
        elif line and not line.startswith("# "):
            phrases.append(re.sub(r"%\w+%", lambda name: words[name[0]], line))
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE | re.MULTILINE)
