"""Read a text as a row of tokens: Chinese characters, English stems, and facts in their places."""

import re
from dataclasses import dataclass
from typing import Any

from agent.facts import read_marked
from agent.facts.fact import MARK, Fact, marked

_TOKEN = re.compile(
    rf"{MARK}(?P<fact>[\U000f0000-\U000ffffd])|(?P<han>[\u3400-\u9fff])|(?P<word>[^\W\d_\u3400-\u9fff]+)"
)
_NOT = re.compile(r"\b(?:can(?=not\b)|(?:ca|wo|\w+)n['’]t\b)", re.IGNORECASE)
_WHOLE = {"ca": "can", "wo": "will"}


@dataclass(frozen=True, slots=True)
class Token:
    """A Chinese character, an English word, or a fact."""

    key: str
    """Equal for tokens that say the same: the Simplified character, the stem, or the normal form of the fact."""
    text: str
    """As it stands in the normal form of the text."""
    fact: Fact | None = None


def read_sequence(text: str) -> list[Token]:
    """Return the tokens of a text in order, without its punctuation."""
    found, rest = read_marked(_NOT.sub(_apart, text))
    stem, tokens = _stemmer(), list[Token]()
    for match in _TOKEN.finditer(rest):
        if match["fact"]:
            fact = found[marked(match["fact"])]
            tokens.append(Token(f"{MARK}{fact.text}", fact.text, fact))
        elif match["han"]:
            tokens.append(Token(match[0], match[0]))
        else:
            tokens.append(Token(stem(match[0].lower()), match[0]))
    return tokens


def _apart(match: re.Match[str]) -> str:
    """Write cannot, isn't and won't as two words."""
    if match[0].lower() == "can":
        return f"{match[0]} "
    word = match[0][:-3]
    return f"{_WHOLE.get(word.lower(), word)} not"


def _stemmer() -> Any:
    # One each time, which costs less than a microsecond: it may not be shared between threads.
    from Stemmer import Stemmer

    return Stemmer("english").stemWord
