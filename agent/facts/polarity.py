"""Tell a statement from its opposite: which of two differing pieces of text denies, and where a limit turns round."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.facts.alignment import Difference
from agent.facts.sequence import Token

_MORE = r"(?:超过|超出|高于|多于|大于|长于|晚于|exceed\w*|more than|over|above|longer than|later than)"
_LESS = r"(?:少于|低于|小于|短于|早于|不足|不满|未满|less than|fewer than|under|below|shorter than|earlier than)"
_NO = r"(?:不得?|不[能应可]|未|不会|not|no|never)"
_LIMITS = (
    (
        "≤",
        rf"{_NO} ?{_MORE}|至多|最多|最高|最长|最晚|以内|之内|以下"
        r"|at most|up to|at the latest|maximum|within|no later than",
    ),
    ("≥", rf"{_NO} ?(?!不足|不满){_LESS}|至少|最少|最低|最短|起码|以上|at least|minimum|or more|at a minimum"),
    ("<", _LESS),
    (">", _MORE),
)
_IDIOMS = re.compile(
    r"非常|除非|不仅|不但|不断|无论|不论|不管|未来|不久|不过|不同|不少|是否|能否|可否|否则|无数|不得不|不可不|不时|不禁|不妨|不愧|无疑|"
    r"莫不|无不|非洲|没收|未免|无非|not only|no doubt|no one else|whether or not|or not"
)
_NEGATION = re.compile(
    r"不|未|无|没|否|禁止?|严禁|拒绝|免(?![疫费])|[请切]勿|毋|除外|[并绝而]非|非(?=[本经因工])"
    r"|\b(?:not|no|never|none|nor|neither|without|nobody|nothing|unable|prohibit\w*|forbid\w*|bann?(?:ed|s)?|declin\w*|refus\w*|"
    r"lack\w*|fail\w*)\b"
)
_MODAL = re.compile(
    r"可以?|应[当该]?|能够?|必?须|需要?|允许|准许|有权|会|得|是|有|已经?"
    r"|\b(?:is|are|was|were|be|been|do|does|did|has|have|had|may|might|can|could|must|shall|should|will|would|to)\b"
)
"""Goes with a negation or stands in its place."""
_OTHER = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|#")
WORD = 2
"""Tokens right before the shared words, where a claim begins with words of its own."""
MAX_OTHER = 2
"""Characters or words beside these; where more differ, the two speak of different things."""


def is_reversed(said: Sequence[Token], held: Sequence[Token]) -> bool:
    """Tell whether the one piece denies what the other does not, or turns a limit round: 可以 and 不得."""
    first, second = Polarity.of(said), Polarity.of(held)
    if max(first.others, second.others) > MAX_OTHER:
        return False
    if first.limits and second.limits:
        return first.limits != second.limits
    return not first.limits and not second.limits and first.denies != second.denies


def reversals(differences: Sequence[Difference]) -> list[Difference]:
    """Return the differences where one side denies and the other does not.

    A negation that stands elsewhere in the sentence, as in 禁止员工外借 for 员工不得外借, makes two that cancel out.
    """
    facing = [
        (one, one.said[-WORD:], one.held[-WORD:]) if one.start == 0 else (one, one.said, one.held)
        for one in differences
    ]
    found = [(one, said, held) for one, said, held in facing if is_reversed(said, held)]
    denied = sum(Polarity.of(said).denies - Polarity.of(held).denies for _, said, held in found)
    return [one for one, _, _ in found if one.anchored] if denied or len(found) < 2 else []


@dataclass(frozen=True, slots=True)
class Polarity:
    """Whether a piece of text denies, and which limits it sets."""

    denies: bool
    limits: frozenset[str]
    others: int
    """Characters or words that do neither."""

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> "Polarity":
        """Read a piece of text."""
        text, limits = _IDIOMS.sub("常", _joined(tokens)), set[str]()
        for sign, pattern in _LIMITS:
            text, count = re.subn(pattern, " ", text)
            limits.update([sign] * (count > 0))
        rest, negations = _NEGATION.subn(" ", text)
        others = _OTHER.findall(_MODAL.sub(" ", rest))
        return cls(negations % 2 == 1, frozenset(limits), len(others))


def _joined(tokens: Sequence[Token]) -> str:
    """Return the tokens as text, Chinese characters without blanks between them."""
    text = " ".join(token.text.casefold() if token.fact is None else "#" for token in tokens)
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", text)
