"""A document as its chunks hold it: found by the name that somebody gives it, and read section by section."""

import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.documents.catalogue import UnknownDocument
from retrieval.documents.schema import DocumentRecord

_MOST_NAMED = 3
_ARROW = re.compile(r"\s*[>›»]\s*")


class UnknownSection(FolioError):
    """The document has no section of that name."""


@dataclass(frozen=True, slots=True)
class SectionText:
    """What stands under one heading of a document."""

    path: tuple[str, ...]
    """Headings from the outermost to this one, without the title; empty before the first heading."""
    page: int | None
    """Page on which it begins, where the document has pages."""
    text: str


def document_named(name: str, records: Sequence[DocumentRecord]) -> DocumentRecord:
    """Return the document of that id or source, or the only one of that file name.

    Raises UnknownDocument, which names what the name may be meant for.
    """
    wanted = _folded(name)
    for record in records:
        if name.strip() == record.doc_id or wanted == _folded(record.source):
            return record
    of_name = [record for record in records if wanted == _folded(PurePosixPath(record.source).name)]
    if len(of_name) == 1:
        return of_name[0]
    if of_name:
        sources = ", ".join(record.source for record in of_name[:_MOST_NAMED])
        raise UnknownDocument(f"several documents are called {name!r}; name one whole: {sources}")
    raise UnknownDocument(f"there is no document {name!r}{_nearest(name, [record.source for record in records])}")


def sections_of(chunks: Sequence[Chunk]) -> list[SectionText]:
    """Return the sections of a document, given its chunks in order."""
    grouped = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.section)]
    return [
        SectionText(group[0].section, group[0].page, "\n\n".join(chunk.text for chunk in group)) for group in grouped
    ]


def sections_named(name: str, title: str, sections: Sequence[SectionText]) -> list[SectionText]:
    """Return the sections under a heading, or under headings parted by `>`, with all that lies beneath.

    The title of the document stands for all of it, and a part of a heading for the only heading that has it. Raises
    UnknownSection, which names the nearest ones.
    """
    wanted = _folded(name)
    found = [section for section in sections if _is_under(wanted, [title, *section.path])]
    having = {section.path[: end + 1] for section in sections for end in _places_of(wanted, section.path)}
    if not found and len(having) == 1:
        (heading,) = having
        found = [section for section in sections if section.path[: len(heading)] == heading]
    if not found:
        paths = list(dict.fromkeys(" > ".join(section.path) for section in sections if section.path))
        raise UnknownSection(f"there is no section {name!r} in {title!r}{_nearest(name, paths)}")
    return found


def _is_under(wanted: str, headings: Sequence[str]) -> bool:
    ends = range(1, len(headings) + 1)
    return any(wanted == _folded(" > ".join(headings[start:end])) for end in ends for start in range(end))


def _places_of(wanted: str, path: Sequence[str]) -> list[int]:
    return [place for place, heading in enumerate(path) if wanted and wanted in _folded(heading)]


def _nearest(name: str, names: Sequence[str]) -> str:
    """Return a hint at what may have been meant; a part that was written counts as much as a slip of the pen."""
    wanted = _folded(name)
    holding = [known for known in names if wanted and wanted in _folded(known)]
    near = holding or difflib.get_close_matches(name, names, n=_MOST_NAMED, cutoff=0.5)
    if near:
        return f"; did you mean {' or '.join(near[:_MOST_NAMED])}?"
    return f"; there are {', '.join(names[:_MOST_NAMED])}{', …' if len(names) > _MOST_NAMED else ''}" if names else ""


def _folded(text: str) -> str:
    plain = _ARROW.sub(" > ", unicodedata.normalize("NFKC", text))
    return " ".join(plain.split()).casefold()
