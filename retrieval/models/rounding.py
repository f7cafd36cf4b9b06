"""Weights rounded to few bits."""

import numpy as np
from numpy.typing import NDArray

from retrieval.models.weights import Floats

BLOCK = 32
_WIDEST = 63


def in_blocks(table: Floats, bits: int) -> tuple[NDArray[np.uint8], Floats]:
    """Return a table's bytes, uint8 (rows, columns x bits / 8), and scales, float32 (rows, blocks of 32).

    Weight = (stored - 2^(bits-1)) x scale. At 4 bits two weights share a byte, the earlier in the low half.
    The weight of greatest magnitude in a block becomes 0, that is -2^(bits-1), exactly: what was rounded to blocks of
    4 bits before, by the same rule, keeps its value.
    """
    rows, columns = table.shape
    blocks = table.reshape(rows, columns // BLOCK, BLOCK)
    middle = 2 ** (bits - 1)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2)[:, :, None], axis=2)
    scales = (largest / -middle).astype(np.float16).astype(np.float32)
    steps = np.divide(blocks, scales, out=np.zeros_like(blocks), where=scales != 0)
    stored = np.clip(np.rint(steps) + middle, 0, 2 * middle - 1).astype(np.uint8)
    if bits == 4:
        stored = stored[:, :, 0::2] | stored[:, :, 1::2] << 4
    return stored.reshape(rows, -1), scales[:, :, 0]


def by_output(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return a matrix turned over, int8 (inputs, outputs) in -63..63, and one scale an output, float32.

    Seven bits, not eight: on x86 CPUs without VNNI two products of 8-bit numbers are added in 16 bits, and
    255 x 127 x 2 is more than those hold, while 255 x 63 x 2 is not.
    """
    scales = np.abs(weight).max(axis=1) / _WIDEST
    rounded = np.rint(weight / scales[:, None]).astype(np.int8)
    return np.ascontiguousarray(rounded.T), scales.astype(np.float32)
