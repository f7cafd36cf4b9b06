"""What an English question is about.

There is no tagger: what is no function word is taken for content, and a name is known by its capital letter.
"""

import re

_FUNCTION_WORDS = frozenset(
    "what what's which who who's whom whose when where why how many much long often far is isn't are aren't was wasn't "
    "were be been being am do does doesn't did didn't don't can can't could should would will shall may must i "
    "i'm i've we you my our your a an the of to for in on at by with from and or not have has had get gets got "
    "it it's its they them their this that that's these those there he she him her his about if "
    "me us any some as so than then into after before during without between per more most least also else "
    "tell explain describe show give let know find "
    "need want like mean means happen happens happened use used using help please ok okay oh thanks thank yes no now "
    "today just really still too over up out only other another same interesting".split()
)
_RELATIONAL = frozenset(
    "limit limits deadline deadlines cost costs price process procedure policy policies rule rules exception "
    "exceptions requirement requirements reason reasons step steps difference differences purpose history symptoms "
    "type types kind kinds form forms effect effects benefit benefits side example examples option options maximum "
    "minimum amount rate function features cause causes treatments members relationship role origin location address "
    "name impact advantages disadvantages system team program one ones average typical approve approves approved "
    "expire expires apply applies required allowed enough work works start end take takes".split()
)
"""Says something of another thing, so alone it names no topic: "What is the deadline?" leaves open of what."""
_VERBS_AT_THE_END = frozenset("work works mean start end take takes differ different apply expire accrue".split())
_SUPERLATIVE = re.compile(r"\b(?:most|least) \w+|\bthe \w+est\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"\b[A-Za-z]+[-_/]?\d+[\w.-]*|\b[A-Za-z]+_\w+|\b\d{3,}")
CONTENT = rf"(?<![\w'’-])(?!(?:{'|'.join(sorted(map(re.escape, _FUNCTION_WORDS)))})(?![\w'’-]))[\w'’.-]*[\w-]"
_LINK = r"(?:of|for|in|on|and|between|to|with)(?: (?:the|an?|my|our|your))?"
_PHRASE = re.compile(rf"{CONTENT}(?: (?:{_LINK} )?{CONTENT})*", re.IGNORECASE)
_BARE_DEFINITE = re.compile(
    r"(?:what|who|where|when|why|how)(?:'s|'re| is| are| was| were) the [a-z-]+\s*[?.]*$", re.IGNORECASE
)
"""A single noun with its article has been spoken of: "What are the symptoms?"."""


def topic(question: str) -> str:
    """Return what a question is about: its first noun phrase of two words or more, else its longest."""
    plain = _SUPERLATIVE.sub(" ", question)
    phrases = [phrase for match in _PHRASE.finditer(plain) if (phrase := _without_relation(match[0]))]
    return next((phrase for phrase in phrases if " " in phrase), max(phrases, key=len, default=""))


def names_topic(text: str) -> bool:
    """Say whether a question names something of its own to search for."""
    if _IDENTIFIER.search(text) or re.search(r"(?<=[\w,] )[A-Z][A-Za-z]", text) or re.search(r"[\"“]", text):
        return True
    if _BARE_DEFINITE.match(text):
        return False
    return any(word.lower() not in _RELATIONAL for word in content_words(_SUPERLATIVE.sub(" ", text)))


def content_words(text: str) -> list[str]:
    """Return the words that are no function words, in their order."""
    words = re.findall(r"[\w'’-]+(?:[./][\w-]+)*", text)
    return [word for word in words if word.lower().replace("’", "'") not in _FUNCTION_WORDS]


def _without_relation(phrase: str) -> str:
    """Take off what is said of the topic: "types of pork ribs" is about pork ribs."""
    relation = re.match(rf"([\w'’ -]+?) {_LINK} (?=\S)", phrase)
    if relation and relation[1].split()[-1].lower() in _RELATIONAL:
        phrase = phrase[relation.end() :]
    while phrase.rpartition(" ")[2].lower() in _VERBS_AT_THE_END:
        phrase = phrase.rpartition(" ")[0]
    return "" if phrase.lower() in _RELATIONAL else phrase
