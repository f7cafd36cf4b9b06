"""Find where a claim says something else than the sentence that it was made from."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher

from agent.checks.finding import Finding
from agent.checks.passage import PassageFacts, Source, Token

MIN_SHARED = 0.5
"""Share of a claim that must stand in one sentence for the rest to be held against that sentence."""
SURELY_SHARED = 0.7
"""The same for a value that stands elsewhere in the passage."""
NEAR_BY = 2
"""Tokens between a value and the words that both texts share."""
TIE = 0.1
"""Sentences that share nearly as much may be the source as well: each must contradict the claim."""
NEAREST = 3
"""Sentences of a passage that a claim is laid beside."""
MAX_GAP = 8
"""Tokens; where more differ, the two say different things and no part of one stands for a part of the other."""
MIN_ANCHOR = 3
"""Tokens that must agree on the two sides of a difference together."""
WORD = 2
"""Tokens right before the shared words, where a claim begins with words of its own."""
MAX_OTHER = 2
"""Characters or words beside a negation; where more differ, the two speak of different things."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Tokens of the claim in whose place the passage has others, both possibly none, between words they share."""

    start: int
    """Place in the claim."""
    place: int
    """Place in the sentence of the passage."""
    said: tuple[Token, ...]
    held: tuple[Token, ...]
    anchored: bool
    """The words around it agree at enough places to be sure that the one stands for the other."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """A claim beside one sentence of a passage."""

    claim: Sequence[Token]
    sentence: Sequence[Token]
    shared: float
    """Share of the claim's tokens that stand in the sentence in the same order; 0 to 1."""
    differences: tuple[Difference, ...]


def contradictions(claim: Sequence[Token], sources: Sequence[Source]) -> list[Finding]:
    """Return what the nearest sentence says otherwise: another value, another Chinese name, or the opposite.

    None when no sentence is near, or when one that is as near does not contradict the claim.
    """
    aligned = sorted((one for source in sources for one in align(claim, source.sentences)), key=lambda one: -one.shared)
    near = [one for one in aligned if one.shared >= max(MIN_SHARED, aligned[0].shared - TIE)]
    found = [list(_differing(one)) for one in near]
    return found[0] if found and all(found) else []


def _differing(alignment: Alignment) -> Iterator[Finding]:
    for one in (one for one in alignment.differences if one.anchored):
        if alignment.shared >= SURELY_SHARED:
            yield from _other_values(one)
        if not is_reversed(one.said, one.held) and _is_other_name(alignment, one):
            yield Finding("name", _joined(one.said), _joined(one.held))
    for one in reversals(alignment.differences):
        yield Finding("reversed", _joined(one.said), _joined(one.held))


def _other_values(one: Difference) -> Iterator[Finding]:
    there = PassageFacts.of_facts([token.fact for token in one.held if token.fact])
    for n, token in enumerate(one.said):
        if not token.fact or there.holds(token.fact) or token.key in {other.key for other in one.held}:
            continue
        for m, other in enumerate(one.held):
            if other.fact and _face(n, m) | _face(len(one.said) - n, len(one.held) - m):
                yield Finding("value", token.fact.text, other.fact.text)
                break


def _face(said: int, held: int) -> bool:
    """Tell whether two tokens stand at about the same distance from the words that both texts share."""
    return abs(said - held) <= 1 and min(said, held) <= NEAR_BY


def _is_other_name(alignment: Alignment, one: Difference) -> bool:
    """Tell a Chinese name in the place of another from the same in other words."""
    if not one.said or any(
        token.fact or token.text.isascii() or token.text in _STANDS_FOR for token in (*one.said, *one.held)
    ):
        return False
    says = _name_places(alignment.claim) & set(range(one.start, one.start + len(one.said)))
    holds = _name_places(alignment.sentence) & set(range(one.place, one.place + len(one.held)))
    return bool(holds) and (bool(says) or 2 * len(holds) >= len(one.held))


def _name_places(text: Sequence[Token]) -> set[int]:
    """Return the places of the tokens that the tagger takes for a part of a name."""
    # The dictionary takes most of a second to load, and most answers need none of it.
    import rjieba

    places: set[int] = set()
    owner = [n for n, token in enumerate(text) for _ in token.text]
    position = 0
    for word, tag in rjieba.tag("".join(token.text for token in text)):
        if tag in _NAME_TAGS and len(word) > 1:
            places.update(owner[position : position + len(word)])
        position += len(word)
    return places


def _joined(tokens: Sequence[Token]) -> str:
    text = " ".join(token.text for token in tokens)
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", text)


def align(claim: Sequence[Token], sentences: Sequence[Sequence[Token]]) -> list[Alignment]:
    """Return the claim beside the nearest sentences, best first."""
    keys = Counter(token.key for token in claim)
    near = sorted(sentences, key=lambda one: -sum((keys & Counter(token.key for token in one)).values()))[:NEAREST]
    return sorted((_beside(claim, sentence) for sentence in near), key=lambda one: -one.shared)


def _beside(claim: Sequence[Token], sentence: Sequence[Token]) -> Alignment:
    said, held = [token.key for token in claim], [token.key for token in sentence]
    blocks = SequenceMatcher(None, said, held, autojunk=False).get_matching_blocks()
    shared = sum(block.size for block in blocks) / max(len(said), 1)
    return Alignment(claim, sentence, shared, tuple(_differences(claim, sentence, blocks)))


def _differences(claim: Sequence[Token], sentence: Sequence[Token], blocks: Sequence[Match]) -> Iterator[Difference]:
    """Yield what differs before, between and after the blocks, the last of which is empty."""
    before = Match(0, 0, 0)
    for after in blocks:
        start, place = before.a + before.size, before.b + before.size
        said, held = claim[start : after.a], sentence[place : after.b]
        # At either end the passage may go on, so only what stands as near as the claim's own tokens counts.
        if not before.size:
            place = max(place, after.b - len(said) - 2)
            held = sentence[place : after.b]
        if not after.size:
            held = held[: len(said) + 1] if said else ()
        anchored = before.size + after.size >= MIN_ANCHOR
        if (said or held) and max(len(said), len(held)) <= MAX_GAP:
            yield Difference(start, place, tuple(said), tuple(held), anchored)
        before = after


_NAME_TAGS = frozenset(("nr", "nrt", "nrfg", "ns", "nt", "nz"))
"""People, places, organisations and other proper nouns, as the tagger calls them."""
_STANDS_FOR = frozenset("他她它其该此这那本各的是于")
"""With one of these it is said in other words."""
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


def is_reversed(said: Sequence[Token], held: Sequence[Token]) -> bool:
    """Tell whether the one piece denies what the other does not, or turns a limit round: 可以 and 不得."""
    first, second = Polarity.of(said), Polarity.of(held)
    if max(first.others, second.others) > MAX_OTHER:
        return False
    if first.limits and second.limits:
        return first.limits != second.limits
    return not first.limits and not second.limits and first.denies != second.denies
