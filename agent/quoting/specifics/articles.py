"""Articles that a question asks for of a rule by its name."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from agent.facts.normal import folded
from retrieval.numerals import fold_ordinals

_ARTICLE_OF = re.compile(
    r"(?P<rule>[\u4e00-\u9fff]{2,20}?(?:法|条例|办法|规定|细则|规则|制度|章程))》?(?:的|中|里|之)?(?P<article>第\d+条)"
)


def articles_elsewhere(question: str, passages: Sequence[str]) -> Iterator[str]:
    """Yield rule and article where the passages hold both, but not that article of that rule."""
    for match in _ARTICLE_OF.finditer(fold_ordinals(unicodedata.normalize("NFKC", question))):
        rule, article = folded(match["rule"]), match["article"]
        of_rule = [passage for passage in passages if rule in folded(passage)]
        stands = any(article in folded(passage) for passage in passages)
        begins = re.compile(rf"^[\s#>*]*{article}(?![之\d])", re.MULTILINE)
        if stands and of_rule and not any(begins.search(fold_ordinals(one)) for one in of_rule):
            yield match["rule"] + article
