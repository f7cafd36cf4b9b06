"""Rounded weights are what the formula says, and what was rounded before keeps its value."""

import numpy as np
import pytest

from retrieval.models.rounding import by_output, in_blocks


def test_blocks_of_four_bits_share_bytes_by_pairs() -> None:
    row = np.zeros((1, 32), dtype=np.float32)
    row[0, :3] = [-4.0, 1.5, 3.5]  # scale -4 / -8 = 0.5: steps -8, 3, 7
    stored, scales = in_blocks(row, bits=4)
    assert scales.tolist() == [[0.5]]
    assert stored.tolist() == [[0 | 11 << 4, 15 | 8 << 4, *[8 | 8 << 4] * 14]]


@pytest.mark.parametrize("bits", [4, 8])
def test_what_was_rounded_to_four_bits_keeps_its_value(bits: int) -> None:
    random = np.random.default_rng(7)
    steps = random.integers(-8, 8, size=(5, 2, 32)).astype(np.float32)
    steps[:, :, 4] = -8
    table = (steps * random.choice([-0.25, 0.5, 3.0], size=(5, 2, 1))).reshape(5, 64).astype(np.float32)
    stored, scales = in_blocks(table, bits)
    if bits == 4:
        stored = np.stack([stored & 15, stored >> 4], axis=2)
    back = (stored.reshape(5, 2, 32).astype(np.float32) - 2 ** (bits - 1)) * scales[:, :, None]
    assert back.reshape(5, 64).tolist() == table.tolist()


def test_a_block_of_zeros_stays_zero() -> None:
    stored, scales = in_blocks(np.zeros((1, 32), dtype=np.float32), bits=8)
    assert (stored.tolist(), scales.tolist()) == ([[128] * 32], [[0.0]])


def test_a_matrix_gets_one_scale_an_output_and_seven_bits() -> None:
    stored, scales = by_output(np.array([[6.3, -0.1, 0.24], [-1.26, 0.02, 0.0]], dtype=np.float32))
    assert scales == pytest.approx([0.1, 0.02])
    assert stored.tolist() == [[63, -63], [-1, 1], [2, 0]]
