"""`folio why-not` and `folio doctor`: what became of a document, and whether every leg is alive."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from agent.language import language_of
from agent.settings import load_settings
from agent.show import printable
from retrieval.dates import read_day
from retrieval.filters import parse_filters
from retrieval.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from retrieval.doctor import Examination, Problem

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def why_not(
    document: Annotated[str, typer.Argument(metavar="DOC", help="Id or source of the document.")],
    question: Annotated[str, typer.Argument(help="The question for which it was expected.")],
    k: Annotated[int, typer.Option("--k", help="How many hits it was expected among.")] = 5,
    filter_: Annotated[list[str] | None, typer.Option("--filter", metavar="KEY=VALUE", help="As for search.")] = None,
    viewer: Annotated[list[str] | None, typer.Option("--viewer", metavar="GROUP", help="As for search.")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="As for search.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say where a search loses a document, and by how much."""
    from agent.cli import print_json  # which imports this module
    from agent.why_not_text import verdict_json, verdict_text

    filters, day = parse_filters(filter_ or []), read_day(as_of, "--as-of") if as_of is not None else None
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        verdict = knowledge_base.why_not(question, document, k, filters, viewer, day)
    language = language_of(question)
    if as_json:
        print_json(verdict_json(verdict, question, language))
    else:
        typer.echo(printable(verdict_text(verdict, language)))


def doctor(as_json: AsJson = False) -> None:
    """Say whether every leg finds passages of every language and type; the exit code is 1 when one does not."""
    from agent.cli import print_json  # which imports this module

    with KnowledgeBase.open(load_settings()) as knowledge_base:
        examination = knowledge_base.examine()
    if as_json:
        print_json({"healthy": not examination.problems, **asdict(examination)})
    else:
        for line in _lines(examination):
            typer.echo(printable(line))
    if examination.problems:
        raise typer.Exit(1)


def _lines(examination: "Examination") -> list[str]:
    counts = ", ".join(f"{part} {count}" for part, count in examination.chunks.items())
    lines = [f"documents {examination.documents}; chunks: {counts}"]
    lines += [
        f"{probe.leg:<8} {probe.language} {probe.doc_type:<5} finds {probe.found} of {probe.asked}"
        for probe in examination.probes
    ]
    if not examination.probes:
        lines.append("there is nothing to ask the legs for; run: folio ingest PATH")
    return [*lines, *map(_problem, examination.problems)] if examination.problems else [*lines, "every leg is well"]


def _problem(problem: "Problem") -> str:
    where = " ".join(filter(None, (problem.leg, problem.language, problem.doc_type)))
    return f"DEAD     {where}: {problem.text}"
