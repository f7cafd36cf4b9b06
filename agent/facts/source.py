"""A passage that was read once, to be asked what of a sentence it holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from agent.citations import without_labels
from agent.facts.names import english_words
from agent.facts.normal import EMPHASIS, folded
from agent.facts.passage import PassageFacts
from agent.facts.sequence import Token, read_sequence
from preprocessing.sentences import sentences
from preprocessing.tables import cells, table_rows
from retrieval.text.language import Language, language_of
from retrieval.tokens import tokenize


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
        return english_words(EMPHASIS.sub("", self.text))

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
    def language(self) -> Language | None:
        """Return the language of most of it."""
        return language_of(without_labels(self.text))


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
