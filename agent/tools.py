"""The two tools of the agent, made for one question."""

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from langchain_core.tools import BaseTool, Tool

from agent.evidence import EvidenceLedger, format_passage
from retrieval.hit import Hit
from retrieval.search import SearchError

MAX_QUERIES = 3

SEARCH_DESCRIPTION = (
    "Search the documents. Input: one query in the words of the question, or up to three, one a line. "
    "Output: passages under labels S1, S2, …"
)
REWRITE_DESCRIPTION = (
    "Turn a follow-up into a question that stands alone, or a comparison into up to three queries. "
    "Input: the question as it was asked. Output: the queries, numbered."
)


def knowledge_search(
    search: Callable[[str], list[Hit]], ledger: EvidenceLedger, *, top_k: int, max_searches: int
) -> BaseTool:
    """Make the search tool: it shows each passage once and refuses what was searched before."""

    def run(tool_input: str) -> str:
        queries = [line.strip() for line in tool_input.splitlines() if line.strip()][:MAX_QUERIES]
        fresh = [query for query in queries if not ledger.already(query)]
        if not queries:
            return "The query is empty. Write what to look for as the Action Input."
        if not fresh:
            ledger.repeats += 1
            seen = "; ".join(f"{query}: {', '.join(ledger.already(query).labels) or 'nothing'}" for query in queries)  # type: ignore[union-attr]
            return f"Already searched ({seen}). Answer from these passages, or search in other words."
        if len(ledger.searches) >= max_searches:
            ledger.repeats += 1
            return f"No more searches: {max_searches} were made. Write the Final Answer from the passages above."
        try:
            found = {query: search(query) for query in fresh}
        except (SearchError, TimeoutError, ConnectionError) as error:
            return f"The search failed ({error}). Answer from the passages above, or try once more."
        return _observe(found, ledger, top_k)

    return Tool(name="knowledge_search", func=run, description=SEARCH_DESCRIPTION)


def query_rewrite(rewrite: Callable[[str], Sequence[str]]) -> BaseTool:
    """Make the rewriting tool."""

    def run(tool_input: str) -> str:
        queries = rewrite(tool_input.strip())
        return "\n".join(f"{number}. {query}" for number, query in enumerate(queries, start=1))

    return Tool(name="query_rewrite", func=run, description=REWRITE_DESCRIPTION)


def _observe(found: dict[str, list[Hit]], ledger: EvidenceLedger, top_k: int) -> str:
    """Record the hits and tell the model what is new; several queries share the places fairly."""
    places = top_k if len(found) == 1 else top_k + len(found)
    shared = [hit for hit in chain.from_iterable(zip_longest(*found.values())) if hit is not None]
    kept = {hit.chunk.chunk_id for hit in _first_of_each(shared)[:places]}
    new = [
        evidence
        for query, hits in found.items()
        for evidence in ledger.record(query, [hit for hit in hits if hit.chunk.chunk_id in kept])
    ]
    seen = sorted({label for search in ledger.searches[-len(found) :] for label in search.labels}, key=_number)
    old = [label for label in seen if label not in {evidence.label for evidence in new}]
    parts = [format_passage(evidence) for evidence in new]
    if old:
        parts.append(f"Already shown above: {', '.join(old)}.")
    if not new:
        parts.append("Nothing new was found. Answer from what is there, or say NOT_FOUND.")
    return "\n\n".join(parts)


def _first_of_each(hits: Sequence[Hit]) -> list[Hit]:
    return list({hit.chunk.chunk_id: hit for hit in reversed(hits)}.values())[::-1]


def _number(label: str) -> int:
    return int(label[1:])
