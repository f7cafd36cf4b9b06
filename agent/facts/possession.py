"""Find where a claim says that somebody has what the passages say they lack, or the other way round."""

import re
from collections.abc import Iterator, Sequence

from agent.facts.designations import designations
from agent.facts.finding import Finding
from agent.facts.names import names_in
from agent.facts.normal import folded, half_width, normal
from agent.facts.source import Source

_LACKS = r"没有|未持有|未取得|不具备|不持有|不含|不包含|(?<![全绝毫])无(?![论须需法效偿])"
_HAS = r"持有|具有|拥有|取得|具备|包含|(?<![没未所只还含享])有(?![效权关限的])"
_WHAT = r"(?P<what>[\u3400-\u9fff]{2,8}?)(?:(?:的|者)?$|的[\u3400-\u9fff]{0,6}?[是为].+$)"
"""Of whom it is said stands before it, or after it as in 没有电工证的是员工乙."""
_CLAUSE = re.compile(r"[，,。；;：:！!？?\n|]|\.(?=\s|$)|\b(?:and|but)\b")
_SENTENCE = re.compile(r"[。；;\n]|\.(?=\s|$)")
_LACK = re.compile(
    rf"(?:{_LACKS}){_WHAT}"
    r"|(?:\b(?:ha(?:s|ve|d) no|lacks?|(?:do(?:es)?|did)(?: not|n't) have|without)) (?:an? |any )?"
    r"(?P<what_en>[a-z-]{4,})$",
    re.IGNORECASE,
)
_HOLD = re.compile(
    rf"(?:{_HAS}){_WHAT}"
    r"|(?:\b(?:holds?|ha(?:s|ve|d)|owns?)) (?:an? |the )(?P<what_en>[a-z-]{4,})$",
    re.IGNORECASE,
)
_OWNS = re.compile(rf"{_HAS}|{_LACKS}|\b(?:ha(?:s|ve|d)|hold\w*|own\w*|no|without|lack\w*)\b", re.IGNORECASE)
_DENIES = re.compile(r"[不没未无非免否]|\b(?:no|not|none|never|without|lack\w*|except|neither|nor)\b|n't\b", re.I)
_DEPENDS = re.compile(
    r"不得|不能|不可|不准|禁止|才|须|应|只|仅|如果|若|的话|除外|取消|可以|方可|要求|需要"
    r"|\b(?:only|must|needs?|requir\w*|can|cannot|can't|may|shall|should|nobody|refus\w*|if|unless|when|exclud\w*|remov\w*|"
    r"abolish\w*)\b",
    re.IGNORECASE,
)
"""Says what must be had, or by whom, and not who has it."""


def possessions(claim: str, sources: Sequence[Source]) -> Iterator[Finding]:
    """Yield what the claim denies somebody to have although the sentences on them say it, and the other way round.

    The words may stand in another order than in the passage. Only who is named counts, such as 员工乙 or Ann Lee, and
    only plain statements: what is allowed, required or excepted denies nothing.
    """
    if _DEPENDS.search(claim):
        return
    matches = [(_LACK.search(clause), _HOLD.search(clause)) for clause in _clauses(normal(claim))]
    on: Sequence[str] | None = None
    for denied, held in matches:
        match = denied or held
        if not match or (not denied and _DENIES.search(match.string)):
            continue
        on = _lines_on(claim, sources) if on is None else on
        speaking = _speaking(folded(match["what"] or match["what_en"]), on)
        if speaking and all(_OWNS.search(one) and bool(_DENIES.search(one)) != bool(denied) for one in speaking):
            yield Finding("reversed", match[0].strip(), speaking[0].strip()[:40])


def _lines_on(claim: str, sources: Sequence[Source]) -> list[str]:
    """Return the sentences that name whom the claim names, and say something plain."""
    lines = [line for source in sources for line in _SENTENCE.split(source.text) if not _DEPENDS.search(line)]
    if letters := set(designations(claim)):
        return [line for line in lines if letters & set(designations(line))]
    named = [folded(name) for name in names_in(half_width(claim))]
    return [line for line in lines if any(name in folded(line) for name in named)]


def _speaking(what: str, lines: Sequence[str]) -> list[str]:
    return [clause for line in lines for clause in _clauses(normal(line)) if what in folded(clause)]


def _clauses(text: str) -> list[str]:
    return [clause.strip() for clause in _CLAUSE.split(text) if clause.strip()]
