"""Read references to a part of a document: 第46条, Article 46, page 3."""

import re

from agent.facts.fact import Fact, Reader
from agent.facts.units import CLAUSE_WORDS

_CLAUSE = re.compile(
    rf"第\s*(?P<n>\d{{1,5}})\s*(?P<kind>季度|部分|[{CLAUSE_WORDS}])"
    r"|\b(?:articles?|sections?|clauses?|chapters?|page|paragraph|art\.|sec\.)\s+(?P<en>\d{1,5})(?![\d.]*\d)",
    re.IGNORECASE,
)


def _read_clause(match: re.Match[str]) -> list[Fact]:
    number, kind = str(int(match["n"] or match["en"])), match["kind"] or ""
    if kind == "季度":
        return [Fact(f"Q{number}", "identifier")]
    page = kind == "页" or match[0].lower().startswith("page")
    return [Fact(f"第{number}{kind}", "clause", number, weak=page)]


CLAUSE = Reader(_CLAUSE, _read_clause)
