"""The weights of a BERT encoder, whatever they were read from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Piece = tuple[str, float]
"""Text and log probability."""


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
