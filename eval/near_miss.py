"""Questions that look answerable and are not: what they ask about is in no document."""

import re
from collections.abc import Iterator

from eval.ask_document import IDENTIFIER, entities, language
from eval.judge import normalise
from eval.made_question import MadeQuestion
from preprocessing.document import Document
from preprocessing.sentences import sentences

ATTRIBUTES = {
    "zh": ("停车位数量", "体检频率", "工会会费", "着装颜色", "宠物规定", "退休年龄"),
    "en": ("parking fee", "dress code colour", "union fee", "pet allowance", "retirement age", "gym discount"),
}
"""Things that a rule could say about nearly anything."""
CITIES = {
    "zh": ("北京", "上海", "广州", "深圳", "杭州", "成都", "武汉", "西安", "南京", "拉萨", "海口", "银川", "呼和浩特"),
    "en": ("London", "Paris", "Berlin", "Singapore", "New York", "Chicago", "Oslo", "Lima", "Nairobi", "Perth"),
}
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?=\s?年|\b)")
_DIGITS = re.compile(r"\d+$")
_SHORTEST, _LONGEST = 12, 120


def near_misses(document: Document, file: str, everything: str) -> Iterator[MadeQuestion]:
    """Yield questions about a missing attribute, a year, a city and a code that are in none of the documents.

    `everything` is the normalised text of all documents.
    """
    yield from _missing_attributes(document, file, everything)
    for sentence in _plain_sentences(document):
        yield from _swapped_years(sentence, file, everything)
        yield from _swapped_cities(sentence, file, everything)
    yield from _neighbouring_codes(document, file, everything)


def _missing_attributes(document: Document, file: str, everything: str) -> Iterator[MadeQuestion]:
    # A price range or an error code has no retirement age, and nobody would ask for one.
    named = (name for name, _, _ in entities(document) if not name[0].isdigit() and not IDENTIFIER.search(name))
    names = list(dict.fromkeys(named))
    for place, name in enumerate(names):
        lang = language(name)
        absent = [attribute for attribute in ATTRIBUTES[lang] if normalise(attribute) not in everything]
        if absent:
            attribute = absent[place % len(absent)]
            query = f"{name}的{attribute}是什么？" if lang == "zh" else f"What is the {attribute} for {name}?"
            yield MadeQuestion(query, "near_miss", lang, file, absent=attribute)


def _swapped_years(sentence: str, file: str, everything: str) -> Iterator[MadeQuestion]:
    for year in _YEAR.findall(sentence)[:1]:
        other = next((str(y) for y in range(int(year) + 7, int(year) + 60) if str(y) not in everything), None)
        if other:
            yield _asked(sentence.replace(year, other), file, other)


def _swapped_cities(sentence: str, file: str, everything: str) -> Iterator[MadeQuestion]:
    cities = CITIES[language(sentence)]
    named = next((city for city in cities if city in sentence), None)
    other = next((city for city in cities if normalise(city) not in everything), None)
    if named and other:
        yield _asked(sentence.replace(named, other), file, other)


def _neighbouring_codes(document: Document, file: str, everything: str) -> Iterator[MadeQuestion]:
    text = "\n".join(block.text for block in document.blocks)
    for code in dict.fromkeys(IDENTIFIER.findall(text)):
        digits = _DIGITS.findall(code)[0]
        prefix = code.removesuffix(digits)
        numbers = (f"{(int(digits) + step) % 10 ** len(digits):0{len(digits)}d}" for step in range(1, 10))
        other = next((prefix + number for number in numbers if normalise(prefix + number) not in everything), None)
        if other:
            lang = language(text)
            query = f"{other} 是什么？" if lang == "zh" else f"What is {other}?"
            yield MadeQuestion(query, "near_miss", lang, file, absent=other)


def _asked(statement: str, file: str, absent: str) -> MadeQuestion:
    lang = language(statement)
    stem = statement.rstrip("。.；;！!？? ")
    query = f"{stem}，具体是怎么规定的？" if lang == "zh" else f"What are the details: {stem}?"
    return MadeQuestion(query, "near_miss", lang, file, absent=absent)


def _plain_sentences(document: Document) -> Iterator[str]:
    for block in document.blocks:
        if block.kind == "paragraph":
            for sentence in sentences(block.text):
                if _SHORTEST <= len(sentence) <= _LONGEST:
                    yield " ".join(sentence.split())
