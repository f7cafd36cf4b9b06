"""What every side of a bench starts from: made-up chunks, vectors and questions, a stopwatch, a process of its own."""

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from preprocessing.merge import UNRELATED_EN, UNRELATED_ZH
from retrieval.embed.embedder import Vectors

Result = TypeVar("Result")
Figures = Mapping[str, float]
"""Column of the table → figure."""

SEED = 11
QUESTIONS = 30
DIMENSION = 384
BUILD, QUERY, P95, FILTERED, REOPEN, MEMORY = "build s", "ms per query", "ms p95", "ms filtered", "reopen s", "MiB"
CHUNKS, SPEED, ENCODED = "chunks", "characters/s", "encoded/char"
ASKED = ("上海住宿每晚最多多少钱？", "How many days of annual leave are there?", "报错 ERR_4032 怎么处理？")
REPEATS = 5
_PASSAGE_CHARS = 300
_ZH = "员工 出差 住宿 报销 审批 制度 部门 合同 年假 工资 标准 发票 城市 经理 流程 系统 权限 考勤 加班 采购".split()


def make_chunks(size: int) -> list[Chunk]:
    """Return chunks of mixed Chinese and English words with the frequencies of natural text (Zipf's law).

    Every tenth is of department 3.
    """
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
            metadata={"department": str(number % 10)},
        )
        for number, row in enumerate(ranks.tolist())
    ]


def _word(rank: int) -> str:
    return _ZH[rank % len(_ZH)] + str(rank) if rank % 2 else f"word{rank}"


def make_passages(size: int, first: int = 0) -> list[str]:
    """Return Chinese and English passages by turns, other ones for each `first`."""
    texts = []
    for number in range(size):
        parts = (UNRELATED_ZH, UNRELATED_EN)[number % 2]
        rotated = cycle([*parts[(number + 7 * first) % len(parts) :], *parts[: (number + 7 * first) % len(parts)]])
        joined = f"{first}.{number} " + " ".join(islice(rotated, 30))
        texts.append(joined[: _PASSAGE_CHARS * (1 if number % 2 == 0 else 2)])
    return texts


def random_vectors(size: int) -> Vectors:
    """Return unit vectors in no order, shape (size, 384)."""
    vectors = np.random.default_rng(SEED).standard_normal((size, DIMENSION), dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what the work gives, and its seconds."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def spread(search: Callable[[str], object]) -> tuple[float, float]:
    """Return the median and the 95th percentile of a search in milliseconds, after one that does not count."""
    words = random.Random(SEED)
    questions = [" ".join(_word(words.randrange(1, 300)) for _ in range(6)) for _ in range(QUESTIONS)]
    search(questions[0])
    seconds = [timed(partial(search, question))[1] for question in questions]
    median, p95 = np.percentile(seconds, [50, 95]) * 1000
    return float(median), float(p95)


def encoding(size: int, passages: Callable[[Sequence[str]], object], question: Callable[[str], object]) -> Figures:
    """Return what encoding so many passages takes, and one question."""
    question("load the model")
    texts = make_passages(size)
    _, seconds = timed(lambda: passages(texts))
    times = [timed(partial(question, text))[1] for text in ASKED * REPEATS]
    return {BUILD: seconds, SPEED: sum(map(len, texts)) / seconds, QUERY: 1000 * float(np.median(times))}


def in_a_process(contest: str, side: str, size: str) -> dict[str, float]:
    """Return the figures of a side that runs in a process of its own, so that its memory can be told.

    Raises FolioError when it fails.
    """
    # The child must find this very code, wherever it was started.
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", "eval.bench.story", contest, side, size],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}"
        raise FolioError(f"bench: {contest} by {side} at {size} failed: {reason}")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def peak_mebibytes() -> float:
    """Return the most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts kibibytes, macOS bytes.
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
