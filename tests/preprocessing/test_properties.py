"""What holds for every document: nothing lost, nothing doubled, nothing cut that belongs together."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from preprocessing.clean import clean
from preprocessing.document import Block, Chunk, Document
from preprocessing.prepare import ChunkingSettings, prepare
from preprocessing.sections import sections
from preprocessing.tables import cells, table_rows

CHUNKING = ChunkingSettings(piece_chars=60, max_chars=150)
SHORT = ChunkingSettings(piece_chars=20, max_chars=50)
WORDS = st.sampled_from(
    ["押金", "50 元", "不得", "2024年5月1日", "ERR_4032", "pump", "20 seconds", "GB/T 7714", "3.5%", "（见附件）"]
)
MARKS = st.sampled_from(["。", "，", "；", ". ", ", ", "\n", " ", "："])
LINES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
SENTENCES = st.lists(st.tuples(WORDS, MARKS).map("".join), min_size=1, max_size=25).map("".join)
NOISE = st.text(st.sampled_from("\u200b\u00ad\ufeff\u2060 \t\u3000\x07"), max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> Block:
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=2, max_size=12))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return Block("table", "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]]))


@st.composite
def codes(draw: st.DrawFn) -> Block:
    lines = draw(st.lists(st.integers(0, 999).map("    run --step {0}".format), min_size=1, max_size=12))
    return Block("code", "\n".join(["```sh", *lines, "```"]))


@st.composite
def paragraphs(draw: st.DrawFn) -> Block:
    text = draw(SENTENCES)
    breaks = draw(st.lists(st.integers(1, max(1, len(text) - 1)), max_size=2, unique=True).map(sorted))
    kept = [place for place in breaks if text[:place].strip() and text[place:].strip()]
    return Block("paragraph", text, page_breaks=tuple(kept))


BLOCKS = st.lists(
    st.one_of(
        paragraphs(),
        tables(),
        codes(),
        st.lists(LINES, min_size=1, max_size=6).map(
            lambda lines: Block("list", "\n".join(f"- {line}" for line in lines))
        ),
        st.tuples(st.sampled_from(["总则", "休假", "Scope"]), st.integers(1, 3)).map(
            lambda h: Block("heading", h[0], h[1])
        ),
    ),
    min_size=1,
    max_size=8,
)


def paged(blocks: Sequence[Block]) -> list[Block]:
    """Give each block the page on which the one before it ends."""
    page, numbered = 1, []
    for block in blocks:
        numbered.append(Block(block.kind, block.text, block.level, page, block.page_breaks))
        page += len(block.page_breaks)
    return numbered


def chunks_of(blocks: Sequence[Block], chunking: ChunkingSettings = CHUNKING) -> list[Chunk]:
    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))

    document = Document("d", "kb/a.md", "标题", tuple(clean(paged(blocks))), "md", "hash")
    return prepare(document, "revision", encode, chunking, 0.0)[0]


def bare(text: str) -> str:
    return re.sub(r"\s|\|| --- ", "", text)


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text))


@given(st.lists(st.tuples(NOISE, WORDS, MARKS, NOISE).map("".join), min_size=1, max_size=20).map("".join))
def test_cleaning_never_removes_a_fact(text: str) -> None:
    invisible = re.sub("[\u200b\u00ad\ufeff\u2060\x07]", "", text)
    (block,) = clean([Block("paragraph", text)])
    assert words_of(block.text) == words_of(invisible)


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Co", "Cn", "Cs"]), max_size=80))
def test_cleaning_keeps_every_letter_and_digit(text: str) -> None:
    kept = "".join(block.text for block in clean([Block("paragraph", text.replace("{%", ""))]))
    letters = [char for char in unicodedata.normalize("NFKC", text.replace("{%", "")) if char.isalnum()]
    assert [char for char in unicodedata.normalize("NFKC", kept) if char.isalnum()] == letters


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(BLOCKS)
def test_chunks_hold_every_character_once_and_in_order(blocks: list[Block]) -> None:
    blocks = [block for block in blocks if block.kind in ("paragraph", "list", "heading")]
    wanted = [block.text for section in sections(clean(paged(blocks))) for block in section.blocks]
    if wanted:
        assert bare("".join(chunk.text for chunk in chunks_of(blocks, SHORT))) == bare("".join(wanted))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(BLOCKS)
def test_chunks_keep_limits_rows_lines_and_sections(blocks: list[Block]) -> None:
    chunks = chunks_of(blocks)
    assert all(0 < len(chunk.text) <= CHUNKING.max_chars for chunk in chunks)
    found = sections(clean(paged(blocks)))
    tables = [block for section in found for block in section.blocks if block.kind == "table"]
    rows = [row for chunk in chunks for line in chunk.text.split("\n") if (row := line).startswith("|")]
    whole = {row for table in tables for part in table_rows(table.text) for row in part}
    assert set(rows) <= whole
    wanted = [cell for table in tables for row in table_rows(table.text)[1] for cell in cells(row)]
    joined = "\n".join(chunk.text for chunk in chunks)
    assert all(cell in joined for cell in wanted)
    lines = [
        line
        for section in found
        for block in section.blocks
        if block.kind == "code"
        for line in block.text.split("\n")[1:-1]
    ]
    assert [line for line in joined.split("\n") if line.startswith("    run")] == lines
    paths = [chunk.section for chunk in chunks]
    assert {path for path in paths if path} <= {section.path for section in found} | {()}


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(BLOCKS)
def test_the_page_of_a_chunk_holds_its_beginning(blocks: list[Block]) -> None:
    numbered = [block for section in sections(clean(paged(blocks))) for block in section.blocks]
    pages: dict[int, str] = {}
    for block in numbered:
        bounds = [0, *block.page_breaks, len(block.text)]
        for offset, (begin, end) in enumerate(pairwise(bounds)):
            assert block.page is not None
            pages[block.page + offset] = pages.get(block.page + offset, "") + bare(block.text[begin:end])
    for chunk in chunks_of(blocks, SHORT) if numbered else []:
        first = bare(next(line for line in chunk.text.split("\n") if bare(line).strip("`sh-")))[:1]
        assert chunk.page is not None
        assert first in pages[chunk.page]
        last = chunk.page_end or chunk.page
        text = "".join(pages.get(page, "") for page in range(chunk.page, last + 1))
        if not any(mark in chunk.text for mark in ("|", "```", ": ")):
            assert bare(chunk.text) in text
