"""The command line. Names and fields are a contract: scripts rely on them."""

import json
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.settings import load_settings
from preprocessing.errors import FolioError
from retrieval.filters import parse_filters
from retrieval.hit import Hit, as_json
from retrieval.knowledge_base import IngestReport, KnowledgeBase
from retrieval.search import Mode

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Answers from your documents, with sources.",
)
documents_app = typer.Typer(no_args_is_help=True, help="The documents of the knowledge base.")
trace_app = typer.Typer(no_args_is_help=True, help="What the agent did for a question.")
app.add_typer(documents_app, name="documents")
app.add_typer(trace_app, name="trace")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Filters = Annotated[
    list[str] | None, typer.Option("--filter", metavar="KEY=VALUE", help="Only documents with this metadata.")
]
Viewer = Annotated[list[str] | None, typer.Option("--viewer", metavar="GROUP", help="Group of the person who asks.")]


def main() -> None:
    """Run the command line; what a person can mend is one line on standard error with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot write a character must not lose the answer.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        app()
    except FolioError as error:
        typer.echo(f"folio: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        sys.stderr.close()
        sys.exit(0)


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.")],
    meta: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata for these documents.")] = None,
    as_json_: AsJson = False,
) -> None:
    """Bring documents in; unchanged ones are left as they are, changed ones replaced."""
    metadata = {key: values if len(values) > 1 else values[0] for key, values in parse_filters(meta or []).items()}
    with KnowledgeBase.open(load_settings()) as knowledge_base, progress_bar() as progress:
        report = knowledge_base.ingest(paths, metadata, progress)
    if as_json_:
        print_json(report_json(report))
    else:
        print_report(report)
    if report.failed:
        raise typer.Exit(1)


@documents_app.command("list")
def list_documents(as_json_: AsJson = False) -> None:
    """List the documents."""
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        records = knowledge_base.documents()
    if as_json_:
        fields = ("doc_id", "source", "title", "doc_type", "version", "updated_at", "chunks")
        print_json([{name: getattr(record, name) for name in fields} for record in records])
        return
    for record in records:
        version = f"  {record.version}" if record.version else ""
        superseded = f"  (superseded by {record.superseded_by})" if record.superseded_by else ""
        typer.echo(f"{record.doc_id}  {record.chunks:>4}  {record.source}{version}{superseded}")


@documents_app.command("delete")
def delete_document(doc_id: Annotated[str, typer.Argument(help="Id or source.")], as_json_: AsJson = False) -> None:
    """Remove a document from the knowledge base; the file stays."""
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        record = knowledge_base.delete(doc_id)
    if as_json_:
        print_json({"doc_id": record.doc_id, "source": record.source, "chunks": record.chunks})
    else:
        typer.echo(f"deleted {record.source} ({record.chunks} chunks)")


@app.command()
def search(
    query: Annotated[str | None, typer.Argument(help="What to look for.")] = None,
    queries: Annotated[Path | None, typer.Option(help='JSON lines with "query"; one result a line.')] = None,
    k: Annotated[int, typer.Option("--k", help="How many hits.")] = 5,
    mode: Annotated[str, typer.Option(help="hybrid, vector, or keyword.")] = "hybrid",
    no_rerank: Annotated[bool, typer.Option("--no-rerank", help="Keep the fused order.")] = False,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_json_: AsJson = False,
) -> None:
    """Search without an answer."""
    asked = one_or_many(query, queries, "--queries")
    filters = parse_filters(filter_ or [])
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        for line in asked:
            mode_: Mode = mode  # type: ignore[assignment]  # checked by the search, with a message of its own
            hits = knowledge_base.search(line["query"], k, mode_, filters, viewer, rerank=not no_rerank)
            if as_json_ or queries:
                print_json({"query": line["query"], "hits": [as_json(rank, hit) for rank, hit in enumerate(hits, 1)]})
            else:
                print_hits(hits)


@app.command()
def ask(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    questions: Annotated[Path | None, typer.Option(help='JSON lines with "query" and, if wanted, "history".')] = None,
    session: Annotated[str | None, typer.Option(help="Go on with this conversation, or begin it.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show each decision.")] = False,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_json_: AsJson = False,
) -> None:
    """Answer a question, with sources."""
    from agent.assistant import Assistant
    from agent.memory import as_turns
    from agent.show import print_answer, print_event

    asked = one_or_many(question, questions, "--questions")
    filters = parse_filters(filter_ or [])
    # Progress and decisions go to standard error, so that a script reads nothing but answers.
    listen: Callable[[dict[str, Any]], None] | None = print_event if verbose else None
    with Assistant.open(load_settings(), remember=questions is None) as assistant:
        for line in asked:
            answer = assistant.ask(
                line["query"],
                session,
                history=as_turns(line.get("history") or []),
                listen=listen,
                filters=filters,
                viewer=viewer,
            )
            if as_json_ or questions:
                print_json(answer.as_json())
            else:
                print_answer(line["query"], answer)


@app.command()
def chat(
    session: Annotated[str | None, typer.Option(help="Go on with this conversation, or begin it.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show each decision as it is made.")] = False,
) -> None:
    """Talk with the documents."""
    from agent.repl import run_repl

    run_repl(load_settings(), session, verbose=verbose)


@trace_app.command("show")
def show_trace(trace_id: str, as_json_: AsJson = False) -> None:
    """Show each thought, tool call and observation of an answer."""
    from agent.show import print_trace
    from agent.trace import read_trace

    record = read_trace(load_settings().home / "traces", trace_id)
    if as_json_:
        print_json(record)
    else:
        print_trace(record)


@app.command(
    "eval", context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
)
def evaluate(context: typer.Context) -> None:
    """Measure how good it is: the same as `python -m eval`."""
    # Run by name: eval stands above agent, so agent does not import it.
    sys.argv = ["folio eval", *context.args]
    runpy.run_module("eval", run_name="__main__", alter_sys=False)


def one_or_many(one: str | None, many: Path | None, option: str) -> list[dict[str, Any]]:
    """Return the lines to work on: the argument, or those of the file; raise FolioError for neither or both."""
    if (one is None) == (many is None):
        raise FolioError(f"give either a question or {option} FILE.jsonl")
    return [{"query": one}] if many is None else read_lines(many)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines that hold a "query"; raise FolioError naming file and line for one that does not."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FolioError(f"{path} cannot be read as UTF-8 text: {error}") from None
    lines: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise FolioError(f"{path}, line {number}: not JSON ({error.msg})") from None
        if not isinstance(value, dict) or not isinstance(value.get("query"), str) or not value["query"].strip():
            raise FolioError(f'{path}, line {number}: needs a "query", such as {{"query": "年假有几天？"}}')
        lines.append(value)
    return lines


def report_json(report: IngestReport) -> dict[str, Any]:
    """Return the report of an ingest in the form of the contract."""
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "unchanged": report.unchanged,
        "updated": report.updated,
        "failed": [{"source": source, "error": error} for source, error in report.failed],
    }


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def print_report(report: IngestReport) -> None:
    """Print what an ingest did, failures and warnings first."""
    for source, error in report.failed:
        typer.echo(f"failed   {source}: {error}", err=True)
    for source, warning in report.warnings:
        typer.echo(f"warning  {source}: {warning}", err=True)
    typer.echo(
        f"{report.documents} documents, {report.chunks} chunks "
        f"({report.unchanged} unchanged, {report.updated} updated, {len(report.failed)} failed)"
    )


def print_hits(hits: list[Hit]) -> None:
    """Print hits for a person."""
    for rank, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        page = f", p. {chunk.page}" if chunk.page else ""
        typer.echo(f"{rank}. {chunk.heading} ({chunk.source}{page})  {hit.score:.4f}")
        typer.echo("   " + chunk.text.replace("\n", "\n   ") + "\n")
    if not hits:
        typer.echo("nothing was found")


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None] | None]:
    """Show the progress of an ingest on standard error, when that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, source: bar.update(task, completed=done, total=total, description=source)


if __name__ == "__main__":
    main()
