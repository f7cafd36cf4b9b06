from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from preprocessing.document import Block, Section
from preprocessing.merge import calibrate, group_vector, joined_text, merge
from preprocessing.split import Piece, split


def unit(*degrees: float) -> NDArray[np.float32]:
    radians = np.radians(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def pieces(*texts: str) -> list[Piece]:
    return [Piece(text, None, ("甲",), "paragraph") for text in texts]


def groups(found: Sequence[Piece], vectors: NDArray[np.float32], **changed: float) -> list[tuple[int, ...]]:
    limits = {"unrelated": 0.0, "threshold": 0.5, "max_chars": 1200, "max_pieces": 3, **changed}
    return merge(
        found,
        vectors,
        unrelated=limits["unrelated"],
        threshold=limits["threshold"],
        max_chars=int(limits["max_chars"]),
        max_pieces=int(limits["max_pieces"]),
    )


def test_adjacent_pieces_above_the_threshold_are_merged() -> None:
    # cos 59° = 0.515 and cos 61° = 0.485 to either side of 0.5; 0° and 118° are far apart but linked by 59°.
    assert groups(pieces("一", "二", "三", "四"), unit(0, 59, 118, 179)) == [(0, 1, 2), (3,)]


def test_scale_moves_the_threshold() -> None:
    assert groups(pieces("一", "二"), unit(0, 45), unrelated=0.5) == [(0,), (1,)]  # (0.707 - 0.5) / 0.5 = 0.414
    assert groups(pieces("一", "二"), unit(0, 45), unrelated=0.4) == [(0, 1)]  # (0.707 - 0.4) / 0.6 = 0.512


def test_limits_hold_for_equal_pieces() -> None:
    assert groups(pieces("一", "二", "三", "四"), unit(0, 0, 0, 0)) == [(0, 1, 2), (3,)]
    assert groups(pieces("一二", "三四", "五六"), unit(0, 0, 0), max_chars=6) == [(0, 1), (2,)]
    assert groups(pieces("一二", "三四"), unit(0, 0), max_chars=5) == [(0,), (1,)]  # the blank line counts


def test_group_vector_is_weighted_by_length() -> None:
    # weights 3 and 1 on the axes: (3, 1) / √10
    assert group_vector(pieces("一二三", "四"), unit(0, 90)) == pytest.approx([3 / 10**0.5, 1 / 10**0.5])


def test_a_table_that_goes_on_says_its_header_once() -> None:
    head = "| 编号 | 价 |\n| --- | --- |"
    first = Piece(f"表 1：价格\n\n{head}\n| A | 1 |", None, (), "paragraph")
    second, other = Piece(f"{head}\n| B | 2 |", None, (), "table"), Piece("| 名 |\n| --- |\n| C |", None, (), "table")
    assert joined_text([first, second]) == f"表 1：价格\n\n{head}\n| A | 1 |\n| B | 2 |"
    assert joined_text([second, other]) == f"{second.text}\n\n{other.text}"


def test_what_was_cut_is_joined_as_it_stood() -> None:
    blocks = (
        Block("paragraph", "Close the valve first. Then stop the pump."),
        Block("paragraph", "先关阀门再停泵。再断电。"),
        Block("list", "- 一二三四五六七八九\n- 十二三四五六七八九"),
        Block("code", "```sh\nrun --one\nrun --two\n```"),
        Block("code", "```sh\nrun --three\n```"),
    )
    found = split(Section((), blocks), 22)
    assert [piece.text for piece in found] == [
        "Close the valve first.", "Then stop the pump.", "先关阀门再停泵。再断电。",
        "- 一二三四五六七八九", "- 十二三四五六七八九", "```sh\nrun --one\n```", "```sh\nrun --two\n```",
        "```sh\nrun --three\n```",
    ]  # fmt: skip
    assert joined_text(found) == "\n\n".join(block.text for block in blocks)


def test_calibrate_is_the_median_of_unrelated_pairs() -> None:
    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return unit(*[60.0 * (number == 0) for number in range(len(texts))])  # the first is apart from all others

    # Of 45 pairs a language, 9 hold the first passage (cos 0.5) and 36 do not (cos 1).
    assert calibrate(encode) == pytest.approx(1.0)
    assert calibrate(lambda texts: np.eye(len(texts), dtype=np.float32)) == 0.0
