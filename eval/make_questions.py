"""The story of `eval init`: read the documents, ask each of them, keep a fair share of each kind, write the set."""

import json
import random
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from eval.ask_document import cloze, identifiers, table_cells, titles
from eval.jsonl import SetError
from eval.judge import normalise
from eval.made_question import MadeQuestion
from eval.near_miss import near_misses
from preprocessing.discover import discover
from preprocessing.document import Document
from preprocessing.load import load

SEED = 7
_SOURCE = (
    "# Source\n\nMade from documents by `folio eval init`, without labels and without a model. `type` is cloze, title, "
    "table, identifier, or near_miss (cannot be answered: `absent` is in no document). Read the questions before you "
    "trust a figure: delete those that nobody would ask.\n"
)


def make_set(paths: Sequence[Path], folder: Path, questions: int = 200) -> list[MadeQuestion]:
    """Write a set of at most `questions` questions about the documents into a new folder, and return them.

    Raises SetError when the folder is not empty, two documents share a name, or nothing can be asked; LoadError when a
    document cannot be read.
    """
    if folder.exists() and any(folder.iterdir()):
        raise SetError(f"{folder}: not empty; name a new folder with --output")
    files = _by_name(paths)
    documents = {name: load(path, source=name) for name, path in files.items()}
    made = choose(list(ask(documents)), questions)
    if not made:
        raise SetError(f"{', '.join(map(str, paths))}: no sentence, table or heading to ask about was found")
    _write(folder, files, made)
    return made


def ask(documents: Mapping[str, Document]) -> Iterator[MadeQuestion]:
    """Yield every question about the documents whose answer, or absence, holds."""
    texts = {name: _text(document) for name, document in documents.items()}
    everything = "".join(texts.values())
    for name, document in documents.items():
        for questions in (cloze, titles, table_cells, identifiers):
            for made in questions(document, name):
                if all(normalise(part) in texts[name] for part in (made.answer, *made.must_contain)):
                    yield made
        for made in near_misses(document, name, everything):
            if normalise(made.absent) not in everything:
                yield made


def choose(made: Sequence[MadeQuestion], most: int) -> list[MadeQuestion]:
    """Return at most `most` questions, by turns from each kind and document, the same ones every time."""
    groups: dict[tuple[str, str], list[MadeQuestion]] = defaultdict(list)
    for one in {question.query: question for question in made}.values():
        groups[one.kind, one.file].append(one)
    shuffler = random.Random(SEED)
    for group in groups.values():
        shuffler.shuffle(group)
    chosen: list[MadeQuestion] = []
    while groups and len(chosen) < most:
        for key in list(groups):
            chosen.append(groups[key].pop())
            if not groups[key]:
                del groups[key]
    return sorted(chosen[:most], key=lambda one: (one.file, one.kind, one.query))


def _by_name(paths: Sequence[Path]) -> dict[str, Path]:
    found, _skipped = discover(paths)
    files: dict[str, Path] = {}
    for path in found:
        if path.name in files:
            raise SetError(f"{path}: {files[path.name]} has the same name; gold files are told by name, so rename one")
        files[path.name] = path
    return files


def _text(document: Document) -> str:
    return normalise("\n".join([document.title, *(block.text for block in document.blocks)]))


def _write(folder: Path, files: Mapping[str, Path], made: Sequence[MadeQuestion]) -> None:
    (folder / "docs").mkdir(parents=True)
    (folder / "dev").mkdir()
    for name, path in files.items():
        shutil.copyfile(path, folder / "docs" / name)
    lines = [json.dumps(one.as_line(f"made-{n:04d}"), ensure_ascii=False) for n, one in enumerate(made, start=1)]
    (folder / "dev" / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "dev" / "qrels.tsv").write_text("query_id\tdoc_id\trelevance\n", encoding="utf-8")
    (folder / "SOURCE.md").write_text(_SOURCE, encoding="utf-8")
