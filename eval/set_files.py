"""Readers for the files of a set: queries.jsonl, qrels.tsv and corpus.jsonl."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, StringConstraints

from eval.jsonl import SetError, read_jsonl, read_lines
from eval.query import Passage, Query

_SIBLING = re.compile(r"\.\./([^\s/;,()`'\"]+)")


def _as_list(value: Any) -> Any:
    return [] if value is None else [value] if isinstance(value, str) else value


_Strings = Annotated[list[str], BeforeValidator(_as_list)]
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _TurnLine(BaseModel):
    role: str
    text: str


class _QueryLine(BaseModel):
    # Sets carry notes of their own; they are left alone.
    query_id: _Name
    query: _Name
    type: str | None = None
    kind: str | None = None
    answerability: str | None = None
    answerable: bool | None = None
    answers: _Strings = []
    must_also_contain: _Strings = []
    gold_doc_file: _Strings = []
    history: list[_TurnLine] = []
    gold_rewrite: str | None = None
    reference_answer: str | None = None


class _PassageLine(BaseModel):
    doc_id: _Name
    title: str = ""
    section: str = ""
    text: str


def read_queries(path: Path, grades: dict[str, dict[str, int]]) -> Iterator[Query]:
    """Yield the questions with their grades; raise SetError for a query_id that was there before."""
    seen: dict[str, str] = {}
    for place, line in read_jsonl(path, _QueryLine):
        _unique(seen, "query_id", line.query_id, place)
        yield Query(
            query_id=line.query_id,
            text=line.query,
            place=place,
            kind=line.type or line.kind or line.answerability or "",
            answerable=line.answerable is not False,
            answers=tuple(line.answers),
            must_contain=tuple(line.must_also_contain),
            gold_files=tuple(line.gold_doc_file),
            grades=grades.get(line.query_id, {}),
            history=tuple((turn.role, turn.text) for turn in line.history),
            gold_rewrite=line.gold_rewrite or "",
            reference_answer=line.reference_answer or "",
        )


def read_qrels(path: Path) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Return query_id → {doc_id: relevance above 0}, and query_id → `file:line` of its first line.

    The first line names the columns: query_id, doc_id, relevance, parted by tabs.
    """
    grades: dict[str, dict[str, int]] = {}
    places: dict[str, str] = {}
    seen: dict[str, str] = {}
    lines = read_lines(path)
    next(lines, None)
    for place, text in lines:
        columns = text.split("\t")
        if len(columns) != 3 or not columns[2].strip().lstrip("-").isdecimal():
            raise SetError(f"{place}: not `query_id<tab>doc_id<tab>relevance` with a whole number at the end")
        query_id, doc_id, relevance = columns[0].strip(), columns[1].strip(), int(columns[2])
        _unique(seen, "pair", f"{query_id} {doc_id}", place)
        places.setdefault(query_id, place)
        if relevance > 0:
            grades.setdefault(query_id, {})[doc_id] = relevance
    return grades, places


def read_passages(paths: Sequence[Path]) -> Iterator[Passage]:
    """Yield the passages of all the files; raise SetError for a doc_id that was there before."""
    seen: dict[str, str] = {}
    for path in paths:
        for place, line in read_jsonl(path, _PassageLine):
            _unique(seen, "doc_id", line.doc_id, place)
            yield Passage(line.doc_id, line.title, line.section, line.text)


def corpus_files(folder: Path, corpora: Sequence[Path]) -> tuple[Path, ...]:
    """Return the corpus.jsonl files to search; empty when the set has whole documents only.

    Those of `corpora`, else the set's own, else those of the sibling folders that its SOURCE.md names as `../name`.
    """
    for corpus in corpora:
        if not (corpus / "corpus.jsonl").is_file():
            raise SetError(f"{corpus / 'corpus.jsonl'}: no such file; --corpus takes a folder with corpus.jsonl in it")
    if corpora:
        return tuple(corpus / "corpus.jsonl" for corpus in corpora)
    if (folder / "corpus.jsonl").is_file():
        return (folder / "corpus.jsonl",)
    source = folder / "SOURCE.md"
    if (folder / "docs").is_dir() or not source.is_file():
        return ()
    names = dict.fromkeys(name.rstrip(".") for name in _SIBLING.findall(source.read_text(encoding="utf-8")))
    siblings = (folder.resolve().parent / name / "corpus.jsonl" for name in names)
    return tuple(path for path in siblings if path.is_file())


def _unique(seen: dict[str, str], what: str, value: str, place: str) -> None:
    if value in seen:
        raise SetError(f"{place}: {what} {value!r} is already at {seen[value]}; each may stand once")
    seen[value] = place
