"""Answers that are right by the gold of a set: the sentence of a gold passage that holds the answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.index import passage_chunk
from eval.judge import normalise
from eval.query import Passage, Query
from eval.sets import EvalSet
from preprocessing.document import Chunk
from preprocessing.load import load
from preprocessing.sections import sections
from preprocessing.sentences import sentences
from preprocessing.tables import cells, table_rows
from retrieval.bm25 import BM25
from retrieval.filters import Filter
from retrieval.text_language import TextLanguage, language_of_text
from retrieval.tokens import query_tokens, tokenize

OTHERS = 4
"""Passages that stand beside the gold one, as many as a search brings."""
_MARKER = re.compile(r"^\s*(?:[-*+•#>]+|\d{1,2}[.)、])\s+|\*\*|`|<[^<>\n]{1,40}>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_LENGTHS = {"zh": (10, 200), "en": (40, 400)}
"""Characters of a sentence that says something and is one sentence."""


@dataclass(frozen=True, slots=True)
class CorrectAnswer:
    """A sentence, the passage that it stands in, and passages that a search for the question brings as well."""

    query: Query
    language: TextLanguage
    sentence: str
    gold: Chunk
    others: tuple[Chunk, ...]
    """None of them holds the sentence."""


def correct_answers(eval_set: EvalSet, limit: int) -> Iterator[CorrectAnswer]:
    """Yield at most `limit` right answers of different sentences, spread over the questions of the set.

    A question without gold answers gets the sentence of its gold passages that is nearest to the answer in free words.
    """
    chunks = {chunk.chunk_id: chunk for chunk in _chunks(eval_set)}
    index, seen, made = BM25.build(chunks.values()), set[str](), 0
    for query in _spread(eval_set.queries):
        for gold in _gold(query, chunks):
            sentence = gold_sentence(query, gold.text)
            language = language_of_text(sentence) if sentence else None
            if language and sentence not in seen and made < limit:
                seen.add(sentence)
                made += 1
                yield CorrectAnswer(query, language, sentence, gold, _others(query, sentence, gold, chunks, index))


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


def _is_of_fair_length(sentence: str) -> bool:
    least, most = _LENGTHS[language_of_text(sentence) or "en"]
    return least <= len(sentence) <= most


def _statements(passage: str) -> Iterator[str]:
    table: list[str] = []
    for line in [*passage.split("\n"), ""]:
        if line.lstrip().startswith("|"):
            table.append(line)
            continue
        if table:
            yield from _rows("\n".join(table))
            table.clear()
        for sentence in sentences(_LINK.sub(r"\1", line)):
            yield _MARKER.sub("", sentence).strip()


def _rows(table: str) -> Iterator[str]:
    header, rows = table_rows(table)
    for row in rows:
        names = cells(header[0]) if header else []
        pairs = [f"{name}：{cell}" for name, cell in zip(names, cells(row), strict=False) if cell]
        yield "，".join(pairs) + "。" if language_of_text(row) == "zh" else "; ".join(pairs).replace("：", ": ") + "."


def _gold(query: Query, chunks: dict[str, Chunk]) -> list[Chunk]:
    if query.grades:
        return [chunks[doc_id] for doc_id in query.grades if doc_id in chunks]
    return [chunk for chunk in chunks.values() if Path(chunk.source).name in query.gold_files]


def _others(query: Query, sentence: str, gold: Chunk, chunks: dict[str, Chunk], index: BM25) -> tuple[Chunk, ...]:
    said, right = normalise(sentence), {gold.chunk_id, *query.grades}
    found = [chunks[chunk_id] for chunk_id, _ in index.search(query.text, 8 * OTHERS, Filter())]
    fitting = [one for one in found if one.chunk_id not in right and said not in normalise(one.text)]
    return tuple(fitting[:OTHERS])


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
            yield Chunk(**{**{name: getattr(chunk, name) for name in chunk.__dataclass_fields__}, "source": path.name})


def _spread(queries: Sequence[Query]) -> Iterator[Query]:
    """Yield every seventh question, then those after them, so that the first ones come from all over the set."""
    for first in range(7):
        yield from queries[first::7]
