"""The sides of a task do the same work, and the table says what each took."""

from pathlib import Path

import pytest

from eval.bench import folio, stock
from eval.bench.measure import BUILD, CHUNKS, ENCODED, QUERY
from eval.bench.story import COLUMNS, bench, bench_table
from eval.runs.run import new_run
from preprocessing.errors import FolioError


@pytest.mark.parametrize("side", [folio, stock])
def test_each_side_searches(side: object) -> None:
    assert side.hybrid("40")[QUERY] > 0  # type: ignore[attr-defined]


def test_ours_encodes_each_piece_once_and_the_usual_pipeline_again_and_again(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        text = "\n\n".join(["差旅住宿标准为每晚五百元。" * 25] * number)
        (tmp_path / f"{number}.txt").write_text(text + "\n", encoding="utf-8")
    ours, theirs = folio.ingest(str(tmp_path)), stock.ingest(str(tmp_path))
    assert ours[CHUNKS] == 3
    assert ours[ENCODED] == pytest.approx(1.0, abs=0.02)
    assert theirs[ENCODED] > 2


def test_a_file_that_cannot_be_read_stops_the_measuring(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(FolioError, match=r"broken\.pdf"):
        folio.ingest(str(tmp_path))


def test_each_side_is_measured_at_each_size_and_shown_in_a_row() -> None:
    def measured(task: str, side: str, size: str) -> dict[str, float]:
        return {BUILD: 0.25, QUERY: float(size) * 1.2345}

    rows = dict(bench(["hybrid search", "reranking"], [10, 2000], [], measured))
    table = bench_table(new_run("bench", {}, list(rows), statistics=rows))
    head, _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines())
    assert head == ["task", "", "size", *COLUMNS]
    assert [[cell for cell in line if cell] for line in lines[:3]] == [
        ["hybrid search", "Folio", "10", "0.25", "12.3"],
        ["hybrid search", "stock parts", "10", "0.25", "12.3"],
        ["hybrid search", "Folio", "2,000", "0.25", "2,469"],
    ]
    assert len(lines) == 5
