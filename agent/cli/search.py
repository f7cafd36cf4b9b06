"""`folio search` and `folio why-not`: passages without an answer, and where a search loses a document."""

from pathlib import Path
from typing import Annotated

import typer

from agent.cli.options import AsJson, AsOf, Filters, Viewer, one_or_many, show
from agent.settings import load_settings
from agent.view.why_not import verdict_json, verdict_text
from retrieval.filters import parse_filters
from retrieval.hit import Hit, as_json
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import Mode
from retrieval.text.writing import language_of


def search(
    query: Annotated[str | None, typer.Argument(help="What to look for.")] = None,
    queries: Annotated[Path | None, typer.Option(help='JSON lines with "query"; one result a line.')] = None,
    k: Annotated[int, typer.Option("--k", help="How many hits.")] = 5,
    mode: Annotated[str, typer.Option(help="hybrid, vector, or keyword.")] = "hybrid",
    no_rerank: Annotated[bool, typer.Option("--no-rerank", help="Keep the fused order.")] = False,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_of: AsOf = None,
    as_json_: AsJson = False,
) -> None:
    """Search without an answer."""
    asked = one_or_many(query, queries, "--queries")
    filters = parse_filters(filter_ or [])
    mode_: Mode = mode  # type: ignore[assignment]  # checked by the search, with a message of its own
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        for line in asked:
            hits = knowledge_base.search(line.query, k, mode_, filters, viewer, not no_rerank, as_of)
            found = {"query": line.query, "hits": [as_json(rank, hit) for rank, hit in enumerate(hits, 1)]}
            show(found, _lines(hits), as_json=as_json_ or queries is not None)


def why_not(
    document: Annotated[str, typer.Argument(metavar="DOC", help="Id or source of the document.")],
    question: Annotated[str, typer.Argument(help="The question for which it was expected.")],
    k: Annotated[int, typer.Option("--k", help="How many hits it was expected among.")] = 5,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_of: AsOf = None,
    as_json_: AsJson = False,
) -> None:
    """Say where a search loses a document, and by how much."""
    filters = parse_filters(filter_ or [])
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        verdict = knowledge_base.why_not(question, document, k, filters, viewer, as_of)
    language = language_of(question)
    show(verdict_json(verdict, question, language), [verdict_text(verdict, language)], as_json=as_json_)


def _lines(hits: list[Hit]) -> list[str]:
    lines = []
    for rank, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        page = f", p. {chunk.page}" if chunk.page else ""
        lines.append(f"{rank}. {chunk.heading} ({chunk.source}{page})  {hit.score:.4f}")
        lines += [f"   superseded by {hit.superseded_by}"] if hit.superseded_by else []
        lines.append("   " + chunk.text.replace("\n", "\n   ") + "\n")
        lines += [f"   the same in {', '.join(hit.also_in)}\n"] if hit.also_in else []
    return lines or ["nothing was found"]
