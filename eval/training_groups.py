"""Write what a reranker is trained on: questions, each with a passage that answers it and some that only look like it.

    python -m eval.training_groups --data DATA/drcd_zhtw --sentences DATA/hotpotqa_en --out groups.jsonl

The sets that measure the reranker (`xquad_*`, `zh_policy`, `handbook_en`, `mtrag_en`) must not be named here.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from eval.index import passage_chunk
from eval.query import Query
from eval.rewriting import rewriter
from eval.sets import EvalSet, load_set
from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from preprocessing.sentences import sentences
from retrieval.bm25 import BM25
from retrieval.filters import Filter
from retrieval.tokens import tokenize

HELD_OUT = re.compile(r"xquad|zh_policy|handbook|mtrag")
NEGATIVES = 5
CODE_GROUPS = 200
"""Groups that ask for a code, for each set named."""
_LOOKED_AT = 20
_CODES_TOGETHER = 5
_CODE_QUESTIONS = (
    "{}是什么意思？",
    "{} 怎么处理",
    "报错 {}",
    "{}对应什么？",
    "What does {} mean?",
    "how to fix {}",
    "{}",
    "code {}",
)
_EXCERPT_WIDTH = 700.0
_SENTENCE_CHARS = range(16, 160)
_SEED = 7


@dataclass(frozen=True, slots=True)
class Group:
    """One question with its passages; the first `gold` of them answer it."""

    question: str
    passages: tuple[str, ...]
    gold: int = 1


def question_groups(eval_set: EvalSet, generator: random.Random) -> Iterator[Group]:
    """Yield a group for each question with gold: what answers it in one, and what keyword search confuses with that.

    Passages are shown as the excerpt that a reader of the question would look at. The rest of the gold passage is the
    first negative: it is about the question and does not answer it. A passage that holds the answer is no negative,
    though the set does not call it gold.
    """
    chunks = {passage.doc_id: passage_chunk(passage) for passage in eval_set.passages}
    index = BM25.build(chunks.values())
    as_searched = rewriter("gold")
    for query in eval_set.scored:
        gold = [doc_id for doc_id, grade in query.grades.items() if grade == max(query.grades.values())]
        question = as_searched(query)
        wrong = [
            chunks[doc_id]
            for doc_id, _ in index.search(question, _LOOKED_AT, Filter())
            if doc_id not in query.grades and not _holds_an_answer(chunks[doc_id].text, query)
        ]
        if not wrong:
            continue
        right = chunks[generator.choice(gold)]
        answering, rest = _right_excerpt(right, query)
        near = [_likest(rest, question, right.heading)] if rest else []
        others = [_likest(excerpts(one.text), question, one.heading) for one in _harder_first(wrong, generator)]
        yield Group(question, (_under(right.heading, answering), *near, *others))


def sentence_groups(eval_set: EvalSet, generator: random.Random) -> Iterator[Group]:
    """Yield a group for each passage of two sentences or more: one sentence asks for the rest of its passage.

    Lee et al. 2019, the inverse cloze task. It costs no labels, and so brings in languages without questions.
    """
    chunks = {passage.doc_id: passage_chunk(passage) for passage in eval_set.passages}
    index = BM25.build(chunks.values())
    for doc_id, chunk in chunks.items():
        parts = [part for part in sentences(chunk.text) if part.strip()]
        usable = [part for part in parts if len(part.strip()) in _SENTENCE_CHARS]
        if len(parts) < 2 or not usable:
            continue
        asked = generator.choice(usable)
        wrong = [chunks[other] for other, _ in index.search(asked, _LOOKED_AT, Filter()) if other != doc_id]
        # Kept in one passage of two, as Lee et al. do nearly: a reranker should also see a plain match.
        text = chunk.text if generator.random() < 0.5 else chunk.text.replace(asked, "", 1).strip()
        if wrong:
            right = _likest(excerpts(text), asked, chunk.heading)
            others = [_likest(excerpts(one.text), asked, one.heading) for one in _harder_first(wrong, generator)]
            yield Group(_without_some_words(asked.strip(), generator), (right, *others))


def code_groups(count: int, eval_set: EvalSet, generator: random.Random) -> Iterator[Group]:
    """Yield groups that ask for a made-up code, whose entries differ from their neighbours' in the code alone.

    What stands beside the codes are sentences of the set's passages.
    """
    passages = [passage_chunk(passage) for passage in eval_set.passages]
    every = [sentence.strip() for chunk in passages for sentence in sentences(chunk.text)]
    usable = [sentence for sentence in every if len(sentence) in _SENTENCE_CHARS]
    for _ in range(count):
        letters = "".join(generator.choices("ABCEFHKMPRSTX", k=generator.choice([1, 2, 3])))
        digits, joint = generator.choice([3, 4]), generator.choice(["", "-", "_"])
        first = generator.randrange(10 ** (digits - 1), 10**digits - _CODES_TOGETHER)
        codes = [f"{letters}{joint}{first + step}" for step in range(_CODES_TOGETHER)]
        generator.shuffle(codes)
        texts = generator.sample(usable, _CODES_TOGETHER)
        asked = generator.choice(_CODE_QUESTIONS).format(codes[0].lower() if generator.random() < 0.3 else codes[0])
        entries = generator.choice(["{}: {}", "{} | {}", "{} {}"])
        yield Group(asked, tuple(entries.format(code, text) for code, text in zip(codes, texts, strict=True)))


def excerpts(text: str) -> list[str]:
    """Return the text in parts of whole sentences, of about 280 Chinese or 700 other characters each."""
    parts: list[str] = []
    room = 0.0
    for sentence in sentences(text):
        width = sum(2.5 if character >= "\u2e80" else 1.0 for character in sentence)
        if not parts or width > room:
            parts.append("")
            room = _EXCERPT_WIDTH
        parts[-1] += sentence
        room -= width
    return [part.strip() for part in parts if part.strip()]


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m eval.training_groups", description=__doc__)
    parser.add_argument("--data", action="append", type=Path, default=[], help="a set whose questions are used")
    parser.add_argument("--sentences", action="append", type=Path, default=[], help="a set whose passages are used")
    parser.add_argument("--codes", action="append", type=Path, default=[], help="a set whose sentences stand by codes")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    generator = random.Random(_SEED)
    try:
        groups = [
            *_of(arguments.data, question_groups, generator),
            *_of(arguments.sentences, sentence_groups, generator),
            *_of(arguments.codes, partial(code_groups, CODE_GROUPS), generator),
        ]
    except FolioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    generator.shuffle(groups)
    lines = (json.dumps(asdict(group), ensure_ascii=False) + "\n" for group in groups)
    arguments.out.write_text("".join(lines), encoding="utf-8")
    return 0


def _of(
    folders: Sequence[Path], make: Callable[[EvalSet, random.Random], Iterator[Group]], generator: random.Random
) -> Iterator[Group]:
    for folder in folders:
        if HELD_OUT.search(folder.resolve().name):
            raise FolioError(f"{folder}: this set measures the reranker and must not train it")
        yield from make(load_set(folder), generator)


def _harder_first(wrong: Sequence[Chunk], generator: random.Random) -> list[Chunk]:
    hardest = list(wrong[: NEGATIVES * 2])
    return generator.sample(hardest, min(NEGATIVES, len(hardest)))


def _right_excerpt(gold: Chunk, query: Query) -> tuple[str, list[str]]:
    """Return the excerpt that holds an answer, and those that do not; all of a passage where none does whole."""
    parts = excerpts(gold.text)
    holding = [part for part in parts if _holds_an_answer(part, query)]
    if not holding:
        return gold.text, []
    return holding[0], [part for part in parts if part not in holding]


def _likest(parts: Sequence[str], question: str, heading: str) -> str:
    asked = set(tokenize(question))
    return _under(heading, max(parts, key=lambda part: len(asked.intersection(tokenize(part)))))


def _under(heading: str, text: str) -> str:
    return f"{heading}\n{text}" if heading else text


def _holds_an_answer(text: str, query: Query) -> bool:
    return any(answer in text for answer in query.answers)


def _without_some_words(sentence: str, generator: random.Random) -> str:
    words = re.findall(r"[\u3400-\u9fff]{1,2}|[^\s\u3400-\u9fff]+\s*", sentence)
    kept = [word for word in words if generator.random() > 0.3]
    return "".join(kept).strip() or sentence


if __name__ == "__main__":
    sys.exit(main())
