"""`folio doctor`, `folio migrate` and `folio reindex`: is every leg alive, and chunks with another store or model."""

from dataclasses import asdict
from typing import Annotated

import typer

from agent.cli.options import AsJson, show
from agent.settings import load_settings
from agent.view.ingest import progress_bar
from retrieval.knowledge_base import KnowledgeBase
from retrieval.upkeep.doctor import Examination, Problem
from retrieval.upkeep.migration import migrate as migrate_store
from retrieval.upkeep.migration import reindex as reindex_store


def doctor(as_json: AsJson = False) -> None:
    """Say whether every leg finds passages of every language and type; the exit code is 1 when one does not."""
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        examination = knowledge_base.examine()
    show({"healthy": not examination.problems, **asdict(examination)}, _examined(examination), as_json=as_json)
    if examination.problems:
        raise typer.Exit(1)


def migrate(
    back: Annotated[bool, typer.Option("--back", help="From the server to a folder in FOLIO_HOME.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy the documents from the folder to the Qdrant server of FOLIO_QDRANT_URL; what was there stays."""
    settings = load_settings()
    with progress_bar() as progress:
        done = migrate_store(settings, back=back, progress=progress)
    moved = (
        f"{done.transferred.documents} documents, {done.transferred.chunks} chunks are now in "
        f"{done.new.named(settings)}; {done.old.named(settings)} was left as it is"
    )
    then = f"{'unset FOLIO_QDRANT_URL' if back else 'keep FOLIO_QDRANT_URL set'} to use them"
    show({**asdict(done.transferred), "from": done.old.name, "to": done.new.name}, [moved, then], as_json=as_json)


def reindex(as_json: AsJson = False) -> None:
    """Embed all chunks anew with the model of FOLIO_EMBED_MODEL, without reading files; then switch to it."""
    settings = load_settings()
    with progress_bar() as progress:
        done = reindex_store(settings, progress=progress)
    how = f"embedded anew by {done.embed_model}" if done.embedded else f"with the vectors of {done.embed_model} kept"
    lines = [f"{done.transferred.documents} documents, {done.transferred.chunks} chunks, {how}"]
    if done.left:
        lines.append(f"{done.left.named(settings)} is no longer used and can be deleted there")
    value = {**asdict(done.transferred), "embed_model": done.embed_model, "embedded": done.embedded}
    show(value, lines, as_json=as_json)


def _examined(examination: Examination) -> list[str]:
    counts = ", ".join(f"{part} {count}" for part, count in examination.chunks.items())
    lines = [f"documents {examination.documents}; chunks: {counts}"]
    lines += [
        f"{probe.leg:<8} {probe.language} {probe.doc_type:<5} finds {probe.found} of {probe.asked}"
        for probe in examination.probes
    ]
    if not examination.probes:
        lines.append("there is nothing to ask the legs for; run: folio ingest PATH")
    return [*lines, *map(_dead, examination.problems)] if examination.problems else [*lines, "every leg is well"]


def _dead(problem: Problem) -> str:
    where = " ".join(filter(None, (problem.leg, problem.language, problem.doc_type)))
    return f"DEAD     {where}: {problem.text}"
