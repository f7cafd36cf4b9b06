"""`folio extract`: what a file becomes, for a person or a script; nothing is stored."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from preprocessing.extract import Extract, Extractor
from preprocessing.source import source_of
from retrieval.embed import open_embedder
from retrieval.given import given_at
from retrieval.ingest import reason

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

Extracted = tuple[str, Extract | None, str | None]
"""Source, what it became, or the error."""


def extract_files(paths: Sequence[Path], password: str | None, settings: "RetrievalSettings") -> Iterator[Extracted]:
    """Yield each file in the order given; one bad file never stops the others."""
    with Extractor(settings.chunking, lambda: open_embedder(settings).embed_passages) as extractor:
        for path in paths:
            files, failed = given_at([path])
            for file in files:
                try:
                    yield file.source, extractor.extract(file.path, password), None
                except Exception as error:  # noqa: BLE001  one bad file never stops the others
                    yield file.source, None, reason(error, source_of(file.path))
            for source, error_ in failed:
                yield source, None, error_


def extract_json(source: str, extract: Extract | None, error: str | None) -> dict[str, Any]:
    """Return a file in the form of the contract."""
    return {
        "source": source,
        "title": extract.title if extract else None,
        "text": extract.text if extract else "",
        "sections": [list(path) for path in extract.sections] if extract else [],
        "chunks": [
            {"text": chunk.text, "section": " > ".join(chunk.section), "page": chunk.page} for chunk in extract.chunks
        ]
        if extract
        else [],
        "warnings": list(extract.warnings) if extract else [],
        "error": error,
    }


def extract_text(extract: Extract) -> str:
    """Return a file for a person: its title, then each chunk under its place."""
    lines = [f"{extract.source}: {extract.title} ({len(extract.chunks)} chunks)", ""]
    for number, chunk in enumerate(extract.chunks, start=1):
        pages = f"p. {chunk.page}" if chunk.page else ""
        pages += f"–{chunk.page_end}" if chunk.page_end else ""
        place = " · ".join(filter(None, [f"[{number}]", " > ".join(chunk.section), pages]))
        lines += [place, "  " + chunk.text.replace("\n", "\n  "), ""]
    return "\n".join(lines)
