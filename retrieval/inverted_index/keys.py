"""Numbers in the place of words: the same in every process, and all of one size."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


def key_of(text: str) -> int:
    """Return the number of a text, 0 to 2**64 - 1; that any two of a million share one has a probability of 3e-8."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def keys_of(texts: Iterable[str]) -> NDArray[np.uint64]:
    """Return the number of each text."""
    return np.fromiter(map(key_of, texts), np.uint64)
