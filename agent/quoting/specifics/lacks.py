"""What somebody who is asked for must not have: who has no licence?"""

import re
import unicodedata
from collections.abc import Iterator

from agent.facts.normal import folded

_LACKS = r"没有|未持有|未取得|不具备|不持有|不含|无"
_WHO_LACKS = (
    re.compile(
        rf"(?P<lack>(?:{_LACKS})(?P<what>[\u3400-\u9fff]{{2,8}}?))的[\u3400-\u9fff]{{0,6}}?(?:谁|哪[个些位]人?)[?。]?$"
    ),
    re.compile(
        rf"(?:谁|哪[个些位家种][\u3400-\u9fff]{{1,4}}?)(?P<lack>(?:{_LACKS})(?P<what>[\u3400-\u9fff]{{2,8}}?))[?。]?$"
    ),
    re.compile(
        r"\bwho\b.{0,80}?\b(?P<lack>(?:ha(?:s|ve) no|lacks?|do(?:es)?(?: not|n't) have) (?:an? |any )?"
        r"(?P<what>[a-z-]{3,}))",
        re.I,
    ),
)
_DENIES = re.compile(
    rf"(?:{_LACKS})|不享|[否仅只]|除外|\b(?:no|not|without|none|never|only|lack\w*|refus\w*|exclud\w*|except)\b|n't\b",
    re.IGNORECASE,
)


def had_by_all(question: str, evidence: str) -> Iterator[str]:
    """Yield what somebody who is asked for must not have, where the evidence speaks only of those who have it.

    A table speaks of it in all of its rows.
    """
    asked = unicodedata.normalize("NFKC", question).replace("’", "'").strip()
    lines = unicodedata.normalize("NFKC", evidence).splitlines()
    for match in filter(None, (form.search(asked) for form in _WHO_LACKS)):
        what = folded(match["what"])
        speaking = [line for line in lines if what in folded(line)]
        if any(line.lstrip().startswith("|") for line in speaking):
            speaking = [*speaking, *(line for line in lines if line.lstrip().startswith("|"))]
        if speaking and not any(_DENIES.search(line) for line in speaking):
            yield match["lack"]
