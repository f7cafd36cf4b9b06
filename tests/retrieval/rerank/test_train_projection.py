"""A projection learns what its groups say, half of it is kept, and the same groups give the same one."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from retrieval.models.encoder import TokenIds
from retrieval.rerank.token_interaction import Floats, TokenReranker

pytestmark = pytest.mark.models


class WordEncoder:
    """A token is a word of one letter, with a direction of its own."""

    def token_states(self, texts: Sequence[str], *, query: bool) -> list[tuple[TokenIds, Floats]]:
        ids = [np.array([ord(word) % 8 for word in text.split() if len(word) == 1], dtype=np.int64) for text in texts]
        return [(some, np.eye(8, dtype=np.float32)[some]) for some in ids]

    def information(self) -> Floats:
        return np.full(8, 9.0, dtype=np.float32)


@pytest.fixture(scope="module")
def training() -> Any:
    pytest.importorskip("torch")
    return import_module("retrieval.rerank.train_projection")


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.rerank.token_interaction.UNRELATED_ZH", ("e",))
    monkeypatch.setattr("retrieval.rerank.token_interaction.UNRELATED_EN", ("f",))


def test_what_is_asked_for_comes_first_afterwards(training: Any) -> None:
    # Who asks for a wants b, which looks no more like it than c and d do.
    groups = [training.Group("a", ("b", "c", "d"))] * 80
    recipe = {"steps": 40, "groups_in_step": 2, "passages": 3, "learning_rate": 0.02}
    half, again, whole = (
        training.train(groups, WordEncoder(), training.Recipe(**recipe, kept_share=share)) for share in (0.5, 0.5, 1.0)
    )
    before = TokenReranker(WordEncoder(), projection=None).scores("a", ["b", "c", "d"])
    after = TokenReranker(WordEncoder(), lambda: half).scores("a", ["b", "c", "d"])
    assert before[0] == pytest.approx(before[1])
    assert after[0] > max(after[1:]) + 0.1
    assert np.array_equal(half, again)
    assert half - np.eye(8) == pytest.approx((whole - np.eye(8)) / 2, abs=1e-6)
