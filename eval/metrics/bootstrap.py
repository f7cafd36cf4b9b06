"""How sure a mean over questions is, and a difference between two runs of the same questions.

Efron and Tibshirani: An Introduction to the Bootstrap, 1993, chapters 13 and 16. The seed is fixed, so that the same
scores always give the same interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 20090719
_AT_ONCE = 2_000_000
"""Numbers drawn at a time, to bound memory."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean difference between two runs over the same questions."""

    mean: float
    low: float
    high: float
    """Limits of the 95 % percentile interval."""
    p: float
    """Two-sided: how often chance alone gives a mean difference as large."""

    @property
    def significant(self) -> bool:
        """Say whether the difference is larger than chance explains, at the 5 % level."""
        return self.p < 0.05


def interval(scores: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean; both ends are the score when there is one only."""
    low, high = np.quantile(_means(np.asarray(scores, dtype=np.float64)), [0.025, 0.975])
    return float(low), float(high)


def paired_difference(before: Sequence[float], after: Sequence[float]) -> Difference:
    """Return the mean of `after - before`, question by question, with its interval and p value.

    p comes from the bootstrap distribution moved to mean 0, counting the observed sample as one draw.
    """
    differences = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    observed = float(differences.mean())
    means = _means(differences)
    low, high = np.quantile(means, [0.025, 0.975])
    # A hair of tolerance, because equal sums in another order differ in the last bit.
    as_large = int((np.abs(means - observed) >= abs(observed) - 1e-12).sum())
    return Difference(observed, float(low), float(high), (as_large + 1) / (RESAMPLES + 1))


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    generator = np.random.default_rng(SEED)
    at_once = max(1, _AT_ONCE // len(values))
    draws = [
        values[generator.integers(0, len(values), (min(at_once, RESAMPLES - start), len(values)))].mean(axis=1)
        for start in range(0, RESAMPLES, at_once)
    ]
    return np.concatenate(draws)
