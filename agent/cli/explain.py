"""`folio why-not` and `folio doctor`: what became of a document, and whether every leg is alive."""

from dataclasses import asdict
from typing import Annotated

import typer

from agent.cli.options import AsJson, AsOf, Filters, Viewer, day_of, print_json
from agent.settings import load_settings
from agent.view.text import printable
from agent.view.why_not import verdict_json, verdict_text
from retrieval.filters import parse_filters
from retrieval.knowledge_base import KnowledgeBase
from retrieval.text.language import language_of
from retrieval.upkeep.doctor import Examination, Problem


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


def doctor(as_json: AsJson = False) -> None:
    """Say whether every leg finds passages of every language and type; the exit code is 1 when one does not."""
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        examination = knowledge_base.examine()
    if as_json:
        print_json({"healthy": not examination.problems, **asdict(examination)})
    else:
        typer.echo(printable("\n".join(_lines(examination))))
    if examination.problems:
        raise typer.Exit(1)


def _lines(examination: Examination) -> list[str]:
    counts = ", ".join(f"{part} {count}" for part, count in examination.chunks.items())
    lines = [f"documents {examination.documents}; chunks: {counts}"]
    lines += [
        f"{probe.leg:<8} {probe.language} {probe.doc_type:<5} finds {probe.found} of {probe.asked}"
        for probe in examination.probes
    ]
    if not examination.probes:
        lines.append("there is nothing to ask the legs for; run: folio ingest PATH")
    return [*lines, *map(_problem, examination.problems)] if examination.problems else [*lines, "every leg is well"]


def _problem(problem: Problem) -> str:
    where = " ".join(filter(None, (problem.leg, problem.language, problem.doc_type)))
    return f"DEAD     {where}: {problem.text}"
