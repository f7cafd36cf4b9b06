"""What every bench task starts from: made-up chunks, vectors and questions, and a stopwatch."""

import random
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import numpy as np

from preprocessing.document import Chunk
from retrieval.embed.base import Vectors

Result = TypeVar("Result")
Figures = Mapping[str, float]
"""Column of the table → figure."""
Task = Callable[[int], Figures]
"""Does its work at a size; runs in a process of its own, so that its memory can be told."""

SEED = 11
QUESTIONS = 30
DIMENSION = 384
BUILD, UPDATE, QUERY, REOPEN, ENCODED = "build s", "ms per update", "ms per query", "reopen s", "encoded/char"
FILTERED, P95 = "ms filtered", "ms p95"
_ZH = "员工 出差 住宿 报销 审批 制度 部门 合同 年假 工资 标准 发票 城市 经理 流程 系统 权限 考勤 加班 采购".split()


def make_chunks(size: int) -> list[Chunk]:
    """Return chunks of mixed Chinese and English words with the frequencies of natural text (Zipf's law)."""
    generator = np.random.default_rng(SEED)
    ranks = np.minimum(generator.zipf(1.3, (size, 40)), 20_000)
    return [
        Chunk(
            chunk_id=f"c{number}",
            doc_id=f"d{number // 20}",
            revision="r",
            index=number % 20,
            text=" ".join(_word(rank) for rank in row),
            section=(),
            page=None,
            source=f"d{number // 20}.md",
            title="",
            doc_type="md",
        )
        for number, row in enumerate(ranks.tolist())
    ]


def _word(rank: int) -> str:
    return _ZH[rank % len(_ZH)] + str(rank) if rank % 2 else f"word{rank}"


def random_vectors(size: int) -> Vectors:
    """Return unit vectors in no order, shape (size, 384)."""
    vectors = np.random.default_rng(SEED).standard_normal((size, DIMENSION), dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what the work gives, and its seconds."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def per_query(search: Callable[[str], object]) -> float:
    """Return the median milliseconds of a search, after one that does not count."""
    return spread(search)[0]


def spread(search: Callable[[str], object]) -> tuple[float, float]:
    """Return the median and the 95th percentile of a search in milliseconds, after one that does not count."""
    words = random.Random(SEED)
    questions = [" ".join(_word(words.randrange(1, 300)) for _ in range(6)) for _ in range(QUESTIONS)]
    search(questions[0])
    seconds = [timed(partial(search, question))[1] for question in questions]
    median, p95 = np.percentile(seconds, [50, 95]) * 1000
    return float(median), float(p95)
