"""A projection learns what its groups say, half of it is kept, and the same groups give the same one."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from preprocessing.errors import FolioError
from retrieval.models.encoder import TokenIds
from retrieval.models.train_projection import Recipe, train
from retrieval.token_interaction import Floats, TokenReranker

pytest.importorskip("torch")
RECIPE = Recipe(steps=40, groups_in_step=2, passages=3, learning_rate=0.02)


class WordEncoder:
    """A token is a word of one letter, with a direction of its own."""

    def token_states(self, texts: Sequence[str], *, query: bool) -> list[tuple[TokenIds, Floats]]:
        ids = [np.array([ord(word) % 8 for word in text.split() if len(word) == 1], dtype=np.int64) for text in texts]
        return [(some, np.eye(8, dtype=np.float32)[some]) for some in ids]

    def information(self) -> Floats:
        return np.full(8, 9.0, dtype=np.float32)


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    # Who asks for a wants b, which looks no more like it than c and d do.
    path = tmp_path / "groups.jsonl"
    group = json.dumps({"question": "a", "passages": ["b", "c", "d"]}) + "\n"
    path.write_text(group * 80, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.token_interaction.UNRELATED_ZH", ("e",))
    monkeypatch.setattr("retrieval.token_interaction.UNRELATED_EN", ("f",))


def test_what_is_asked_for_comes_first_afterwards(groups: Path) -> None:
    projection = train(groups, WordEncoder(), RECIPE)
    before = TokenReranker(WordEncoder(), projection=None).scores("a", ["b", "c", "d"])
    after = TokenReranker(WordEncoder(), lambda: projection).scores("a", ["b", "c", "d"])
    assert before[0] == pytest.approx(before[1])
    assert after[0] > after[1] + 0.1
    assert after[0] > after[2] + 0.1


def test_half_of_the_change_is_kept_and_runs_are_alike(groups: Path) -> None:
    one, other = train(groups, WordEncoder(), RECIPE), train(groups, WordEncoder(), RECIPE)
    assert np.array_equal(one, other)
    whole = train(groups, WordEncoder(), replace(RECIPE, kept_share=1.0))
    assert one - np.eye(8) == pytest.approx((whole - np.eye(8)) / 2, abs=1e-6)


def test_no_groups_are_an_error(tmp_path: Path) -> None:
    empty = tmp_path / "groups.jsonl"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(FolioError, match="no groups are in it"):
        train(empty, WordEncoder(), RECIPE)
