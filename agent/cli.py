"""The command line. Names and fields are a contract: scripts rely on them."""

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from agent import cli_calibrate, cli_explain, cli_index, cli_mcp, cli_serve, cli_trace
from agent.questions import one_or_many
from agent.settings import load_settings
from agent.show import printable
from preprocessing.errors import FolioError
from retrieval.catalogue import DocumentRecord
from retrieval.dates import read_day
from retrieval.filters import FilterError, parse_filters, parse_pairs
from retrieval.hit import Hit, as_json
from retrieval.ingest import IngestReport
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import Mode

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Answers from your documents, with sources.",
)
documents_app = typer.Typer(no_args_is_help=True, help="The documents of the knowledge base.")
app.add_typer(documents_app, name="documents")
app.add_typer(cli_trace.trace_app, name="trace")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="KEY=VALUE",
        help="Only this metadata; also KEY>=VALUE, >, <= and < for numbers and dates, and source=hr/*.",
    ),
]
Viewer = Annotated[list[str] | None, typer.Option("--viewer", metavar="GROUP", help="Group of the person who asks.")]
AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="DATE", help="What was in force on that day, such as 2024-01-31.")
]


def main() -> None:
    """Run the command line; what a person can mend is one line on standard error with exit code 2."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # One character that a console cannot write, or a pipe cannot be read as, must not lose the answer.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        app(prog_name="folio")
    except FolioError as error:
        typer.echo(f"folio: {error}", err=True)
        sys.exit(2)


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files, folders and patterns; - is standard input.")],
    meta: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata for these documents.")] = None,
    name: Annotated[str | None, typer.Option(help="What standard input is called, such as notes.md.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and bring in what changes, until Ctrl-C.")] = False,
    as_json_: AsJson = False,
) -> None:
    """Bring documents in; unchanged ones are left as they are, changed ones replaced."""
    from agent import ingest as door

    order = door.Order.of(paths, name, read_metadata(meta or []), watch=watch, dry_run=dry_run)
    settings = load_settings()
    if watch:
        from agent.watch import watch as run_watch

        run_watch(order, settings, lambda report: print_report(report, as_json=as_json_))
        return
    if dry_run:
        planned = door.dry_run(order, settings)
        if as_json_:
            print_json(door.plan_json(planned))
        else:
            typer.echo(printable("\n".join(door.plan_text(planned))))
        failed = planned.failed
    else:
        report = door.ingest(order, settings)
        print_report(report, as_json=as_json_)
        failed = report.failed
    if failed:
        raise typer.Exit(1)


@app.command()
def extract(
    files: Annotated[list[Path], typer.Argument(help="Files, folders and patterns.")],
    password: Annotated[str | None, typer.Option(help="Password of encrypted files.")] = None,
    as_json_: AsJson = False,
) -> None:
    """Show the text, sections and chunks that files give; nothing is stored."""
    from agent.extract import extract_files, extract_json, extract_text

    any_failed = False
    for source, extracted, error in extract_files(files, password, load_settings()):
        any_failed = any_failed or error is not None
        if as_json_:
            print_json(extract_json(source, extracted, error))
        elif extracted:
            for warning in extracted.warnings:
                typer.echo(printable(f"warning  {source}: {warning}"), err=True)
            typer.echo(printable(extract_text(extracted)))
        else:
            typer.echo(printable(f"failed   {source}: {error}"), err=True)
    if any_failed:
        raise typer.Exit(1)


@documents_app.command("list")
def list_documents(as_json_: AsJson = False) -> None:
    """List the documents."""
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        records = knowledge_base.documents()
    if as_json_:
        print_json([record_json(record) for record in records])
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
        print_json([record_json(record)])
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
    as_of: AsOf = None,
    as_json_: AsJson = False,
) -> None:
    """Search without an answer."""
    asked = one_or_many(query, queries, "--queries")
    filters, day = parse_filters(filter_ or []), read_day(as_of, "--as-of") if as_of is not None else None
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        for line in asked:
            mode_: Mode = mode  # type: ignore[assignment]  # checked by the search, with a message of its own
            hits = knowledge_base.search(line.query, k, mode_, filters, viewer, not no_rerank, day)
            if as_json_ or queries:
                print_json({"query": line.query, "hits": [as_json(rank, hit) for rank, hit in enumerate(hits, 1)]})
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
    as_of: AsOf = None,
    as_json_: AsJson = False,
) -> None:
    """Answer a question, with sources."""
    from agent.assistant import Assistant
    from agent.memory import as_turns
    from agent.show import print_answer, print_event

    if session and questions:
        raise FolioError('--session does not go with --questions: a line brings its conversation as "history"')
    asked = one_or_many(question, questions, "--questions")
    filters, day = parse_filters(filter_ or []), read_day(as_of, "--as-of") if as_of is not None else None
    # Progress and decisions go to standard error, so that a script reads nothing but answers.
    listen: Callable[[dict[str, Any]], None] | None = print_event if verbose else None
    with Assistant.open(load_settings(), remember=questions is None) as assistant:
        for line in asked:
            answer = assistant.ask(
                line.query,
                session,
                history=as_turns([message.model_dump() for message in line.history]),
                listen=listen,
                filters=filters,
                viewer=viewer,
                as_of=day,
            )
            if as_json_ or questions:
                print_json(answer.as_json())
            else:
                print_answer(line.query, answer)


@app.command()
def chat(
    session: Annotated[str | None, typer.Option(help="Go on with this conversation, or begin it.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show each decision as it is made.")] = False,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_of: AsOf = None,
) -> None:
    """Talk with the documents."""
    from agent.repl.loop import run_repl

    filters, day = parse_filters(filter_ or []), read_day(as_of, "--as-of") if as_of is not None else None
    run_repl(load_settings(), session, verbose=verbose, filters=filters, viewer=viewer, as_of=day)


app.command("why-not")(cli_explain.why_not)
app.command()(cli_explain.doctor)
app.command()(cli_index.migrate)
app.command()(cli_index.reindex)
app.command()(cli_calibrate.calibrate)
app.command()(cli_serve.serve)
app.command()(cli_mcp.mcp)
app.add_typer(cli_serve.keys_app, name="keys")


@app.command(
    "eval", context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
)
def evaluate(context: typer.Context) -> None:
    """Measure how good it is: the same as `python -m eval`."""
    # Run by name: eval stands above agent, so agent does not import it.
    sys.argv = ["folio eval", *context.args]
    runpy.run_module("eval", run_name="__main__", alter_sys=False)


def read_metadata(pairs: list[str]) -> dict[str, str | tuple[str, ...]]:
    """Read `--meta` pairs; a key given twice has several values. Raises FolioError for what is no pair."""
    try:
        given = parse_pairs(pairs)
    except FilterError:
        raise FolioError("--meta takes key=value, such as department=hr") from None
    return {key: values if len(values) > 1 else values[0] for key, values in given.items()}


def record_json(record: DocumentRecord) -> dict[str, Any]:
    """Return a document in the form of the contract."""
    fields = ("doc_id", "source", "title", "doc_type", "version", "updated_at", "chunks")
    return {name: getattr(record, name) for name in fields}


def print_json(value: Any) -> None:
    """Print one JSON value on one line, with `\\u` escapes only where the output cannot hold the characters."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(value)
    typer.echo(text)


def print_report(report: IngestReport, *, as_json: bool) -> None:
    """Print what an ingest did; for a person, failures and warnings first."""
    from agent.ingest import problems_text, report_json, report_text

    if as_json:
        print_json(report_json(report))
        return
    for line in problems_text(report):
        typer.echo(line, err=True)
    typer.echo(report_text(report))


def print_hits(hits: list[Hit]) -> None:
    """Print hits for a person."""
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


if __name__ == "__main__":
    main()
