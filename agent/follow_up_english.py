"""Rules for follow-ups in English, each named for what it mends.

There is no tagger: what is no function word is taken for content, and a name is known by its capital letter.
"""

import re
from typing import Literal

Opening = Literal["", "goes on", "switches"]

_FRAGMENT_WORDS = 6

_SWITCH = re.compile(
    r"(?:(?:by the way|on another note|another (?:question|thing)|different (?:question|topic)|new (?:question|topic)|"
    r"unrelated(?: question)?|one more (?:question|thing)|changing (?:the )?(?:subject|topic)|separately)\b[\s,:;.-]*(?:but\b[\s,]*)?)+(?=.)",
    re.IGNORECASE,
)
_GO_ON = re.compile(r"(?:and|or|but|so|also|then)\b[\s,]*(?=.)", re.IGNORECASE)
_ABOUT = re.compile(r"(?:(?:ok|okay|oh)\b[\s,.]*)?(?:(?:what|how) about|same for)\b[\s,]*(?=.)", re.IGNORECASE)
_FUNCTION_WORDS = frozenset(
    "what what's which who who's whom whose when where why how many much long often far is isn't are aren't was wasn't were be been do does "
    "doesn't did didn't don't can can't could should would will shall may must i i'm i've we you my our your a an the of to for in on at by with "
    "from and or not have has had get gets got it it's its they them their this that that's these those there he she him her his about if me us "
    "any some as so than then into after before during without between per more most also else tell explain describe show give let know find "
    "need want like mean happen happens happened use used using please ok okay oh interesting okay. no yes now today just really still too "
    "am being help over up out only other another same".split()
)
_BEGINS_A_SENTENCE = frozenset(
    "what which who when where why how is are was were do does did can could may must should will would if i we you".split()
)
_RELATIONAL = frozenset(
    "limit limits deadline deadlines cost costs price process procedure policy policies rule rules exception exceptions requirement "
    "requirements reason reasons step steps difference differences purpose history symptoms types type kinds kind effects benefits "
    "example examples option options maximum minimum amount rate form forms system team program one ones approve approves approved "
    "expire expires apply applies required allowed enough take takes work works start end name impact advantages disadvantages "
    "side function features causes cause treatments members relationship origin role long-term average typical".split()
)
"""Says something of another thing, so alone it names no topic: "What is the deadline?" leaves open of what."""
_GENERIC = (
    r"(?:policy|policies|rules?|documents?|limits?|codes?|errors?|leave|programs?|systems?|benefits?|process|forms?|company|team|place|"
    r"thing|case|request|requirements?|allowances?)"
)
_PRONOUN = re.compile(
    rf"\b(?:(?:this|that|these|those)\s+{_GENERIC}\b|(?P<whose>its|their|his|her(?=\s+[a-z]))\b(?!\s+own)"
    r"|(?P<personal>it|they|them|he|she|him|her)\b(?!')"
    r"|(?P<bare>these|those|this)\b(?!\s+(?:is|was|are|were)\s+(?:an?|the)\b)"
    r"|(?<=of )that\b|(?<=about )that\b|(?<=for )that\b|(?<=does )that\b|(?<=did )that\b|(?<=would )that\b|(?<=is )that\b(?=\s*[?.,]|$)"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?P<place>there)\b(?!\s+(?:is|are|was|were|be|been|will|a|an|any|were)\b)"
    r"|(?<=one of )(?:them|those)\b)",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"(?<=\b)(?P<before>(?:an?|the|which|new|another)\s+(?:[\w-]+\s+)??)ones?\b(?!\s+(?:of|that|who|which|in)\b)",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\bit(?:'s|\s+(?:is|was|be))?\s+(?:take|takes|cost|costs|possible|ok|okay|allowed|necessary|true|legal|mandatory|required|likely|important|"
    r"safe|mean|matter)\b.*\s(?:to|that|if|when|for)\b|\bmakes? it\b",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(
    r"[,;:.?!]|\b(?:that|who|which|when|while|if|than|because|(?:after|before)(?= \w+ing))\b", re.IGNORECASE
)
_IDENTIFIER = re.compile(r"\b[A-Za-z]+[-_/]?\d+[\w.-]*|\b[A-Za-z]+_\w+|\b\d{3,}")
_PREPOSITION = re.compile(
    r"(?:for|in|on|at|after|before|during|under|over|with|without|from|to|by|as|when|while|if)\b", re.IGNORECASE
)
_QUANTITY = re.compile(
    r"\$?\d[\d,.]*\s*(?P<unit>years?|months?|days?|weeks?|hours?|%|percent|dollars?|people|employees)\b", re.IGNORECASE
)
_CONTENT = rf"(?!(?:{'|'.join(sorted(map(re.escape, _FUNCTION_WORDS)))})(?![\w'’-]))[\w'’.-]*[\w-]"
_LINK = r"(?:of|for|in|on|and|between|to|with)(?: (?:the|an?|my|our|your))?"
_PHRASE = re.compile(rf"(?<![\w'’-]){_CONTENT}(?: (?:{_LINK} )?{_CONTENT})*", re.IGNORECASE)
_BARE_DEFINITE = re.compile(
    r"(?:what|who|where|when|why|how)(?:'s|'re| is| are| was| were) the [a-z-]+\s*[?.]*$", re.IGNORECASE
)
"""A single noun with its article has been spoken of: "What are the symptoms?"."""


def without_opening(question: str) -> tuple[str, Opening]:
    """Take off words that only join the question to the conversation: "and …", "what about …", "by the way, …"."""
    text = question.strip()
    match = _SWITCH.match(text)
    if match:
        return text[match.end() :], "switches"
    match = _GO_ON.match(text)
    if match:
        return text[match.end() :], "goes on"
    return text, ""


def fragment(rest: str, opening: Opening) -> str:
    """Return what a question without a verb names: "contractors" of "what about contractors?"; else nothing."""
    about = _ABOUT.match(rest)
    words = rest[about.end() if about else 0 :].rstrip("?？. ").split()
    if not (about or opening == "goes on") or not 0 < len(words) <= _FRAGMENT_WORDS:
        return ""
    if words[0].lower() in _BEGINS_A_SENTENCE or _external_pronoun(rest) or _ONE.search(rest) or "?" in " ".join(words):
        return ""
    return " ".join(words)


def substitute(subject: str, previous: str) -> str:
    """Ask the previous question about another subject.

    It takes the place of the quantity of its unit (15 years for 3 years), of a name, or of the words that end as it does
    (sick leave for annual leave); else it is added, as a condition.
    """
    stem = previous.rstrip("?？. ")
    quantity = _QUANTITY.search(subject)
    same_unit = quantity and next(
        (m for m in _QUANTITY.finditer(stem) if m["unit"].rstrip("s") == quantity["unit"].rstrip("s")), None
    )
    if quantity and same_unit:
        return f"{stem[: same_unit.start()]}{quantity[0]}{stem[same_unit.end() :]}?"
    if _PREPOSITION.match(subject):
        return f"{stem} {subject}?"
    subject = re.sub(r"^(?:the|a|an|my|our|your)\s+", "", subject, flags=re.IGNORECASE)
    names = re.findall(r"(?<=\s)[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*", stem)
    if names and subject[0].isupper():
        return f"{stem.replace(names[-1], subject, 1)}?"
    last = subject.split()[-1].lower()
    alike = re.search(
        rf"(?:\b(?!(?:{'|'.join(map(re.escape, _FUNCTION_WORDS))})\b)[\w'-]+\s+){{0,2}}\b{re.escape(last)}\b",
        stem,
        re.IGNORECASE,
    )
    if alike and len(subject.split()) > 1:
        return f"{stem[: alike.start()]}{subject}{stem[alike.end() :]}?"
    return f"{stem} for {subject}?"


def fill_in(rest: str, opening: Opening, topic_before: str) -> str:
    """Put the topic of the conversation where the question points at it or leaves it out."""
    pronoun = _external_pronoun(rest)
    if pronoun and opening != "switches":
        whose = "'s" if pronoun["whose"] and not topic_before.endswith("s") else ""
        where = "in " if pronoun["place"] else ""
        return f"{rest[: pronoun.start()]}{where}{topic_before}{whose}{rest[pronoun.end() :]}"
    one = _ONE.search(rest)
    if one and not _is_bound(rest[: one.start()], whose=False) and opening != "switches":
        return f"{rest[: one.end('before')]}{topic_before}{rest[one.end() :]}"
    if not names_topic(rest):
        return f"{rest.rstrip('?？. ')} - {topic_before}?"
    return rest


def topic(question: str) -> str:
    """Return what a question is about: its first noun phrase of two words or more, else its longest."""
    phrases = [_without_relation(match[0]) for match in _PHRASE.finditer(question)]
    phrases = [phrase for phrase in phrases if phrase]
    return next((phrase for phrase in phrases if " " in phrase), max(phrases, key=len, default=""))


def _without_relation(phrase: str) -> str:
    """Take off what is said of the topic: "types of pork ribs" is about pork ribs."""
    relation = re.match(rf"([\w'’ -]+?) {_LINK} (?=\S)", phrase)
    if relation and relation[1].split()[-1].lower() in _RELATIONAL:
        return phrase[relation.end() :]
    return "" if phrase.lower() in _RELATIONAL else phrase


def names_topic(text: str) -> bool:
    """Say whether a question names something of its own to search for."""
    if _IDENTIFIER.search(text) or re.search(r"(?<=[\w,] )[A-Z][A-Za-z]", text) or re.search(r"[\"“]", text):
        return True
    if _BARE_DEFINITE.match(text):
        return False
    return any(word.lower() not in _RELATIONAL for word in _content(text))


def _content(text: str) -> list[str]:
    words = re.findall(r"[\w'’-]+(?:[./][\w-]+)*", text)
    return [word for word in words if word.lower().replace("’", "'") not in _FUNCTION_WORDS]


def _external_pronoun(text: str) -> re.Match[str] | None:
    """Find a pronoun that points out of the question.

    One inside it is bound: by content in an earlier clause, or, if it says whose, by content before it in its own clause.
    "How does exercise affect it" is not bound: the object is never the subject.
    """
    if _EXPLETIVE.search(text):
        return None
    for match in _PRONOUN.finditer(text):
        if not _is_bound(text[: match.start()], whose=bool(match["whose"] or match["bare"])):
            return match
    return None


def _is_bound(before: str, *, whose: bool) -> bool:
    # A sentence before this one, such as "That's interesting.", binds nothing.
    before = re.split(r"[.!?]\s", before)[-1]
    boundaries = list(_BOUNDARY.finditer(before))
    earlier = before[: boundaries[-1].start()] if boundaries else ""
    return bool(_content(before if whose else earlier))
