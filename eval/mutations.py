"""The mutation set: right answers, reworded by rules, and the same answers with one thing wrong."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eval.correct_answers import CorrectAnswer
from eval.judge import normalise
from eval.mutate import VALUES, other_value, units, values
from eval.negate import negations
from eval.restate import restate
from eval.reword import reword

UNCHANGED, LABEL, NAME, SWAPPED = "unchanged", "label", "name", "swapped"
RESTATED, RESTATED_WRONG = "restated", "restated with another answer"
"""The question as a statement, with the gold answer and with another."""
KINDS = ("amount", "number", "swapped", "date", "unit", "identifier", "negation", LABEL, NAME)
"""Swapped is a value that the passage gives for something else."""
PER_KIND = 2
"""Most mutations of one kind from one answer."""

_ASKS_NAME = re.compile(
    r"谁|誰|哪位|何人|什么人|什麼人|哪[个個]?(?:国|國|城市|省|市|公司|学校|學校|大学|大學)|哪所|叫什[么麼]|名字"
    r"|\b(?:who|whose|whom)\b"
    r"|\b(?:which|what) (?:\w+ ){0,2}"
    r"(?:city|country|state|company|university|person|player|team|author|band|actor|director)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[\u4e00-\u9fff]{2,6}(?:·[\u4e00-\u9fff]{1,6}){0,2}|[A-Z][\w'.-]+(?: (?:of |the |de )?[A-Z][\w'.-]+){0,3}"
)
_TITLE = re.compile(r"《([^《》]{2,20})》")


@dataclass(frozen=True, slots=True)
class Case:
    """An answer of one sentence with its label, beside the passages it may cite."""

    kind: str
    """`unchanged`, or what is wrong with it."""
    text: str
    answer: CorrectAnswer
    cited: str
    """Label of the passage: S1 is the gold one."""


def cases(answers: Sequence[CorrectAnswer]) -> Iterator[Case]:
    """Yield each right answer, reworded, and its mutations: the same ones every time."""
    names = sorted({name for answer in answers for name in names_asked_for(answer)})
    titles = sorted({title for answer in answers for title in _TITLE.findall(answer.gold.text)})
    for answer in answers:
        yield Case(UNCHANGED, _reworded(answer.sentence, answer), answer, "S1")
        if answer.others:
            yield Case(LABEL, _reworded(answer.sentence, answer), answer, "S2")
        yield from _restated(answer, names)
        for kind, sentences in _mutations(answer, names, titles).items():
            dice = random.Random(f"{kind} {answer.sentence}")
            different = [one for one in dict.fromkeys(sentences) if normalise(one) != normalise(answer.sentence)]
            for sentence in dice.sample(different, min(PER_KIND, len(different))):
                yield Case(kind, _reworded(sentence, answer), answer, "S1")


def names_asked_for(answer: CorrectAnswer) -> list[str]:
    """Return the gold answers that are names, going by the question."""
    if not _ASKS_NAME.search(answer.query.text):
        return []
    return [one for one in answer.query.answers if _NAME.fullmatch(one) and one in answer.sentence]


def _restated(answer: CorrectAnswer, names: Sequence[str]) -> Iterator[Case]:
    dice, question = random.Random(answer.query.text), answer.query.text
    if len(answer.query.grades) > 1 or " or " in question:
        return  # it takes more than this passage
    for gold in (one for one in answer.query.answers[:1] if one in answer.sentence):
        if statement := restate(question, gold, answer.language):
            yield Case(RESTATED, statement, answer, "S1")
            wrong = [
                _replaced(gold, begin, end, other_value(text, kind, dice))
                for kind in VALUES
                for begin, end, text in values(gold, kind)
            ]
            if gold in names:
                wrong += [
                    one
                    for one in names
                    if _could_stand_for(one, gold) and normalise(one) not in normalise(answer.gold.text)
                ]
            if wrong:
                yield Case(RESTATED_WRONG, restate(question, dice.choice(wrong), answer.language), answer, "S1")


def _mutations(answer: CorrectAnswer, names: Sequence[str], titles: Sequence[str]) -> Mapping[str, list[str]]:
    sentence, dice = answer.sentence, random.Random(answer.sentence)
    made = {
        kind: [
            _replaced(sentence, begin, end, other_value(text, kind, dice))
            for begin, end, text in values(sentence, kind)
        ]
        for kind in VALUES
    }
    made[SWAPPED] = list(_swaps(answer))
    made["unit"] = [_replaced(sentence, *dice.choice(changes)) for changes in units(sentence, answer.language)]
    made["negation"] = list(negations(sentence, answer.language))
    made[NAME] = [
        sentence.replace(name, other)
        for name, pool in [
            *((name, names) for name in names_asked_for(answer)),
            *((t, titles) for t in _TITLE.findall(sentence)),
        ]
        for other in _sample([one for one in pool if _could_stand_for(one, name)], dice)
    ]
    return made


def _swaps(answer: CorrectAnswer) -> Iterator[str]:
    """Yield the sentence with a value of another sentence of its passage in the place of its own."""
    for kind in ("date", "amount", "number"):
        own = list(values(answer.sentence, kind))
        elsewhere = {text for _, _, text in values(answer.gold.text, kind)} - {text for _, _, text in own}
        for begin, end, text in own:
            alike = sorted(one for one in elsewhere if _shape(one) == _shape(text))
            for other in _sample(alike, random.Random(answer.sentence)):
                yield _replaced(answer.sentence, begin, end, other)


def _shape(value: str) -> str:
    return re.sub(r"\d", "0", value) if len(value) == 4 else re.sub(r"[\d,]+", "0", value)


def _could_stand_for(other: str, name: str) -> bool:
    return other not in name and name not in other and other.isascii() == name.isascii()


def _sample(pool: Iterable[str], dice: random.Random) -> list[str]:
    pool = list(pool)
    return dice.sample(pool, min(1, len(pool)))


def _reworded(sentence: str, answer: CorrectAnswer) -> str:
    return reword(sentence, answer.language, random.Random(answer.sentence))


def _replaced(sentence: str, begin: int, end: int, by: str) -> str:
    return sentence[:begin] + by + sentence[end:]
