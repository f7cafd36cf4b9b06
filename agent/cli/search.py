"""`folio search` and `folio why-not`: passages without an answer, and where a search loses a document."""

from pathlib import Path
from typing import Annotated

import typer

from agent.cli.options import AsJson, AsOf, Filters, Viewer, day_of, one_or_many, print_json
from agent.settings import load_settings
from agent.view.text import printable
from agent.view.why_not import verdict_json, verdict_text
from retrieval.filters import parse_filters
from retrieval.hit import Hit, as_json
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import Mode
from retrieval.text.folding import language_of


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
    filters, day = parse_filters(filter_ or []), day_of(as_of)
    mode_: Mode = mode  # type: ignore[assignment]  # checked by the search, with a message of its own
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        for line in asked:
            hits = knowledge_base.search(line.query, k, mode_, filters, viewer, not no_rerank, day)
            if as_json_ or queries:
                print_json({"query": line.query, "hits": [as_json(rank, hit) for rank, hit in enumerate(hits, 1)]})
            else:
                _print_hits(hits)


def why_not(
    document: Annotated[str, typer.Argument(metavar="DOC", help="Id or source of the document.")],
    question: Annotated[str, typer.Argument(help="The question for which it was expected.")],
    k: Annotated[int, typer.Option("--k", help="How many hits it was expected among.")] = 5,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """Say where a search loses a document, and by how much."""
    filters, day = parse_filters(filter_ or []), day_of(as_of)
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        verdict = knowledge_base.why_not(question, document, k, filters, viewer, day)
    language = language_of(question)
    if as_json:
        print_json(verdict_json(verdict, question, language))
    else:
        typer.echo(printable(verdict_text(verdict, language)))


def _print_hits(hits: list[Hit]) -> None:
    for rank, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        page = f", p. {chunk.page}" if chunk.page else ""
        typer.echo(printable(f"{rank}. {chunk.heading} ({chunk.source}{page})  {hit.score:.4f}"))
        if hit.superseded_by:
            typer.echo(printable(f"   superseded by {hit.superseded_by}"))
        typer.echo(printable("   " + chunk.text.replace("\n", "\n   ") + "\n"))
        if hit.also_in:
            typer.echo(printable(f"   the same in {', '.join(hit.also_in)}\n"))
    if not hits:
        typer.echo("nothing was found")
