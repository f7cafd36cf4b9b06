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
        r"\bwho\b.*\b(?P<lack>(?:ha(?:s|ve) no|lacks?|do(?:es)?(?: not|n't) have) (?:an? |any )?(?P<what>[a-z-]{3,}))",
        re.I,
    ),
)
_DENIES = re.compile(rf"(?:{_LACKS})|\b(?:no|not|without|none|never|lack\w*)\b|n't\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[，,。；;！!？?\n]|\.(?=\s|$)")


def had_by_all(question: str, evidence: str) -> Iterator[str]:
    """Yield what somebody who is asked for must not have, where the evidence speaks only of those who have it."""
    asked = unicodedata.normalize("NFKC", question).replace("’", "'").strip()
    clauses = _CLAUSE.split(unicodedata.normalize("NFKC", evidence))
    for match in filter(None, (form.search(asked) for form in _WHO_LACKS)):
        what = folded(match["what"])
        speaking = [clause for clause in clauses if what in folded(clause)]
        if speaking and not any(_DENIES.search(clause) for clause in speaking):
            yield match["lack"]
