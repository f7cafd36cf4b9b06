"""Questions that a document answers: a blank in a telling sentence, a heading, a table cell, an identifier."""

import re
from collections.abc import Iterator

from eval.made_question import MadeQuestion
from preprocessing.document import Document
from preprocessing.sections import sections
from preprocessing.sentences import sentences
from preprocessing.tables import cells, table_rows

BLANK = "____"
_TELLING = re.compile(
    r"\d[\d,.:]*\s?(?:元/\w|万元|元|%|％|个工作日|个自然日|个月|小时|分钟|天(?!气)|日(?![常期志历])|年(?![度级])|次(?!序)|人(?![员事数])|GB|MB|"
    r"(?:business |working |calendar )?(?:days?|hours?|minutes?|weeks?|months?|years?)\b)"
)
IDENTIFIER = re.compile(r"(?<![A-Za-z0-9_-])[A-Z]{2,}(?:[-_][A-Z]+)*[-_]?\d{2,}(?![A-Za-z0-9])")
_EMPHASIS = re.compile(r"\*\*|__|`")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_SHORTEST = {"zh": 12, "en": 45}
"""Characters; a shorter sentence does not say what it is about."""
_LONGEST = 120


def language(text: str) -> str:
    """Return `zh` when a tenth of the characters or more are Chinese, else `en`."""
    return "zh" if len(_HAN.findall(text)) * 10 >= len(text) > 0 else "en"


def cloze(document: Document, file: str) -> Iterator[MadeQuestion]:
    """Blank out the longest amount, time or share of a sentence."""
    for sentence in _sentences(document):
        spans = [found.group() for found in _TELLING.finditer(sentence)]
        if spans and _says_enough(sentence):
            answer = max(spans, key=len)
            blanked = _EMPHASIS.sub("", sentence).replace(answer, BLANK, 1)
            yield MadeQuestion(blanked, "cloze", language(sentence), file, answer)


def titles(document: Document, file: str) -> Iterator[MadeQuestion]:
    """Ask what stands under a heading; the first sentence there is the answer."""
    for section in sections(document.blocks):
        texts = [block.text for block in section.blocks if block.kind == "paragraph"]
        first = sentences(texts[0])[0].strip() if texts and texts[0].strip() else ""
        if not section.path or not _says_enough(first) or first.endswith((":", "：")):
            continue
        lang = language(section.path[-1] + first)
        query = (
            f"《{document.title}》里“{section.path[-1]}”是怎么规定的？"
            if lang == "zh"
            else f'What does "{document.title}" say under "{section.path[-1]}"?'
        )
        yield MadeQuestion(query, "title", lang, file, first)


def table_cells(document: Document, file: str) -> Iterator[MadeQuestion]:
    """Ask for the cell of a row and a column, both named; the name of the row must stand beside the answer."""
    for entity, column, value in entities(document):
        lang = language(entity + column + value)
        query = (
            f"《{document.title}》里“{entity}”的“{column}”是什么？"
            if lang == "zh"
            else f'What does "{document.title}" give as "{column}" for "{entity}"?'
        )
        yield MadeQuestion(query, "table", lang, file, value, (entity,))


def identifiers(document: Document, file: str) -> Iterator[MadeQuestion]:
    """Ask what an identifier means; the sentence or line that it stands in is the answer."""
    seen: set[str] = set()
    for sentence in _sentences(document):
        for name in IDENTIFIER.findall(sentence):
            if name not in seen and len(sentence) > len(name) + 4:
                seen.add(name)
                lang = language(sentence)
                query = f"{name} 是什么？" if lang == "zh" else f"What is {name}?"
                yield MadeQuestion(query, "identifier", lang, file, sentence)


def entities(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield (row name, column name, value) of the tables; a row is named by its first cell, unless that is a number."""
    for block in document.blocks:
        if block.kind != "table":
            continue
        header, rows = table_rows(block.text)
        columns = cells(header[0]) if header else []
        for row in rows:
            name, *values = cells(row)
            for column, value in zip(columns[1:], values, strict=False):
                if re.search(r"[^\W\d_]{2}", name) and column and len(value) > 1 and value != name:
                    yield name, column, value


def _says_enough(sentence: str) -> bool:
    return _SHORTEST[language(sentence)] <= len(sentence) <= _LONGEST


def _sentences(document: Document) -> Iterator[str]:
    for block in document.blocks:
        if block.kind == "paragraph":
            yield from (" ".join(sentence.split()) for sentence in sentences(block.text))
        elif block.kind == "list":
            yield from (re.sub(r"^\s*(?:[-*+]|\d+[.)、])\s*", "", line).strip() for line in block.text.split("\n"))
