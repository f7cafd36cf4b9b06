"""`folio documents`, and `folio extract`: what is in, and what a file would become."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.cli.options import AsJson, print_json, show
from agent.settings import Settings, load_settings
from agent.view.text import printable
from preprocessing.document import source_of
from preprocessing.extract import Extract, Extractor
from retrieval.documents.schema import DocumentRecord
from retrieval.embed import open_embedder
from retrieval.ingest import given_at, reason
from retrieval.knowledge_base import KnowledgeBase

documents_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The documents of the knowledge base.")


@documents_app.command("list")
def list_documents(as_json_: AsJson = False) -> None:
    """List the documents."""
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        records = knowledge_base.documents()
    show([_record_json(record) for record in records], [_line(record) for record in records], as_json=as_json_)


@documents_app.command("delete")
def delete_document(doc_id: Annotated[str, typer.Argument(help="Id or source.")], as_json_: AsJson = False) -> None:
    """Remove a document from the knowledge base; the file stays."""
    with KnowledgeBase.open(load_settings()) as knowledge_base:
        record = knowledge_base.delete(doc_id)
    show([_record_json(record)], [f"deleted {record.source} ({record.chunks} chunks)"], as_json=as_json_)


def extract(
    files: Annotated[list[Path], typer.Argument(help="Files, folders and patterns.")],
    password: Annotated[str | None, typer.Option(help="Password of encrypted files.")] = None,
    as_json_: AsJson = False,
) -> None:
    """Show the text, sections and chunks that files give; nothing is stored."""
    any_failed = False
    for source, extracted, error in _extracted(files, password, load_settings()):
        any_failed = any_failed or error is not None
        if as_json_:
            print_json(_extract_json(extracted or Extract(source, "", "", (), (), ()), error))
        elif extracted:
            for warning in extracted.warnings:
                typer.echo(printable(f"warning  {source}: {warning}"), err=True)
            typer.echo(printable(_extract_text(extracted)))
        else:
            typer.echo(printable(f"failed   {source}: {error}"), err=True)
    if any_failed:
        raise typer.Exit(1)


def _line(record: DocumentRecord) -> str:
    version = f"  {record.version}" if record.version else ""
    superseded = f"  (superseded by {record.superseded_by})" if record.superseded_by else ""
    return f"{record.doc_id}  {record.chunks:>4}  {record.source}{version}{superseded}"


def _record_json(record: DocumentRecord) -> dict[str, Any]:
    fields = ("doc_id", "source", "title", "doc_type", "version", "updated_at", "chunks")
    return {name: getattr(record, name) for name in fields}


def _extracted(
    paths: Sequence[Path], password: str | None, settings: Settings
) -> Iterator[tuple[str, Extract | None, str | None]]:
    """Yield the source of each file with what it became, or with the error, in the order given."""
    with Extractor(settings.chunking, lambda: open_embedder(settings).embed_passages) as extractor:
        for path in paths:
            files, failed = given_at([path])
            for file in files:
                try:
                    yield file.source, extractor.extract(file.path, password), None
                except Exception as error:  # noqa: BLE001  one bad file never stops the others
                    yield file.source, None, reason(error, source_of(file.path))
            yield from ((source, None, error) for source, error in failed)


def _extract_json(extract: Extract, error: str | None) -> dict[str, Any]:
    chunks = [{"text": one.text, "section": " > ".join(one.section), "page": one.page} for one in extract.chunks]
    return {**asdict(extract), "title": extract.title or None, "chunks": chunks, "error": error}


def _extract_text(extract: Extract) -> str:
    """Return a file for a person: its title, then each chunk under its place."""
    lines = [f"{extract.source}: {extract.title} ({len(extract.chunks)} chunks)", ""]
    for number, chunk in enumerate(extract.chunks, start=1):
        pages = f"p. {chunk.page}" if chunk.page else ""
        pages += f"–{chunk.page_end}" if chunk.page_end else ""
        place = " · ".join(filter(None, [f"[{number}]", " > ".join(chunk.section), pages]))
        lines += [place, "  " + chunk.text.replace("\n", "\n  "), ""]
    return "\n".join(lines)
