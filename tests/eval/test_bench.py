"""The sides of a contest do the same work, and the table says what each took."""

import pytest

from eval import bench, bench_inputs, bench_retrieval
from eval.bench import CONTESTS, MEMORY, Contest, Measured, bench_table, measure
from preprocessing.errors import FolioError

FAST = [
    (contest.name, side)
    for contest in CONTESTS
    for side in contest.sides
    if contest.name in ("keyword search", "hybrid search", "fusion")
]


def test_chunks_repeat_and_are_bilingual() -> None:
    one, other = bench_inputs.make_chunks(5), bench_inputs.make_chunks(5)
    assert one == other
    assert len({chunk.chunk_id for chunk in one}) == 5
    text = " ".join(chunk.text for chunk in one)
    assert "word" in text
    assert any("\u4e00" <= character <= "\u9fff" for character in text)


@pytest.mark.parametrize(("name", "side"), FAST)
def test_every_side_gives_its_figures(name: str, side: str) -> None:
    figures = measure(name, side, 40)
    assert figures[bench_inputs.QUERY] > 0
    assert figures[MEMORY] > 1


def test_sizes_are_those_asked_for_where_the_contest_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    never = bench_retrieval.keyword_folio
    contests = (Contest("a", {"x": never, "y": never}), Contest("b", {"z": never}, sizes=(3,)))
    monkeypatch.setattr(bench, "CONTESTS", contests)
    monkeypatch.setattr(bench, "_in_a_process", lambda *asked: {"build s": 1.0})
    seen: list[Measured] = []
    found = bench.bench([10, 20], seen.append)
    assert [(one.side, one.size) for one in found] == [("x", 10), ("y", 10), ("x", 20), ("y", 20), ("z", 3)]
    assert seen == found


def test_a_side_that_fails_is_named() -> None:
    with pytest.raises(FolioError, match=r"bench: keyword search by nobody at 10 failed: KeyError: 'nobody'"):
        bench._in_a_process("keyword search", "nobody", 10)


def test_the_table() -> None:
    keyword = {"build s": 0.25, "ms per update": 9.876, "ms per query": 1.5, "reopen s": 0.02, "MiB": 150.4}
    found = [
        Measured("keyword search", "Folio", 1000, keyword),
        Measured("merging", "re-encoding loop", 60, {"build s": 12.34, "encoded/char": 3.456}),
    ]
    head, _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in bench_table(found).splitlines())
    assert head == ["task", "", "size", *bench.COLUMNS]
    # What a task does not measure is left open.
    assert [{name: cell for name, cell in zip(head, line, strict=True) if cell} for line in lines] == [
        {"task": "keyword search", "": "Folio", "size": "1,000", "build s": "0.25", "ms per update": "9.88"}
        | {"ms per query": "1.5", "reopen s": "0.02", "MiB": "150"},
        {"task": "merging", "": "re-encoding loop", "size": "60", "build s": "12.3", "encoded/char": "3.46"},
    ]
