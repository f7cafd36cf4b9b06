"""The nouns of a set, a question with its gold and a passage, and the readers of its files."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, StringConstraints, ValidationError

from preprocessing.errors import FolioError

Line = TypeVar("Line", bound=BaseModel)


class SetError(FolioError):
    """An evaluation set cannot be used; the message names the file and, where there is one, the line."""


def read_jsonl(path: Path, model: type[Line]) -> Iterator[tuple[str, Line]]:
    """Yield (`file:line`, line read as the model) for every line that is not blank; lines count from 1.

    Raises SetError for a file that cannot be read and for a line that is not such an object.
    """
    for place, text in read_lines(path):
        try:
            yield place, model.model_validate(json.loads(text))
        except json.JSONDecodeError as error:
            raise SetError(
                f"{place}: not JSON ({error.msg} at column {error.colno}); write one object a line"
            ) from None
        except ValidationError as error:
            raise SetError(f"{place}: {_problem(error)}") from None


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (`file:line`, text) for every line that is not blank."""
    try:
        # Not splitlines(): a passage may hold U+2028 or a form feed, which end no line of JSON.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise SetError(f"{path}:{line}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise SetError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    for number, text in enumerate(lines, start=1):
        if text.strip():
            yield f"{path}:{number}", text.rstrip("\r")


def _problem(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}" if where else str(first["msg"])


@dataclass(frozen=True, slots=True)
class Passage:
    """A ready-made piece of a document."""

    doc_id: str
    title: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question with everything that is known about its answer."""

    query_id: str
    text: str
    place: str = ""
    """`file:line` it was read from."""
    kind: str = ""
    """Type of question, such as `natural` or `follow_up`; empty when the set does not say."""
    answerable: bool = True
    answers: tuple[str, ...] = ()
    """Any one suffices; each stands literally in a gold document."""
    must_contain: tuple[str, ...] = ()
    """What a passage must hold besides the answer."""
    gold_files: tuple[str, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)
    """Passage → relevance above 0. Below the highest grade of a question stand acceptable alternatives."""
    history: tuple[tuple[str, str], ...] = ()
    """(role, text) of the conversation before the question."""
    gold_rewrite: str = ""
    reference_answer: str = ""
    """An answer in free words, where the set has one; it need not stand anywhere."""

    @property
    def references(self) -> tuple[str, ...]:
        """Return what an answer is held against: the gold answers, else the answer in free words."""
        return self.answers or ((self.reference_answer,) if self.reference_answer else ())


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
