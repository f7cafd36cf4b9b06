"""`folio ingest`: bring files or standard input in, once or on every change, or say what would be done."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agent.cli.options import AsJson, show
from agent.cli.watch import follow
from agent.settings import Settings, load_settings
from agent.view.ingest import plan_json, plan_text, problems_text, progress_bar, report_json, report_text
from preprocessing.errors import FolioError
from preprocessing.load import MAX_BYTES
from retrieval.embed import open_embedder
from retrieval.filters import FilterError, parse_pairs
from retrieval.ingest import IngestReport, Metadata, Plan, given_at, given_data, plan
from retrieval.knowledge_base import KnowledgeBase

STANDARD_INPUT = Path("-")


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files, folders and patterns; - is standard input.")],
    meta: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata for these documents.")] = None,
    name: Annotated[str | None, typer.Option(help="What standard input is called, such as notes.md.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and bring in what changes, until Ctrl-C.")] = False,
    as_json_: AsJson = False,
) -> None:
    """Bring documents in; unchanged ones are left as they are, changed ones replaced."""
    check_usage(paths, name, watch=watch, dry_run=dry_run)
    metadata, settings = read_metadata(meta or []), load_settings()
    if watch:
        follow(paths, metadata, settings, lambda report: _print_report(report, as_json=as_json_))
        return
    done = _planned(paths, name, metadata, settings) if dry_run else _brought_in(paths, name, metadata, settings)
    if isinstance(done, IngestReport):
        _print_report(done, as_json=as_json_)
    else:
        show(plan_json(done), plan_text(done), as_json=as_json_)
    if done.failed:
        raise typer.Exit(1)


def check_usage(paths: Sequence[Path], name: str | None, *, watch: bool, dry_run: bool) -> None:
    """Check that the arguments go together. Raises FolioError."""
    if STANDARD_INPUT in paths:
        if len(paths) > 1 or watch:
            raise FolioError("standard input (-) is brought in alone: without other paths and without --watch")
        if not name:
            raise FolioError("standard input (-) needs --name with the type of its content, such as notes.md")
    elif name:
        raise FolioError("--name is for standard input: folio ingest - --name notes.md")
    if watch and dry_run:
        raise FolioError("--watch and --dry-run do not go together: a dry run brings nothing in")


def read_metadata(pairs: list[str]) -> Metadata:
    """Read `--meta` pairs; a key given twice has several values. Raises FolioError for what is no pair."""
    try:
        given = parse_pairs(pairs)
    except FilterError:
        raise FolioError("--meta takes key=value, such as department=hr") from None
    return {key: values if len(values) > 1 else values[0] for key, values in given.items()}


def _brought_in(paths: Sequence[Path], name: str | None, metadata: Metadata, settings: Settings) -> IngestReport:
    with KnowledgeBase.open(settings) as knowledge_base, progress_bar() as progress:
        if name:
            return knowledge_base.ingest_data(_standard_input(), name, metadata)
        return knowledge_base.ingest(paths, metadata, progress)


def _planned(paths: Sequence[Path], name: str | None, metadata: Metadata, settings: Settings) -> Plan:
    embedder = open_embedder(settings)
    if name:
        with given_data(_standard_input(), name) as given:
            return plan([given], metadata, settings, embedder)
    files, failed = given_at(paths)
    with progress_bar() as progress:
        planned = plan(files, metadata, settings, embedder, progress)
    planned.failed[:0] = failed
    return planned


def _standard_input() -> bytes:
    # One byte above the limit is enough for the loader to refuse it.
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _print_report(report: IngestReport, *, as_json: bool) -> None:
    # For a person, failures and warnings first.
    for line in () if as_json else problems_text(report):
        typer.echo(line, err=True)
    show(report_json(report), [report_text(report)], as_json=as_json)
