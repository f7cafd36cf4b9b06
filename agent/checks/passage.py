"""A passage that was read once, to be asked what of a sentence it holds."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from Stemmer import Stemmer

from agent.checks.citations import without_labels
from agent.checks.facts import MARK, Fact, date_parts, marked, read_facts, read_marked
from agent.checks.numerals import EMPHASIS, LIST_NUMBER, folded, half_width, numerals_to_digits
from preprocessing.sentences import sentences
from preprocessing.tables import cells, table_rows
from retrieval.text.tokens import STOP_TOKENS, tokenize
from retrieval.text.writing import Language, language_of

_SECTION = "§"
"""Unit of a number such as 3.2 before a heading: no claim has it."""
_TOKEN = re.compile(
    rf"{MARK}(?P<fact>[\U000f0000-\U000ffffd])|(?P<han>[\u3400-\u9fff])|(?P<word>[^\W\d_\u3400-\u9fff]+)"
)
_NOT = re.compile(r"\b(?:can(?=not\b)|(?:ca|wo|\w+)n['’]t\b)", re.IGNORECASE)
_WHOLE = {"ca": "can", "wo": "will"}
# Names without a list of names: runs of capitals, and what stands in quotation or title marks.
_QUOTED = re.compile(
    r"“([^“”]{2,200})”|「([^「」]{2,200})」|『([^『』]{2,200})』|《([^《》]{1,80})》|〈([^〈〉]{1,80})〉"
    r"|(?<![\w\"])\"([^\"\n]{2,200})\"(?!\w)|(?<!\w)‘([^‘’]{2,80})’(?!\w)"
)
_ELLIPSIS = re.compile(r"…+|\.{3,}|\[\.{3}\]")
_LETTER = r"[^\W_\u3400-\u9fff]"
_CAPITAL = rf"[A-ZÀ-ÖØ-Þ](?:{_LETTER}|['’])*(?:[-.&]{_LETTER}+)*"
_RUN = re.compile(rf"(?<!{_LETTER})(?<!-){_CAPITAL}(?:[ \t]+(?:(?:of|de|da|van|von|and|for|&)[ \t]+)?{_CAPITAL})*")
_WORD = re.compile(rf"{_LETTER}+(?:['’](?!s\b){_LETTER}+)*")
_AT_START = re.compile(r"(?:^|[.!?:;•*|>\n\"“(\[\-–—。！？：；，、（「《]\s*)$")


@dataclass(frozen=True, slots=True)
class Token:
    """A Chinese character, an English word, or a fact."""

    key: str
    """Equal for tokens that say the same: the Simplified character, the stem, or the normal form of the fact."""
    text: str
    """As it stands in the normal form of the text."""
    fact: Fact | None = None


@dataclass(frozen=True)
class PassageFacts:
    """The facts of a passage, with what follows from them: a date holds its month and its year."""

    texts: frozenset[str]
    units: Mapping[str, frozenset[str]]
    """Number → the units it stands with."""
    clauses: frozenset[str]
    """Numbers of clauses and list items."""
    words: str
    """The passage in half width and capitals."""

    @classmethod
    def of(cls, passage: str) -> "PassageFacts":
        """Return the facts of a passage."""
        plain = half_width(passage)
        return cls.of_facts(read_facts(passage), plain, *_list_numbers(plain))

    @classmethod
    def of_facts(
        cls, found: Sequence[Fact], plain: str = "", sections: Set[str] = frozenset(), items: Set[str] = frozenset()
    ) -> "PassageFacts":
        """Return the facts with what follows from them; `sections` and `items` are the numbers of lists in the text."""
        units: dict[str, set[str]] = {number: {_SECTION} for number in sections}
        for fact in found:
            for number, unit in _numbers(fact):
                units.setdefault(number, set()).add(unit)
        return cls(
            texts=frozenset(text for fact in found for text in _texts(fact)),
            units={number: frozenset(with_units) for number, with_units in units.items()},
            clauses=frozenset(fact.value for fact in found if fact.kind == "clause") | items,
            words=plain.upper(),
        )

    def holds(self, fact: Fact) -> bool:
        """Tell whether a fact stands in the passage, written in this or in another way."""
        if fact.text in self.texts:
            return True
        match fact.kind:
            case "number":
                return self._holds_number(fact)
            case "date":
                return self._holds_date(fact)
            case "clause":
                return fact.value in self.clauses
            case "identifier":
                return self._holds_identifier(fact)
            case "time" | "ordinal":
                return False

    def _holds_number(self, fact: Fact) -> bool:
        units = self.units.get(fact.value, frozenset())
        return bool(units) and (not fact.unit or "" in units)

    def _holds_date(self, fact: Fact) -> bool:
        """Tell whether the year stands in one place and the rest of the date in another."""
        year, month, day = date_parts(fact.text)
        rest = f"{month}-{day}" if day else f"month {int(month)}"
        return bool(year) and year in self.units and rest in self.texts

    def _holds_identifier(self, fact: Fact) -> bool:
        named = re.fullmatch(r"[A-Z]{5,}-(\d+)", fact.text)  # a word in one language, another in the other
        if named and named[1] in self.units:
            return True
        spelt = r"\s?".join(map(re.escape, fact.text.upper()))
        return bool(re.search(rf"(?<![A-Z0-9])(?<!\d\.){spelt}(?![A-Z0-9]|\.\d)", self.words))


@dataclass(frozen=True)
class Source:
    """A passage in every form in which a claim is compared with it; each is made when it is first needed."""

    text: str

    @cached_property
    def facts(self) -> PassageFacts:
        """Return the facts of the passage."""
        return PassageFacts.of(self.text)

    @cached_property
    def letters(self) -> str:
        """Return its letters and digits, folded."""
        return folded(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return its stems and the initials of its names."""
        return words_and_initials(EMPHASIS.sub("", self.text))

    @cached_property
    def sentences(self) -> Sequence[Sequence[Token]]:
        """Return the tokens of each sentence, list item and table row, the last also as `column: cell`."""
        read = (read_sequence(one) for one in _units(self.text))
        return [tokens for tokens in read if tokens]

    @cached_property
    def windows(self) -> Sequence["Source"]:
        """Return each two sentences that follow one another, under the first line, which is the heading."""
        heading, _, _ = self.text.partition("\n")
        units = [unit for unit in _units(self.text) if unit.strip()]
        return [Source(f"{heading}\n{first}\n{second}") for first, second in pairwise([*units, ""])]

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Return its words and characters as they are searched."""
        return frozenset(tokenize(self.text))

    @cached_property
    def language(self) -> Language:
        """Return the language of most of it."""
        return language_of(without_labels(self.text))


def read_sequence(text: str) -> list[Token]:
    """Return the tokens of a text in order, without its punctuation."""
    found, rest = read_marked(_NOT.sub(_apart, text))
    # One each time, which costs less than a microsecond: it may not be shared between threads.
    stem, tokens = Stemmer("english").stemWord, list[Token]()
    for match in _TOKEN.finditer(rest):
        if match["fact"]:
            fact = found[marked(match["fact"])]
            tokens.append(Token(f"{MARK}{fact.text}", fact.text, fact))
        elif match["han"]:
            tokens.append(Token(match[0], match[0]))
        else:
            tokens.append(Token(stem(match[0].lower()), match[0]))
    return tokens


def _apart(match: re.Match[str]) -> str:
    """Write cannot, isn't and won't as two words."""
    if match[0].lower() == "can":
        return f"{match[0]} "
    word = match[0][:-3]
    return f"{_WHOLE.get(word.lower(), word)} not"


def _units(text: str) -> Iterator[str]:
    for is_table, lines in groupby(text.splitlines(), lambda line: line.lstrip().startswith("|")):
        for line in lines if not is_table else _rows("\n".join(lines)):
            yield from sentences(line) if not is_table else [line]


def _rows(table: str) -> Iterator[str]:
    header, rows = table_rows(table)
    names = cells(header[0]) if header else []
    yield from (*header[:1], *rows)
    for row in rows if names else ():
        yield "; ".join(f"{name}: {cell}" for name, cell in zip(names, cells(row), strict=False))


def _texts(fact: Fact) -> Iterator[str]:
    """Yield the fact and what follows from it."""
    yield fact.text
    if fact.kind == "date":
        year, month, day = date_parts(fact.text)
        yield f"month {int(month)}"
        if year:
            yield f"{year}-{month}"
        if day:
            yield f"{month}-{day}"


def _numbers(fact: Fact) -> Iterator[tuple[str, str]]:
    """Yield the numbers in a fact, each with its unit: in GB/T7714-2015 there are 7714 and 2015."""
    if fact.kind == "number":
        yield fact.value, fact.unit
    if fact.kind == "identifier":
        for number in re.findall(r"(?<![^-_/:# ])[1-9]\d*(?![^-_/:# ])", fact.text):
            yield number, ""
    if fact.kind == "date" and (year := date_parts(fact.text)[0]):
        yield year, ""


def _list_numbers(passage: str) -> tuple[set[str], set[str]]:
    """Return the numbers of headings, such as 3.2, and of list items, such as 2."""
    sections: set[str] = set()
    items: set[str] = set()
    for marker in LIST_NUMBER.findall(passage):
        if dotted := re.search(r"\d+(?:\.\d+)+", marker):
            sections.add(dotted[0])
        elif number := re.search(r"\d+", numerals_to_digits(marker)):
            items.add(number[0])
    return sections, items


def quotations(text: str) -> list[str]:
    """Return what stands in quotation or title marks, in parts where something was left out."""
    quoted = ("".join(filter(None, match.groups())) for match in _QUOTED.finditer(text))
    return [part.strip() for one in quoted for part in _ELLIPSIS.split(one) if len(folded(part)) > 1]


def words_and_initials(text: str) -> frozenset[str]:
    """Return the stems of a text, and the initials of its runs of capitalised words."""
    initials = {"".join(word[0] for word in _WORD.findall(run) if word[0].isupper()) for run in _RUN.findall(text)}
    return frozenset(tokenize(text, characters=False)) | {one.lower() for one in initials if len(one) > 1}


def names_not_in(words: Collection[str], text: str) -> Iterator[str]:
    """Yield the runs of capitalised words of a text of which a word is not among `words`.

    A capital at the start of a sentence is no sign, so the word there counts only with another missing one after it.
    An acronym and its long form are one thing.
    """
    for match in _RUN.finditer(text):
        run = [word for word in _WORD.findall(match[0]) if word[0].isupper() and len(word) > 1]
        initials = "".join(word[0] for word in run).lower()
        missing = [word for word in run if not _is_among(word, words)]
        at_start = bool(run) and _AT_START.search(text[: match.start()]) and missing[:1] == run[:1]
        if len(missing) > bool(at_start) and not (len(initials) > 1 and initials in words):
            yield match[0]


def _is_among(word: str, words: Collection[str]) -> bool:
    tokens = [token for token in tokenize(word.replace("’", "'"), characters=False) if token not in STOP_TOKENS]
    return not tokens or any(token in words for token in tokens)
