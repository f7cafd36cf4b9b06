"""Find the names in a text without a list of names: runs of capitals, and what stands in quotation or title marks."""

import re
from collections.abc import Collection, Iterator

from agent.checks.numerals import folded
from retrieval.text.tokens import STOP_TOKENS, tokenize

_QUOTED = re.compile(
    r"“([^“”]{2,200})”|「([^「」]{2,200})」|『([^『』]{2,200})』|《([^《》]{1,80})》|〈([^〈〉]{1,80})〉"
    r"|(?<![\w\"])\"([^\"\n]{2,200})\"(?!\w)|(?<!\w)‘([^‘’]{2,80})’(?!\w)"
)
_ELLIPSIS = re.compile(r"…+|\.{3,}|\[\.{3}\]")
_LETTER = r"[^\W_\u3400-\u9fff]"
_CAPITAL = rf"[A-ZÀ-ÖØ-Þ](?:{_LETTER}|['’])*(?:[-.&]{_LETTER}+)*"
_RUN = re.compile(rf"(?<!{_LETTER})(?<!-){_CAPITAL}(?:[ \t]+(?:(?:of|de|da|van|von|and|for|&)[ \t]+)?{_CAPITAL})*")
_WORD = re.compile(rf"{_LETTER}+(?:['’](?!s\b){_LETTER}+)*")
_AT_START = re.compile(r"(?:^|[.!?:;•*|>\n\"“(\[\-–—。！？：；，、（「《]\s*)$")


def quotations(text: str) -> list[str]:
    """Return what stands in quotation or title marks, in parts where something was left out."""
    quoted = ("".join(filter(None, match.groups())) for match in _QUOTED.finditer(text))
    return [part.strip() for one in quoted for part in _ELLIPSIS.split(one) if len(folded(part)) > 1]


def words_and_initials(text: str) -> frozenset[str]:
    """Return the stems of a text, and the initials of its runs of capitalised words."""
    initials = {"".join(word[0] for word in _WORD.findall(run) if word[0].isupper()) for run in _RUN.findall(text)}
    return frozenset(tokenize(text, characters=False)) | {one.lower() for one in initials if len(one) > 1}


def names_not_in(words: Collection[str], text: str) -> Iterator[str]:
    """Yield the runs of capitalised words of a text of which a word is not among `words`.

    A capital at the start of a sentence is no sign, so the word there counts only with another missing one after it.
    An acronym and its long form are one thing.
    """
    for match in _RUN.finditer(text):
        run = [word for word in _WORD.findall(match[0]) if word[0].isupper() and len(word) > 1]
        initials = "".join(word[0] for word in run).lower()
        missing = [word for word in run if not _is_among(word, words)]
        at_start = bool(run) and _AT_START.search(text[: match.start()]) and missing[:1] == run[:1]
        if len(missing) > bool(at_start) and not (len(initials) > 1 and initials in words):
            yield match[0]


def _is_among(word: str, words: Collection[str]) -> bool:
    tokens = [token for token in tokenize(word.replace("’", "'"), characters=False) if token not in STOP_TOKENS]
    return not tokens or any(token in words for token in tokens)
