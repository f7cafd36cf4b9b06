import random

import numpy as np
import pytest

from eval.metrics.bootstrap import RESAMPLES, interval, paired_difference


def test_the_interval_of_a_share_is_that_of_the_normal_distribution() -> None:
    scores = [1.0] * 300 + [0.0] * 700
    half = 1.96 * (0.3 * 0.7 / 1000) ** 0.5
    assert interval(scores) == pytest.approx((0.3 - half, 0.3 + half), abs=0.002)


def test_a_loss_on_every_fourth_question_is_significant() -> None:
    before = [1.0] * 80
    after = [0.0 if place % 4 == 0 else 1.0 for place in range(80)]
    difference = paired_difference(before, after)
    assert difference.mean == -0.25
    assert difference.high < 0
    assert difference.p == pytest.approx(1 / (RESAMPLES + 1))


def test_p_is_that_of_a_t_test_where_that_one_holds() -> None:
    # Mean 0.1, standard deviation 0.5 (n - 1 → n), 100 questions: z = 2.0, two-sided p = 0.0455.
    values = np.random.default_rng(1).normal(size=100)
    values = (values - values.mean()) / values.std() * 0.5 + 0.1
    assert paired_difference([0.0] * 100, list(values)).p == pytest.approx(0.0455, abs=0.01)


def test_shuffled_labels_cry_wolf_at_most_5_times_in_100() -> None:
    """Two runs that differ on a fifth of the questions, with before and after swapped at random on each of them."""
    shuffle = random.Random(3)
    alarms = 0
    for _ in range(300):
        pairs = [(1.0, shuffle.choice([0.0, 0.2, 0.5]) if place % 5 == 0 else 1.0) for place in range(80)]
        pairs = [pair if shuffle.random() < 0.5 else pair[::-1] for pair in pairs]
        difference = paired_difference([one for one, _ in pairs], [other for _, other in pairs])
        alarms += difference.significant and difference.mean < 0
    assert alarms <= 0.05 * 300
