"""Terms of a question that its answer cannot do without: codes, article numbers, years, versions, places, kinds.

So is what somebody who is asked for must not have.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from agent.facts.normal import folded
from agent.language import language_of
from retrieval.numerals import fold_ordinals

_NAMED = re.compile(
    r"第\d+[条章节款项]"
    # ERR_4032, GB/T 7714, V3, p6; letters and number apart only when the letters are capitals, so not "first 30".
    r"|(?:[A-Za-z]+(?:[-_/][A-Za-z]+)*[-_]?|[A-Z]+(?:/[A-Z]+)? )\d+(?:[-_.]\d+)*"
    r"|(?<![\d.,])\d{4,}(?![\d.,]*\d)(?!\s*(?:元|块|人|yuan|people))"
    r"|(?:(?<=code )|(?<=error )|(?<=代码)|(?<=编号)|(?<=错误码))\d{2,}"
)
_NAME_IN_CHINESE = re.compile(r"(?<![A-Za-z\d])[A-Z][A-Za-z]{2,}(?: [A-Z][A-Za-z]+)*(?![A-Za-z\d_-])")
_NAME_IN_ENGLISH = re.compile(r"(?<=[a-z,;:'’] )[A-Z][A-Za-z]{2,}(?: [A-Z][A-Za-z]+)*\b(?![\d_-])")
"""Not at the beginning of a sentence, where any word has a capital letter."""
_NO_NAME = frozenset("APP CEO CFO CTO COO FAQ PRC".split())
"""Names that a document may have another word for."""
_KIND_ZH = re.compile(
    r"(?:年休?|病|事|婚|丧|产|陪产|护理|育儿|哺乳|探亲|工伤|调休|生育|独生子女护理|带薪|寒|暑)假"
    r"|(?:养老|医疗|失业|工伤|生育|意外|商业)保?险"
)
_KIND_EN = re.compile(r"\b(?P<which>[A-Za-z]+) (?P<thing>leave|insurance|allowance|stipend)\b", re.IGNORECASE)
_ARTICLE_OF = re.compile(
    r"(?P<rule>[\u4e00-\u9fff]{2,20}?(?:法|条例|办法|规定|细则|规则|制度|章程))》?(?:的|中|里|之)?(?P<article>第\d+条)"
)
_NO_KIND = frozenset(
    "the a an of my our your this that any some for to much many more paid unpaid i we you they can may must and or in "
    "on is are do does take get have has request book apply approve approves before when if which what whose next last "
    "other another same each every all no such extra additional remaining unused".split()
)
_LACKS = r"没有|未持有|未取得|不具备|不持有|不含|无"
_WHO_LACKS = (
    re.compile(
        rf"(?P<lack>(?:{_LACKS})(?P<what>[\u3400-\u9fff]{{2,8}}?))的[\u3400-\u9fff]{{0,6}}?(?:谁|哪[个些位]人?)[?。]?$"
    ),
    re.compile(
        rf"(?:谁|哪[个些位家种][\u3400-\u9fff]{{1,4}}?)(?P<lack>(?:{_LACKS})(?P<what>[\u3400-\u9fff]{{2,8}}?))[?。]?$"
    ),
    re.compile(
        r"\bwho\b.*\b(?P<lack>(?:ha(?:s|ve) no|lacks?|do(?:es)?(?: not|n't) have) (?:an? |any )?(?P<what>[a-z-]{3,}))",
        re.I,
    ),
)
_DENIES = re.compile(rf"(?:{_LACKS})|\b(?:no|not|without|none|never|lack\w*)\b|n't\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[，,。；;！!？?\n]|\.(?=\s|$)")
_NO_PLACE = frozenset("中国 国内 我国 国外".split())
_DIRECTIONS = frozenset("东西南北新旧上下左右前后内外大小老")
"""A word of these alone, such as 东西 or 新旧, is taken for a place by the tagger."""


def missing_specifics(question: str, passages: Sequence[str]) -> list[str]:
    """Return the specific terms of the question that stand in none of the passages, as they were written.

    Case, width, separators (ERR-4032 for err_4032) and the form of numerals do not matter. An article of a named rule
    must stand in a passage of that rule.
    """
    evidence = "\n".join(passages)
    held = folded(evidence)
    missing = [term for term in dict.fromkeys(_specifics(question)) if folded(term) not in held]
    return [
        *missing,
        *(unheard_names(question, passages) if language_of(question) == "zh" else ()),
        *_other_kinds(question, held),
        *_articles_elsewhere(question, passages, missing),
        *_had_by_all(question, evidence),
    ]


def _articles_elsewhere(question: str, passages: Sequence[str], missing: Sequence[str]) -> Iterator[str]:
    """Yield rule and article where the passages hold both, but not that article of that rule."""
    for match in _ARTICLE_OF.finditer(fold_ordinals(unicodedata.normalize("NFKC", question))):
        rule, article = folded(match["rule"]), match["article"]
        of_rule = [passage for passage in passages if rule in folded(passage)]
        begins = re.compile(rf"^[\s#>*]*{article}(?![之\d])", re.MULTILINE)
        if article not in missing and of_rule and not any(begins.search(fold_ordinals(one)) for one in of_rule):
            yield match["rule"] + article


def unheard_names(question: str, passages: Sequence[str]) -> list[str]:
    """Return the names in Latin letters of which no word stands in the passages.

    None in an English question where passages are Chinese, which spell them otherwise.
    """
    evidence, asked_in = "\n".join(passages), language_of(question)
    if asked_in == "en" and language_of(evidence) == "zh":
        return []
    held, pattern = folded(evidence), _NAME_IN_CHINESE if asked_in == "zh" else _NAME_IN_ENGLISH
    names = dict.fromkeys(match[0] for match in pattern.finditer(unicodedata.normalize("NFKC", question)))
    return [
        name
        for name in names
        if name not in _NO_NAME and not any(folded(word).removesuffix("s") in held for word in name.split())
    ]


def _other_kinds(question: str, held: str) -> Iterator[str]:
    """Yield the kinds that the question asks about, where the evidence speaks of other kinds of the same thing only.

    The rule on 年假 does not answer a question on 探亲假, nor that on annual leave one on home leave. A longer name is
    the same kind: 年休假 is 年假.
    """
    asked = unicodedata.normalize("NFKC", question)
    for kind in dict.fromkeys(match[0] for match in _KIND_ZH.finditer(asked)):
        if kind[-1] in held and not re.search(".{0,2}".join(folded(kind).replace("休", "")), held):
            yield kind
    for match in _KIND_EN.finditer(asked):
        which, thing = folded(match["which"]), folded(match["thing"])
        if which not in _NO_KIND and thing in held and not re.search(rf"{re.escape(which)}.{{0,12}}{thing}", held):
            yield match[0]


def _had_by_all(question: str, evidence: str) -> Iterator[str]:
    """Yield what somebody who is asked for must not have, where the evidence speaks only of those who have it."""
    asked = unicodedata.normalize("NFKC", question).replace("’", "'").strip()
    clauses = _CLAUSE.split(unicodedata.normalize("NFKC", evidence))
    for match in filter(None, (form.search(asked) for form in _WHO_LACKS)):
        what = folded(match["what"])
        speaking = [clause for clause in clauses if what in folded(clause)]
        if speaking and not any(_DENIES.search(clause) for clause in speaking):
            yield match["lack"]


def _specifics(question: str) -> Iterator[str]:
    text = fold_ordinals(unicodedata.normalize("NFKC", question))
    yield from (match[0].strip() for match in _NAMED.finditer(text))
    if language_of(text) == "zh":
        yield from _places(text)


def _places(text: str) -> Iterator[str]:
    # The dictionary takes a moment to load.
    import rjieba

    for word, tag in rjieba.tag(text):
        if tag == "ns" and word not in _NO_PLACE and not set(word) <= _DIRECTIONS:
            yield word
