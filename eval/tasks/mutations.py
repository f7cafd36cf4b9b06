"""The story of `eval mutations`: take right answers, change one thing in each, and count what the checks notice.

A right answer is the sentence of a gold passage that holds the gold answer. The changes are rules of one line each,
written apart from the code that reads facts: what they show is that a check is alive, not how people and models err.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from agent.answer import check_answer
from agent.checks.claims import FAILED
from agent.evidence import EvidenceLedger
from agent.settings import load_settings
from eval.metrics.gold import normalise
from eval.options import JsonOption, RunsOption, SplitOption
from eval.runs.run import QuestionScore, Run, SetIdentity, describe, kept_at, new_run
from eval.runs.tables import Cell, markdown_table, scores_of, spread
from eval.sets.files import Passage, Query
from eval.sets.index import passage_chunk
from eval.sets.load import EvalSet, load_set
from preprocessing.document import Chunk
from preprocessing.load import load
from preprocessing.sections import sections
from preprocessing.sentences import sentences
from preprocessing.tables import cells, table_rows
from retrieval.hit import Hit
from retrieval.text.tokens import query_tokens, tokenize
from retrieval.text.writing import Language, language_of

UNCHANGED, LABEL, SWAPPED = "unchanged", "label", "swapped"
KINDS = ("number", SWAPPED, "unit", "identifier", "negation", LABEL)
"""Swapped is a number that the passage gives for something else; label is another passage cited."""
OTHERS = 4
"""Passages that stand beside the gold one, as many as a search brings."""

_LENGTHS = {"zh": (10, 200), "en": (40, 400)}
"""Characters of a sentence that says something and is one sentence."""
_MARKER = re.compile(r"^\s*(?:[-*+•#>]+|\d{1,2}[.)、])\s+|\*\*|`|<[^<>\n]{1,40}>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_NUMBER = re.compile(r"(?<![\dA-Za-z.,_/:#第-])\d{1,9}(?![\dA-Za-z_/:]|[.,-]\d|[.、)）])")
_IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9_-])[A-Z]{2,}[_-]?\d{2,5}(?![\d%])|第[\d一二三四五六七八九十百]{1,6}(?=[条章款])"
)
_NUMERALS = "一二三四五六七八九"
_UNITS: tuple[tuple[str, ...], ...] = (
    ("个工作日", "天", "周", "个月", "年"),
    ("小时", "分钟", "秒"),
    ("元", "美元", "港元"),
    ("公里", "米", "厘米"),
    ("business days", "days", "weeks", "months", "years"),
    ("hours", "minutes", "seconds"),
    ("miles", "feet", "inches"),
    ("million", "billion", "thousand"),
    ("GB", "MB", "TB"),
    ("percent", "dollars"),
)
"""Families of units that may be taken for one another."""
_NEGATIONS = (
    (r"不得(?!不)", "可以"),
    (r"严禁|禁止", "允许"),
    (r"(?:没有|无需|无须|不必)", "需要"),
    (r"(?<![不可])可以", "不得"),
    (r"(?<![不是])必须", "不必"),
    (r"(?<!不)应当", "不应"),
    (r"(?<!不)(?<!不得)(?:享受|适用|允许|支持|包括|超过|属于)", r"不\g<0>"),
    (r"\b(is|are|was|were|do|does|did|can|may|must|should|will|would)(?: not\b|n't\b)", r"\1"),
    (r"\bcannot\b", "can"),
    (r"\bnever\b", "always"),
    (r"\b(is|are|was|were|must|should|can|may|will|would)\b(?! not|n't| no\b)(?= [a-z])", r"\1 not"),
    (r"\balways\b", "never"),
)


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """A sentence, the passage that it stands in, and passages that a search for the question brings as well."""

    query: Query
    language: Language
    sentence: str
    gold: Chunk
    others: tuple[Chunk, ...]
    """None of them holds the sentence."""


def mutations(
    data: Annotated[list[Path], typer.Option("--data", help="Folder of a set; may be repeated.", show_default=False)],
    split: SplitOption = "dev",
    limit: Annotated[int, typer.Option(min=1, help="Most right answers of each set.")] = 100,
    details: Annotated[bool, typer.Option("--details", help="Also print every mistake.")] = False,
    json: JsonOption = None,
    runs: RunsOption = None,
) -> None:
    """Change one fact in right answers, and count what the checks catch and what they accuse wrongly."""
    settings, eval_sets = load_settings(), [load_set(folder, split) for folder in data]
    run = run_mutations(eval_sets, limit, describe(settings, settings.embed_model))
    keep = kept_at(settings, "mutations", "-".join(one.name for one in eval_sets), json, runs)
    run.save(keep)
    typer.echo(mutations_table(run))
    for one in run.questions if details else ():
        if any(score["accused"] == float(one.kind == UNCHANGED) for score in one.scores.values()):
            typer.echo(f"{one.query_id}, {one.kind}: {one.question}")
    typer.echo(f"run: {keep}", err=True)


def run_mutations(eval_sets: Sequence[EvalSet], limit: int, settings: dict[str, object]) -> Run:
    """Check at most `limit` right answers of each set and their mutations: a question a case, a row a language."""
    questions = [
        QuestionScore(
            query_id=f"{eval_set.name}/{answer.query.query_id}/{number}",
            question=text,
            kind=kind,
            scores={answer.language: {"accused": float(is_accused(kind, text, label, answer))}},
        )
        for eval_set in eval_sets
        for answer in right_answers(eval_set, limit)
        for number, (kind, text, label) in enumerate(cases(answer))
    ]
    task = SetIdentity(
        name=" + ".join(one.name for one in eval_sets),
        split=eval_sets[0].split,
        digest=" ".join(one.digest() for one in eval_sets),
        searched=sum(len(one.passages) for one in eval_sets),
        unit="passages",
    )
    return new_run("mutations", settings, ["zh", "en"], task, questions=questions)


def cases(answer: RightAnswer) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, text, label cited) of the answer and of at most one mutation of each kind, always the same ones."""
    yield UNCHANGED, answer.sentence, "S1"
    if answer.others:
        yield LABEL, answer.sentence, "S2"
    for kind, changed in mutants(answer.sentence, answer.gold.text):
        wrong = [one for one in changed if normalise(one) != normalise(answer.sentence)]
        if wrong:
            yield kind, random.Random(f"{kind} {answer.sentence}").choice(wrong), "S1"


def mutants(sentence: str, passage: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each kind of change with the sentences it makes."""
    numbers = list(_NUMBER.finditer(sentence))
    yield "number", [_with(sentence, found, _other(found[0])) for found in numbers]
    elsewhere = sorted({found[0] for found in _NUMBER.finditer(passage)} - {found[0] for found in numbers})
    yield SWAPPED, [_with(sentence, found, one) for found in numbers for one in elsewhere if len(one) == len(found[0])]
    units = [
        (re.search(rf"(?<=\d)\s?{re.escape(unit)}(?![a-z度前份])", sentence), unit, other)
        for family in _UNITS
        for unit, other in zip(family, [*family[1:], family[0]], strict=True)
    ]
    yield "unit", [_with(sentence, found, found[0].replace(unit, other)) for found, unit, other in units if found]
    yield "identifier", [_with(sentence, found, _other(found[0])) for found in _IDENTIFIER.finditer(sentence)]
    yield (
        "negation",
        [
            _with(sentence, found, found.expand(write))
            for pattern, write in _NEGATIONS
            for found in re.finditer(pattern, sentence)
        ],
    )


def is_accused(kind: str, text: str, label: str, answer: RightAnswer) -> bool:
    """Check a sentence as the agent does with all its passages at hand: a false alarm, or a mutation that is caught.

    A right sentence is accused when it is not shown as supported, a changed one is caught when it fails; a wrong label
    when it does not stay.
    """
    ledger = EvidenceLedger()
    ledger.record(answer.query.text, [Hit(chunk, 0.0) for chunk in (answer.gold, *answer.others)])
    checks = check_answer(f"{text} [{label}]", ledger).checks
    if kind == UNCHANGED:
        return any(check.status != "supported" for check in checks)
    if kind == LABEL:
        return all(label not in check.labels or check.status == "removed" for check in checks)
    return any(check.status in FAILED for check in checks)


def mutations_table(run: Run) -> str:
    """Return by kind and language what was caught, and for unchanged answers what was accused."""
    heads = [f"{language} {what}" for language in run.rows for what in ("n", "caught", "95 % interval")]
    groups = [*((kind, (kind,)) for kind in KINDS), ("all of them", KINDS), ("unchanged: false alarms", (UNCHANGED,))]
    lines: list[list[Cell]] = []
    for name, kinds in groups:
        some = [question for question in run.questions if question.kind in kinds]
        by_language = [scores_of([one for one in some if row in one.scores], row, "accused") for row in run.rows]
        cells_ = [
            cell for own in by_language for cell in (str(len(own)), sum(own) / len(own) if own else "–", spread(own))
        ]
        lines.append([name, *cells_])
    return markdown_table(["", *heads], lines)


def right_answers(eval_set: EvalSet, limit: int) -> Iterator[RightAnswer]:
    """Yield at most `limit` right answers of different sentences, spread over the questions of the set.

    A question without gold answers gets the sentence of its gold passages that is nearest to the answer in free words.
    """
    chunks, seen = list(_chunks(eval_set)), set[str]()
    words = {chunk.chunk_id: set(tokenize(chunk.text)) for chunk in chunks}
    for query in (query for first in range(7) for query in eval_set.queries[first::7]):
        is_gold = {
            chunk.chunk_id
            for chunk in chunks
            if chunk.chunk_id in query.grades or Path(chunk.source).name in query.gold_files
        }
        for gold in (chunk for chunk in chunks if chunk.chunk_id in is_gold):
            sentence = gold_sentence(query, gold.text)
            language = language_of(sentence) if sentence else None
            if language is None or sentence in seen or len(seen) == limit:
                continue
            seen.add(sentence)
            asked = set(query_tokens(query.text))
            near = sorted(chunks, key=lambda chunk: -len(asked & words[chunk.chunk_id]))
            others = [
                one
                for one in near[: 8 * OTHERS]
                if one.chunk_id not in is_gold and normalise(sentence) not in normalise(one.text)
            ]
            yield RightAnswer(query, language, sentence, gold, tuple(others[:OTHERS]))


def gold_sentence(query: Query, passage: str) -> str:
    """Return the first sentence of the passage with the answer, a table row as `column: cell`; empty if none fits.

    Without gold answers it is the sentence that shares most words with the answer in free words.
    """
    fitting = [sentence for sentence in _statements(passage) if _is_of_fair_length(sentence)]
    if not query.answers:
        wanted = set(query_tokens(query.reference_answer))
        return max(fitting, key=lambda sentence: len(wanted & set(tokenize(sentence))), default="")
    answers, must = [normalise(answer) for answer in query.answers], [normalise(part) for part in query.must_contain]
    for sentence in fitting:
        squeezed = normalise(sentence)
        if any(answer in squeezed for answer in answers) and all(part in squeezed for part in must):
            return sentence
    return ""


def _statements(passage: str) -> Iterator[str]:
    """Yield the sentences of a passage, and each row of its tables as a sentence."""
    lines = passage.split("\n")
    header, rows = table_rows("\n".join(line for line in lines if line.lstrip().startswith("|")))
    names = cells(header[0]) if header else []
    for row in rows:
        yield "，".join(f"{name}：{cell}" for name, cell in zip(names, cells(row), strict=False) if cell) + "。"
    for line in lines:
        if not line.lstrip().startswith("|"):
            for sentence in sentences(_LINK.sub(r"\1", line)):
                yield _MARKER.sub("", sentence).strip()


def _is_of_fair_length(sentence: str) -> bool:
    least, most = _LENGTHS[language_of(sentence) or "en"]
    return least <= len(sentence) <= most


def _chunks(eval_set: EvalSet) -> Iterator[Chunk]:
    """Yield the passages of the set, or each section of its documents."""
    if eval_set.documents is None:
        yield from map(passage_chunk, eval_set.passages)
        return
    for path in sorted(path for path in eval_set.documents.rglob("*") if path.is_file()):
        document = load(path, source=path.name)
        for number, section in enumerate(sections(document.blocks)):
            text = "\n".join(block.text for block in section.blocks)
            chunk = passage_chunk(Passage(f"{path.name}:{number}", document.title, " > ".join(section.path), text))
            yield replace(chunk, source=path.name)


def _other(number: str) -> str:
    """Return another number of the same form: the last digit is one more."""
    last = number[-1]
    if last in _NUMERALS:
        return number[:-1] + _NUMERALS[(_NUMERALS.index(last) + 1) % len(_NUMERALS)]
    return f"{number[:-1]}{(int(last) + 1) % 10}" if last.isdecimal() else f"{number}一"


def _with(sentence: str, found: re.Match[str], by: str) -> str:
    return sentence[: found.start()] + by + sentence[found.end() :]
