"""One contract, kept by every store: embedded, in the client, over HTTP, and on a real server where one is given."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from retrieval.filters import Filter
from retrieval.hit import LegScore
from retrieval.store.edge import EdgeStore
from retrieval.store.store import Store, StoreLocked, VectorError
from tests.retrieval.store.stores import STORES, named

ALL = Filter()

LEAVE = Chunk(
    chunk_id="制度/休假 2024.md#0",
    doc_id="leave",
    revision="leave-1",
    index=0,
    text="年假满一年十天，探亲假另计。",
    section=("休假", "年假"),
    page=None,
    source="制度/休假 2024.md",
    title="休假制度",
    doc_type="md",
    version="2024",
    metadata={"department": "人力资源", "tags": ("假期", "考勤"), "a=b": "c"},
)
PAY = replace(
    LEAVE,
    chunk_id="../pay/范围?#%2F.pdf#3",
    doc_id="pay",
    revision="pay-1",
    index=3,
    section=(),
    page=12,
    source="pay.pdf",
    doc_type="pdf",
    version=None,
    metadata={"visible_to": ("hr", "董事会"), "title": "not the field"},
)
TRAVEL = replace(
    LEAVE, chunk_id="travel#0", doc_id="travel", revision="travel-1", page=1, metadata={"visible_to": "everyone"}
)
OLD = replace(LEAVE, chunk_id="old#0", revision="leave-0", version="2023", metadata={"a": "b=c", "empty": ()})
CHUNKS = [LEAVE, PAY, TRAVEL, OLD]
VECTORS = np.array([[1, 0, 0], [0.8, 0.6, 0], [0.6, 0.8, 0], [0, 1, 0]], dtype=np.float32)


@pytest.fixture(params=named(*STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with STORES[request.param](tmp_path, 3) as opened:
        yield opened


@pytest.fixture
def full(store: Store) -> Store:
    store.upsert(CHUNKS, VECTORS)
    return store


def test_an_empty_store_answers_with_nothing(store: Store) -> None:
    assert (store.count(), list(store.scan()), store.get(["x"]), store.get([])) == (0, [], [], [])
    assert store.search(VECTORS[0], 5, ALL) == []
    store.upsert([], np.empty((0, 3), dtype=np.float32))
    store.delete_revision("nothing")
    assert store.count() == 0


def test_search_ranks_by_cosine_and_fills_the_leg(full: Store) -> None:
    hits = full.search(np.array([2, 0, 0], dtype=np.float32), 3, Filter(viewer=frozenset({"hr", "everyone"})))
    assert [hit.chunk for hit in hits] == [LEAVE, PAY, TRAVEL]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.8, 0.6], abs=1e-6)
    assert [hit.legs for hit in hits] == [{"vector": LegScore(i, hit.score)} for i, hit in enumerate(hits, start=1)]
    assert full.search(VECTORS[0], 0, ALL) == []


@pytest.mark.parametrize(
    "where",
    [
        ALL,
        Filter(viewer=frozenset({"hr"})),
        Filter(viewer=frozenset({"董事会", "it"})),
        Filter(viewer=frozenset({"everyone"})),
        Filter(viewer=frozenset({"group hr"})),
        Filter(equals={"doc_type": ("pdf",)}),
        Filter(equals={"doc_type": ("pdf", "md")}, viewer=frozenset({"hr"})),
        Filter(equals={"section": ("休假",)}),
        Filter(equals={"section": ("年假",)}),
        Filter(equals={"section": ("休假 > 年假",)}),
        Filter(equals={"page": ("12",)}, viewer=frozenset({"hr"})),
        Filter(equals={"page": ("None",)}),
        Filter(equals={"version": ("2023",)}),
        Filter(equals={"source": ("制度/休假 2024.md",), "department": ("人力资源",)}),
        Filter(equals={"tags": ("考勤", "nothing")}),
        Filter(equals={"tags": ("考",)}),
        Filter(equals={"title": ("not the field",)}, viewer=frozenset({"hr"})),
        Filter(equals={"visible_to": ("hr",)}, viewer=frozenset({"hr"})),
        Filter(equals={"a": ("b=c",)}),
        Filter(equals={"a=b": ("c",)}),
        Filter(equals={"a.b[0]": ("c",)}),
        Filter(equals={"department": ()}),
        Filter(equals={"empty": ("",)}),
        Filter(equals={"revision": ("leave-1",)}),
        Filter(exclude_revisions=frozenset({"leave-1"})),
        Filter(exclude_revisions=frozenset({"leave-0", "pay-1", "gone"}), viewer=frozenset({"hr", "everyone"})),
        Filter(equals={"doc_type": ("md",)}, exclude_revisions=frozenset({"leave-0", "leave-1"})),
    ],
)
def test_a_filter_lets_through_what_it_allows(full: Store, where: Filter) -> None:
    hits = full.search(np.array([1, 0.1, 0], dtype=np.float32), 10, where)
    assert [hit.chunk for hit in hits] == [chunk for chunk in CHUNKS if where.allows(chunk)]


def test_a_filter_works_before_the_ranking(store: Store) -> None:
    near = [replace(PAY, chunk_id=f"near{i}") for i in range(300)]
    store.upsert([*near, OLD], np.array([[1, 0, 0]] * 300 + [[0, 1, 0]], dtype=np.float32))
    assert [hit.chunk for hit in store.search(VECTORS[0], 1, ALL)] == [OLD]


def test_scan_yields_every_chunk_once(store: Store) -> None:
    chunks = [replace(LEAVE, chunk_id=f"块/{i}", index=i) for i in range(1200)]
    store.upsert(chunks, np.tile(VECTORS[0], (1200, 1)))
    assert sorted(store.scan(), key=lambda chunk: chunk.index) == chunks


def test_delete_revision_leaves_the_others(full: Store) -> None:
    assert [full.count(revision) for revision in ("leave-1", "pay-1", "nosuch", "")] == [1, 1, 0, 0]
    full.delete_revision("leave-1")
    assert (full.count(), full.count("leave-1")) == (3, 0)
    assert {chunk.chunk_id for chunk in full.scan()} == {PAY.chunk_id, TRAVEL.chunk_id, OLD.chunk_id}
    assert LEAVE not in [hit.chunk for hit in full.search(VECTORS[0], 5, ALL)]


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1, 0, 0], [0, 1, 0], [0, 0, float("nan")]], "chunk 'travel#0' holds NaN"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, float("inf")]], "chunk 'travel#0' holds NaN or infinity"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 0]], "chunk 'travel#0' is all zeros"),
        ([[1, 0], [0, 1], [0, 0]], r"shape \(3, 2\) do not fit; 3 chunks need \(3, 3\)"),
        ([[1, 0, 0], [0, 1, 0]], r"shape \(2, 3\) do not fit; 3 chunks need \(3, 3\)"),
        ([[1, 0, 0], [0, 1, 0], [0, 0]], "differ in length"),
    ],
)
def test_one_bad_vector_refuses_the_whole_batch(store: Store, vectors: list[list[float]], message: str) -> None:
    with pytest.raises(VectorError, match=message):
        store.upsert(CHUNKS[:3], vectors)  # type: ignore[arg-type]
    assert store.count() == 0


def test_threads_lose_nothing(store: Store) -> None:
    store.upsert(CHUNKS, VECTORS)
    written = threading.Event()

    def read() -> None:
        while not written.is_set():
            assert store.search(VECTORS[0], 1, ALL)[0].chunk == LEAVE
            assert store.get([OLD.chunk_id]) == [OLD]
            assert store.count() >= 4

    def write() -> None:
        try:
            for batch in range(10):
                chunks = [replace(PAY, chunk_id=f"{batch}/{i}", revision=f"r{batch}") for i in range(20)]
                store.upsert(chunks, np.tile(VECTORS[3], (20, 1)))
                if batch % 2:
                    store.delete_revision(f"r{batch}")
        finally:
            written.set()

    with ThreadPoolExecutor(17) as pool:
        for done in [pool.submit(write), *(pool.submit(read) for _ in range(16))]:
            done.result()
    assert store.count() == 4 + 5 * 20


def test_an_embedded_store_is_as_it_was_after_reopening(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path, 3)
    store.upsert(CHUNKS, VECTORS)
    store.delete_revision("leave-0")
    store.close()
    again = EdgeStore.open(tmp_path, 3)
    assert again.count() == 3
    assert again.get([LEAVE.chunk_id, PAY.chunk_id, OLD.chunk_id]) == [LEAVE, PAY]
    assert again.search(VECTORS[0], 1, Filter(equals={"doc_type": ("md",)}))[0].chunk == LEAVE
    again.close()


HOLD = """
import sys
from pathlib import Path
import numpy as np
from preprocessing.document import Chunk
from retrieval.store.edge import EdgeStore
store = EdgeStore.open(Path(sys.argv[1]), 3)
store.upsert([Chunk("a", "d", "r", 0, "文", (), None, "s", "t", "md")], np.ones((1, 3), dtype=np.float32))
sys.stdout.write("written\\n")
sys.stdout.flush()
sys.stdin.read()
"""


def test_a_second_process_is_told_who_has_the_store_and_a_killed_one_leaves_no_trace(tmp_path: Path) -> None:
    folder = tmp_path / "知识库"
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        encoding="utf-8",
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "written\n"
        with pytest.raises(StoreLocked) as refused:
            EdgeStore.open(folder, 3)
        assert str(refused.value) == (
            f"store {folder} is in use by process {holder.pid}: "
            "stop that process, or set FOLIO_QDRANT_URL so that several share a Qdrant server"
        )
        holder.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        holder.wait()
    store = EdgeStore.open(folder, 3)
    assert [chunk.text for chunk in store.scan()] == ["文"]
    store.close()


def test_the_folder_is_free_after_a_failed_opening(tmp_path: Path) -> None:
    EdgeStore.open(tmp_path, 3).close()
    with pytest.raises(FolioError, match=r"holds vectors of 3 dimensions, FOLIO_EMBED_MODEL gives 8.*folio reindex"):
        EdgeStore.open(tmp_path, 8)
    with pytest.raises(FolioError, match="3 dimensions"):
        EdgeStore.open(tmp_path, 8)
    EdgeStore.open(tmp_path, 3).close()


def test_a_damaged_store_is_one_line(tmp_path: Path) -> None:
    EdgeStore.open(tmp_path, 3).close()
    (tmp_path / "shard" / "edge_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(FolioError, match="cannot be opened") as refused:
        EdgeStore.open(tmp_path, 3)
    assert "\n" not in str(refused.value)


def test_a_state_is_read_with_its_vectors_in_order(full: Store) -> None:
    first, second = replace(LEAVE, chunk_id="s#0", revision="s", index=0), replace(PAY, chunk_id="s#3", revision="s")
    full.upsert([second, first], VECTORS[1:3])
    chunks, vectors = full.read_revision("s")
    assert chunks == [first, second]
    np.testing.assert_allclose(vectors, VECTORS[[2, 1]], rtol=1e-6)
    chunks, vectors = full.read_revision("nosuch")
    assert (chunks, vectors.shape) == ([], (0, 3))
