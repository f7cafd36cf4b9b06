"""What holds for every document: nothing lost, nothing doubled, nothing cut that belongs together."""

import functools
import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer

from preprocessing.clean import clean
from preprocessing.document import MAX_HEADING_CHARS, Block, Chunk, Document, Section
from preprocessing.prepare import ChunkingSettings, prepare
from preprocessing.sections import sections
from preprocessing.sentences import sentences
from preprocessing.split import split
from preprocessing.tables import table_rows
from retrieval.models.artefacts import TOKENIZER, checked

MOST_TOKENS = 512

WORDS = st.sampled_from(
    ["押金", "50 元", "不得", "2024年5月1日", "ERR_4032", "pump", "20 seconds", "GB/T 7714", "3.5%", "（见附件）"]
)
MARKS = st.sampled_from(["。", "，", "；", ". ", ", ", "\n", " ", "："])
LENGTHS = st.sampled_from([(60, 60, 1), (60, 90, 3), (100, 220, 2), (400, 1200, 3)]).map(
    lambda sizes: ChunkingSettings(piece_chars=sizes[0], max_chars=sizes[1], max_pieces=sizes[2])
)
UNRELATED = np.eye(2, dtype=np.float32)


@st.composite
def blocks_of_pages(draw: st.DrawFn) -> list[Block]:
    """Draw a document in which every sentence, row, line, item and heading has a number of its own."""
    numbers = itertools.count(1)

    def some(most: int, least: int = 1) -> list[str]:
        return [f"{next(numbers)}{word}" for word in draw(st.lists(WORDS, min_size=least, max_size=most))]

    def paragraph() -> Block:
        text = "".join(f"{part}{draw(MARKS)}" for part in some(25)).strip()
        breaks = draw(st.lists(st.integers(1, max(1, len(text) - 1)), max_size=2, unique=True).map(sorted))
        return Block("paragraph", text, page_breaks=tuple(breaks) if len(text) > 1 else ())

    def table() -> Block:
        width = draw(st.integers(1, 3))
        rows = [some(width, width) for _ in range(draw(st.integers(1, 12)))]
        lines = [f"| {' | '.join(row)} |" for row in [[f"列{n}" for n in range(width)], *rows]]
        return Block("table", "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]))

    def code() -> Block:
        return Block("code", "\n".join(["```sh", *(f"    run {part}" for part in some(12)), "```"]))

    def items() -> Block:
        return Block("list", "\n".join(f"- {part}" for part in some(6)))

    def heading() -> Block:
        return Block("heading", f"{some(1)[0]} 章", draw(st.integers(1, 3)))

    kinds = draw(st.lists(st.sampled_from([paragraph, table, code, items, heading]), min_size=1, max_size=8))
    page, made = 1, []
    for block in (kind() for kind in kinds):
        made.append(replace(block, page=page))
        page += len(block.page_breaks)
    return clean(made)


def chunks_of(blocks: Sequence[Block], chunking: ChunkingSettings, alike: bool = True) -> list[Chunk]:
    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return UNRELATED[[0 if alike else number % 2 for number in range(len(texts))]]

    document = Document("d", "kb/a.md", "标题", tuple(blocks), "md", "hash")
    return prepare(document, "revision", encode, chunking, 0.0)[0]


def bare(text: str) -> str:
    """Return what is content of a text: no blanks and pipes, fences, table headers, and column names before values."""
    lines = (re.sub(r"^列\d: ", "", line) for line in text.split("\n"))
    kept = (line for line in lines if not re.match(r"```|\| 列0|\| ---", line))
    return re.sub(r"\s|\|", "", "".join(kept))


def places_of(blocks: Sequence[Block]) -> list[tuple[str, tuple[str, ...], int | None]]:
    """Return every character of content with its section and page, in order."""
    places = []
    for section in sections(blocks):
        for block in section.blocks:
            for offset, (begin, end) in enumerate(pairwise([0, *block.page_breaks, len(block.text)])):
                page = (block.page or 0) + offset
                places += [(char, section.path, page) for char in bare(block.text[begin:end])]
    return places


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Co", "Cn", "Cs"]), max_size=80))
def test_cleaning_keeps_every_letter_and_digit(text: str) -> None:
    kept = "".join(block.text for block in clean([Block("paragraph", text.replace("{%", ""))]))
    letters = [char for char in unicodedata.normalize("NFKC", text.replace("{%", "")) if char.isalnum()]
    assert [char for char in unicodedata.normalize("NFKC", kept) if char.isalnum()] == letters


@given(blocks_of_pages(), LENGTHS, st.booleans())
def test_chunks_hold_every_character_once_in_order_in_its_section_and_on_its_page(
    blocks: list[Block], chunking: ChunkingSettings, alike: bool
) -> None:
    places = places_of(blocks)
    for chunk in chunks_of(blocks, chunking, alike) if places else []:
        held, places = places[: len(bare(chunk.text))], places[len(bare(chunk.text)) :]
        assert "".join(char for char, _, _ in held) == bare(chunk.text)
        assert {path for _, path, _ in held} == {chunk.section}
        assert (chunk.page, chunk.page_end or chunk.page) == (held[0][2], held[-1][2])
        # A quote begins on the page that is cited: only the last sentence may go on over the page.
        last = len(bare(sentences(chunk.text)[-1]))
        assert {page for _, _, page in held[: len(held) - last + 1]} == {chunk.page}
    assert places == []


@given(blocks_of_pages(), LENGTHS)
def test_chunks_keep_their_limits_rows_and_lines(blocks: list[Block], chunking: ChunkingSettings) -> None:
    chunks = chunks_of(blocks, chunking)
    assert all(0 < len(chunk.text) <= chunking.max_chars for chunk in chunks)
    shown = [line for chunk in chunks for line in chunk.text.split("\n")]
    rows = []
    for header, block in [(table_rows(block.text)[0], block) for block in blocks if block.kind == "table"]:
        room = chunking.piece_chars - len("\n".join(header)) - 1
        rows += [row for row in table_rows(block.text)[1] if len(row) <= room]
    lines = [line for block in blocks if block.kind == "code" for line in block.text.split("\n")[1:-1]]
    assert [line for line in shown if line.startswith("|") and not re.match(r"\| (?:列0|---)", line)] == rows
    assert [line for line in shown if line.startswith("    run")] == lines
    for chunk in chunks:
        is_row = [line.startswith("|") for line in chunk.text.split("\n")]
        # A table begins with its header in every chunk.
        assert all(chunk.text.split("\n")[number].startswith("| 列0") for number in begins(is_row))


def begins(flags: Sequence[bool]) -> list[int]:
    return [number for number, (before, now) in enumerate(pairwise([False, *flags])) if now and not before]


@given(blocks_of_pages())
def test_the_bundled_encoder_reads_every_piece_whole(blocks: list[Block]) -> None:
    tokenizer = bundled_tokenizer()
    encoded: list[str] = []

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        encoded.extend(texts)
        return UNRELATED[[0] * len(texts)]

    document = Document("d", "kb/a.md", "题" * MAX_HEADING_CHARS, tuple(blocks), "md", "hash")
    prepare(document, "revision", encode, ChunkingSettings(), 0.0)
    assert all(len(tokenizer.encode(f"passage: {text}").ids) <= MOST_TOKENS for text in encoded)


@pytest.mark.parametrize(
    "text",
    ["年休假" * 400, "䶮㐂龘" * 400, "1234567890" * 120, "7 " * 600, "QUJD" * 300, "deadbeef" * 150,
     "The pump must never run dry. " * 40, "https://example.invalid/a?b=c&d=" * 40],
)  # fmt: skip
def test_the_bundled_encoder_reads_pieces_of_any_kind_of_text_whole(text: str) -> None:
    pieces = split(Section((), (Block("paragraph", text),)), ChunkingSettings().piece_chars)
    heading = f"{'题' * MAX_HEADING_CHARS}\n"
    assert len(pieces) >= 2
    counts = [len(bundled_tokenizer().encode(f"passage: {heading}{piece.text}").ids) for piece in pieces]
    assert max(counts) <= MOST_TOKENS


@functools.cache
def bundled_tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(checked(TOKENIZER)))
