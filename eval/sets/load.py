"""An evaluation set is a folder: questions with their gold, and passages or whole documents to search.

`<split>/queries.jsonl` and `<split>/qrels.tsv` hold the questions, `corpus.jsonl` ready-made passages, `docs/` whole
documents. A folder with neither uses the passages of the sibling folders that its `SOURCE.md` names as `../name`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.sets.files import Passage, Query, SetError, corpus_files, read_passages, read_qrels, read_queries

QUESTIONS = "queries.jsonl"
SAMPLE = Path(__file__).parents[1] / "data" / "sample"
"""The set that comes with Folio."""


@dataclass(frozen=True, slots=True)
class EvalSet:
    """Questions, and either passages or a folder of documents."""

    name: str
    split: str
    queries: tuple[Query, ...]
    passages: tuple[Passage, ...] = ()
    documents: Path | None = None
    """Folder of whole documents; None when passages are searched."""
    files: tuple[Path, ...] = ()
    """Every file that the set was read from."""

    @property
    def scored(self) -> tuple[Query, ...]:
        """Return the questions that retrieval can be scored on: those with gold."""
        return tuple(query for query in self.queries if self._has_gold(query))

    def digest(self) -> str:
        """Return the SHA-256 of all files, hexadecimal: two runs on one digest had the same task."""
        digest = hashlib.sha256()
        for path in self.files:
            digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def _has_gold(self, query: Query) -> bool:
        return bool(query.answerable and query.answers) if self.documents else bool(query.grades)


def load_set(
    folder: Path,
    split: str = "dev",
    *,
    questions: str = QUESTIONS,
    corpora: Sequence[Path] = (),
    whole_documents: bool = False,
) -> EvalSet:
    """Read the set in the folder.

    `questions` is the file of the split that holds them, for a set that asks the same in several ways. `corpora` are
    folders whose `corpus.jsonl` is searched instead of the set's own. `whole_documents` chooses `docs/` where there are
    passages too. Raises SetError, with file and line, for anything that does not fit together.
    """
    queries_file, qrels_file = _split_files(folder, split, questions)
    grades, places = read_qrels(qrels_file) if qrels_file.is_file() else ({}, {})
    queries = tuple(read_queries(queries_file, grades))
    if not any(query.grades or query.answers for query in queries):
        raise SetError(f"{folder / split}: neither qrels.tsv nor `answers` in queries.jsonl says what is right")
    name = folder.resolve().name
    if questions != QUESTIONS:
        name = f"{name}-{Path(questions).stem}"
    passage_files = () if whole_documents else corpus_files(folder, corpora)
    if passage_files:
        passages = tuple(read_passages(passage_files))
        _check_qrels(queries, places, {passage.doc_id for passage in passages})
        return EvalSet(name, split, queries, passages, files=(queries_file, qrels_file, *passage_files))
    documents = folder / "docs"
    files = sorted(path for path in documents.rglob("*") if path.is_file())
    if not files:
        raise SetError(f"{folder}: neither corpus.jsonl nor docs/ is there; name the folder to search with --corpus")
    _check_gold_files(queries, {path.name for path in files})
    return EvalSet(name, split, queries, documents=documents, files=(queries_file, *files))


def _split_files(folder: Path, split: str, questions: str) -> tuple[Path, Path]:
    if not folder.is_dir():
        raise SetError(f"{folder}: no such folder; --data takes the folder of a set, with {split}/queries.jsonl in it")
    queries_file = folder / split / questions
    if not queries_file.is_file():
        splits = ", ".join(sorted(path.parent.name for path in folder.glob("*/queries.jsonl"))) or "none"
        raise SetError(f"{queries_file}: no such file; the splits of this set are: {splits}")
    return queries_file, folder / split / "qrels.tsv"


def _check_qrels(queries: Sequence[Query], places: dict[str, str], doc_ids: set[str]) -> None:
    if not any(query.grades for query in queries):
        raise SetError(f"{queries[0].place.rpartition(':')[0]}: no question has a line in qrels.tsv beside it")
    unknown = places.keys() - {query.query_id for query in queries}
    for query_id, place in places.items():
        if query_id in unknown:
            raise SetError(f"{place}: query_id {query_id!r} is not in queries.jsonl")
    for query in queries:
        if query.answerable and not query.grades:
            raise SetError(
                f"{query.place}: question {query.query_id!r} has no gold passage in qrels.tsv; "
                'add one, or say "answerable": false'
            )
        for doc_id in query.grades:
            if doc_id not in doc_ids:
                raise SetError(
                    f"{places[query.query_id]}: gold passage {doc_id!r} of {query.query_id!r} is not in the corpus"
                )


def _check_gold_files(queries: Sequence[Query], names: set[str]) -> None:
    for query in queries:
        if query.answerable and not (query.answers and query.gold_files):
            raise SetError(
                f"{query.place}: question {query.query_id!r} has no `answers` or no `gold_doc_file`; "
                'add them, or say "answerable": false'
            )
        for name in query.gold_files:
            if name not in names:
                raise SetError(f"{query.place}: gold_doc_file {name!r} of {query.query_id!r} is not in docs/")
