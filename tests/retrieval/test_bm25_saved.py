"""A saved index opens as it was, or is known to be stale: after a crash at any step, and with any byte changed."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from retrieval.bm25 import BM25, StaleIndexError
from retrieval.filters import Filter
from retrieval.inverted_index.mapped_file import map_arrays, write_arrays
from retrieval.inverted_index.ragged import Array, Ragged
from tests.fakes import make_chunk

ALL = Filter(viewer=frozenset({"hr"}))
CHUNKS = [
    make_chunk("年假五天 alpha", "c0", revision="r0", section=("总则", "年假"), page=3, page_end=4, version="v2"),
    make_chunk("病假三天 ERR_4032", "c1", revision="r1", metadata={"visible_to": ("hr",), "floor": "3"}, title="请假"),
    make_chunk("", "c2", revision="r2", source="文档/乙.md"),
    make_chunk("年假", "c3", revision="r3"),
]


def saved(folder: Path, generation: int = 7) -> BM25:
    index = BM25.build(CHUNKS)
    index.remove_revision("r3")
    index.save(folder, generation)
    return index


def test_a_saved_index_opens_as_it_was(tmp_path: Path) -> None:
    index = saved(tmp_path)
    loaded = BM25.load(tmp_path, generation=7)
    assert len(loaded) == 3
    for where in (
        ALL,
        Filter(),
        Filter.of({"section": ("年*",), "page>=": ("3",)}),
        Filter.of({"floor": ("3",)}, ["hr"]),
    ):
        assert loaded.search("err_4032 病假 年假", 5, where) == index.search("err_4032 病假 年假", 5, where)
    loaded.remove_revision("r1")
    assert len(loaded) == 2


def test_an_empty_index_opens_and_finds_nothing(tmp_path: Path) -> None:
    BM25().save(tmp_path, generation=0)
    assert BM25.load(tmp_path, generation=0).search("年假", 5, ALL) == []


def test_opening_reads_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    BM25.build(CHUNKS).save(tmp_path, generation=7)
    monkeypatch.setattr(Ragged, "__getitem__", None)
    index = BM25.load(tmp_path, generation=7)
    assert len(index) == 4
    monkeypatch.undo()
    assert index.search("年假", 5, ALL)


def test_an_index_in_another_folder_is_written_there_whole(tmp_path: Path) -> None:
    index = saved(tmp_path / "a")
    index.save(tmp_path / "b", generation=8)
    assert BM25.load(tmp_path / "b", generation=8).search("年假", 5, ALL) == index.search("年假", 5, ALL)
    assert BM25.load(tmp_path / "a", generation=7).search("年假", 5, ALL) == index.search("年假", 5, ALL)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(b"not an index")


@pytest.mark.parametrize("damage", [Path.unlink, cut, empty, garbage])
@pytest.mark.parametrize("pattern", ["index.json", "*.segment"])
def test_a_missing_or_damaged_file_is_told(tmp_path: Path, pattern: str, damage: Callable[[Path], None]) -> None:
    saved(tmp_path)
    (path,) = tmp_path.glob(pattern)
    damage(path)
    with pytest.raises(StaleIndexError, match=r"is not there|is damaged"):
        BM25.load(tmp_path, generation=7)


def test_no_changed_byte_goes_unnoticed(tmp_path: Path) -> None:
    saved(tmp_path)
    places = random.Random(7)
    for path in tmp_path.iterdir():
        whole = path.read_bytes()
        for place in places.sample(range(len(whole)), min(len(whole), 150)):
            changed = bytearray(whole)
            changed[place] ^= places.randrange(1, 256)
            path.write_bytes(changed)
            with pytest.raises(StaleIndexError):
                BM25.load(tmp_path, generation=7)
        path.write_bytes(whole)
    assert len(BM25.load(tmp_path, generation=7)) == 3


def test_another_generation_or_tokenizer_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path)
    with pytest.raises(StaleIndexError, match="belongs to another state of the store"):
        BM25.load(tmp_path, generation=8)
    monkeypatch.setattr("retrieval.bm25.TOKENIZER_ID", "another")
    with pytest.raises(StaleIndexError, match="belongs to another state of the store"):
        BM25.load(tmp_path, generation=7)


class Killed(BaseException):
    """The process is gone: nothing catches this."""


STEPS = [(os, "fsync"), (Path, "replace"), (Path, "unlink"), (Path, "open"), (Path, "mkdir")]


def save_and_die(index: BM25, folder: Path, generation: int, step: int) -> bool:
    """Save, and be killed before that step of it; return False when there are fewer steps."""
    taken = 0

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object, **named: object) -> object:
            nonlocal taken
            if taken == step:
                raise Killed
            taken += 1
            return real(*arguments, **named)

        return run

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in STEPS:
            patch.setattr(owner, name, dying(getattr(owner, name)))
        try:
            index.save(folder, generation)
        except Killed:
            return True
    return False


def state(folder: Path, generation: int) -> list[tuple[str, float]] | None:
    try:
        return BM25.load(folder, generation).search("alpha", 5, ALL)
    except StaleIndexError:
        return None


def test_a_crash_at_any_step_leaves_the_state_before_or_after(tmp_path: Path) -> None:
    outcomes = []
    for step in range(20):
        folder = tmp_path / str(step)
        before = saved(folder).search("alpha", 5, ALL)
        index = BM25.load(folder, generation=7)
        index.remove_revision("r0")
        index.add([make_chunk("alpha 十天", "c9", revision="r9")])
        after = index.search("alpha", 5, ALL)
        assert [chunk_id for chunk_id, _ in after] == ["c9"]
        died = save_and_die(index, folder, 8, step)
        outcome = (state(folder, 7), state(folder, 8))
        assert outcome in [(before, None), (None, after)]
        outcomes.append(outcome[1] is not None)
        # Whatever was left behind, the next save brings the folder up to date and tidies it.
        index.save(folder, 9)
        assert state(folder, 9) == after
        assert len(list(folder.iterdir())) == 2
        if not died:
            break
    # Some steps come before the change and some after it, and the last save was not killed.
    assert not died
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}
    assert len(outcomes) > 5


def test_arrays_of_any_length_come_back_as_they_were(tmp_path: Path) -> None:
    arrays: dict[str, Array] = {
        "none": np.zeros(0, np.uint64),
        "some": np.arange(77, dtype=np.uint8),
        "wide": np.linspace(-1, 1, 5),
        "large": np.arange(2**40, 2**40 + 9),
    }
    checksum = write_arrays(tmp_path / "a", arrays)
    mapped = map_arrays(tmp_path / "a", checksum)
    assert mapped.keys() == arrays.keys()
    for name, array in arrays.items():
        assert mapped[name].dtype == array.dtype
        assert np.array_equal(mapped[name], array)
    with pytest.raises(ValueError, match="the checksum of a is wrong"):
        map_arrays(tmp_path / "a", checksum + 1)


def test_an_index_that_cannot_be_kept_is_used_all_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "keyword").write_text("a file where the folder should be", encoding="utf-8")
    index = saved(tmp_path / "keyword")
    assert "the keyword index cannot be kept in" in caplog.text
    assert [chunk_id for chunk_id, _ in index.search("三天", 5, ALL)] == ["c1", "c0"]
    with pytest.raises(StaleIndexError):
        BM25.load(tmp_path / "keyword", generation=7)
