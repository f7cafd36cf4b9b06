"""The two tools of the agent, made for one question."""

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from langchain_core.tools import BaseTool, tool

from agent.checks.citations import without_labels
from agent.evidence import EvidenceLedger, fenced, format_passage, is_same_search, label_ranges, plain, words_of
from retrieval.hit import Hit
from retrieval.remote.address import EndpointBusy
from retrieval.search import SearchError

MAX_QUERIES = 3
MAX_QUERY_CHARS = 500
MAX_REWRITES = 2
"""Of one question; who asks for more goes in circles."""

SEARCH_DESCRIPTION = (
    "Search the documents. Input: one query in the words of the question, or up to three, one a line. "
    "Output: passages under labels S1, S2, …"
)
REWRITE_DESCRIPTION = (
    "Turn a follow-up into a question that stands alone, or a comparison into up to three queries. "
    "Input: the question as it was asked. Output: the queries, numbered."
)


def knowledge_search(
    search: Callable[[str], list[Hit]],
    ledger: EvidenceLedger,
    *,
    top_k: int,
    max_searches: int,
    alone: Callable[[str], str] = lambda query: query,
) -> BaseTool:
    """Make the search tool: it shows each passage once, and refuses what was searched before.

    `alone` returns what is searched for in the place of a query that needs the conversation.
    """

    @tool(description=SEARCH_DESCRIPTION)
    def knowledge_search(input: str) -> str:
        # A label is of the answer, never of what is looked for.
        lines = [" ".join(line.split())[:MAX_QUERY_CHARS] for line in without_labels(plain(input)).splitlines()]
        queries = list(dict.fromkeys(alone(line) for line in lines if line))[:MAX_QUERIES]
        if not queries:
            return "The query is empty. Write what to look for as the Action Input."
        fresh = [query for query in queries if not ledger.already(query)]
        if not fresh:
            ledger.repeats += 1
            seen = "; ".join(f"{query}: {_labels_of(query, ledger)}" for query in queries)
            return f"Already seen ({seen}). {_advice(ledger)}"
        if ledger.rounds >= max_searches:
            ledger.repeats += 1
            return f"No more searches: {max_searches} were made. Write the Final Answer from the passages above."
        try:
            found = {query: search(query) for query in fresh}
        except (SearchError, EndpointBusy, TimeoutError, ConnectionError) as error:
            return f"The search failed ({error}). Answer from the passages above, or try once more."
        ledger.rounds += 1
        return _observe(found, ledger, top_k)

    return knowledge_search


def query_rewrite(rewrite: Callable[[str], Sequence[str]], ledger: EvidenceLedger, *, asked: str = "") -> BaseTool:
    """Make the rewriting tool: it rewrites twice at most, nothing again, and nothing that it wrote itself.

    The ledger learns the sub-questions of a broad question. `asked` is what the person said, the question in its first
    line: it is rewritten instead of what has no word in common with it.
    """
    asked_before: list[str] = []
    given: list[str] = []

    @tool(description=REWRITE_DESCRIPTION)
    def query_rewrite(input: str) -> str:
        asked_for = plain(input).strip()
        if asked and not words_of(asked_for) & words_of(asked):
            # Such as the example of the prompt, which small models copy.
            asked_for = asked.splitlines()[0]
        is_known = any(is_same_search(asked_for, one) for one in [*asked_before, *given])
        if is_known or len(asked_before) >= MAX_REWRITES:
            ledger.repeats += 1
            return f"Already rewritten. Search for it with knowledge_search:\n{_numbered(given)}"
        queries = list(rewrite(asked_for))
        asked_before.append(asked_for)
        given[:] = queries
        if len(queries) > 1:
            ledger.sub_questions = tuple(queries)
        if len(queries) == 1 and is_same_search(queries[0], asked_for):
            return f"{_numbered(queries)}\nIt stands alone. Search for it with knowledge_search."
        return _numbered(queries)

    return query_rewrite


def _numbered(queries: Sequence[str]) -> str:
    return "\n".join(f"{number}. {query}" for number, query in enumerate(queries, start=1))


def _observe(found: dict[str, list[Hit]], ledger: EvidenceLedger, top_k: int) -> str:
    """Record the hits and tell the model what is new; several queries share the places fairly."""
    places = top_k if len(found) == 1 else top_k + len(found)
    shared = [hit.chunk.chunk_id for hit in chain.from_iterable(zip_longest(*found.values())) if hit]
    kept = list(dict.fromkeys(shared))[:places]
    new = [
        evidence
        for query, hits in found.items()
        for evidence in ledger.record(query, [hit for hit in hits if hit.chunk.chunk_id in kept])
    ]
    seen = {label for search in ledger.searches[-len(found) :] for label in search.labels}
    old = seen - {evidence.label for evidence in new}
    parts = [fenced("\n\n".join(map(format_passage, new)), ledger.mark)] if new else []
    if old:
        parts.append(f"Already shown above: {label_ranges(sorted(old))}.")
    if not new:
        parts.append(f"Nothing new was found. {_advice(ledger)}")
    if ledger.sub_questions:
        parts.append(_ticked_off(ledger))
    return "\n\n".join(parts)


def _advice(ledger: EvidenceLedger) -> str:
    """Say what may help more than another search of this kind."""
    if left := ledger.unsearched():
        return f"Try the sub-question that is not searched yet: {left[0]}"
    if not len(ledger):
        return "Try other words, a broader term, or say NOT_FOUND."
    return "Try to answer from these passages; if something is missing, try other words for it, or say NOT_FOUND."


def _ticked_off(ledger: EvidenceLedger) -> str:
    """List the sub-questions with what was found for each."""
    lines = [
        f"[x] {question}: {_labels_of(question, ledger)}" if ledger.already(question) else f"[ ] {question}"
        for question in ledger.sub_questions
    ]
    return "\n".join(["Sub-questions:", *lines])


def _labels_of(query: str, ledger: EvidenceLedger) -> str:
    search = ledger.already(query)
    return label_ranges(search.labels) if search and search.labels else "nothing"
