"""Neighbouring pieces that speak of the same thing become one chunk."""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from preprocessing.split import Piece, join_code
from preprocessing.tables import join_tables

Vectors = NDArray[np.float32]

# One subject each, none like another: what an embedding model calls unrelated.
UNRELATED_ZH = (
    "员工每年可享受五天带薪年休假，须提前两周申请。",
    "蜜蜂用舞蹈告诉同伴花丛的方向和远近。",
    "水泵启动前应检查进口阀门是否全部打开。",
    "这座古桥建于明代，共有十七个石拱。",
    "把面团放在温暖处发酵一小时，再揉出气泡。",
    "火星的一天比地球的一天长大约四十分钟。",
    "数据库索引过多会拖慢写入速度。",
    "足球比赛分上下两个半场，每个半场四十五分钟。",
    "小提琴有四根弦，音色明亮。",
    "增值税发票应当在开票当月交给财务部。",
)
UNRELATED_EN = (
    "Travel costs are repaid within ten days of the claim.",
    "Penguins keep their eggs warm on their feet through the winter.",
    "Tighten the bolts crosswise before you fill the tank.",
    "The castle was rebuilt after the fire of 1702.",
    "Whisk the egg whites until they form stiff peaks.",
    "Saturn's rings consist mostly of pieces of ice.",
    "A failed login locks the account after five attempts.",
    "A chess game begins with thirty-two pieces on the board.",
    "The choir rehearses in the old chapel on Thursdays.",
    "Shares may not be sold before the annual report is published.",
)


def calibrate(encode: Callable[[Sequence[str]], Vectors]) -> float:
    """Return the median cosine of unrelated passages of one language under the model, -1 to 1."""
    cosines = []
    for passages in (UNRELATED_ZH, UNRELATED_EN):
        vectors = encode(passages)
        cosines += [float(vectors[one] @ vectors[other]) for one, other in combinations(range(len(passages)), 2)]
    return float(np.median(cosines))


def merge(
    pieces: Sequence[Piece],
    vectors: Vectors,
    *,
    unrelated: float,
    threshold: float,
    max_chars: int,
    max_pieces: int,
) -> list[tuple[int, ...]]:
    """Return groups of neighbouring piece indexes, in order; each piece is in exactly one.

    A piece joins the group before it while its scaled similarity `(cos - unrelated) / (1 - unrelated)` to the piece
    directly before it reaches the threshold, in the same section and on the same page, and the group's text stays
    within `max_chars` and `max_pieces`. `vectors` are unit vectors of shape (len(pieces), dimension).
    """
    similarity = adjacent_similarity(vectors, unrelated)
    groups: list[tuple[int, ...]] = []
    for index, piece in enumerate(pieces):
        before = groups[-1] if groups else ()
        if (
            before
            and len(before) < max_pieces
            and piece.section == pieces[index - 1].section
            and piece.page == (pieces[index - 1].page_end or pieces[index - 1].page) == pieces[before[0]].page
            and similarity[index - 1] >= threshold
            and len(joined_text([pieces[member] for member in (*before, index)])) <= max_chars
        ):
            groups[-1] = (*before, index)
        else:
            groups.append((index,))
    return groups


def adjacent_similarity(vectors: Vectors, unrelated: float) -> NDArray[np.float32]:
    """Return the scaled similarity of each vector to the next: 1 for equal, 0 for unrelated; length n - 1."""
    cosines = np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    return np.asarray((cosines - unrelated) / max(1.0 - unrelated, 1e-6), dtype=np.float32)


def joined_text(pieces: Sequence[Piece]) -> str:
    """Return the text of a group as it stands in the document; a table that goes on says its header once."""
    text = pieces[0].text
    for piece in pieces[1:]:
        rows = join_tables(text, piece.text) if piece.kind == "table" else None
        if rows is not None:
            text = f"{text}\n{rows}"
        elif piece.kind == "code" and piece.join == "\n":
            text = join_code(text, piece.text)
        else:
            text = f"{text}{piece.join}{piece.text}"
    return text


def group_vector(pieces: Sequence[Piece], vectors: Vectors) -> Vectors:
    """Return the mean of the pieces' unit vectors, weighted by text length, as a unit vector."""
    weights = np.array([len(piece.text) for piece in pieces], dtype=np.float32)
    mean = weights @ vectors
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else vectors[0], dtype=np.float32)
