"""An index that was changed scores like one that was built anew, whatever its parts; readers never wait or fail."""

import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from preprocessing.document import Chunk
from retrieval.bm25 import BM25
from retrieval.filters import Filter
from retrieval.inverted_index import part
from retrieval.tokens import tokenize
from tests.fakes import make_chunk

WORDS = ["alpha", "beta", "gamma", "ERR_4032", "年假", "报销"]
documents = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=4)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), documents),
        st.tuples(st.just("remove"), st.integers(0, 9)),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=12,
)


def document(number: int, texts: list[str]) -> list[Chunk]:
    return [
        make_chunk(text, f"c{number}-{index}", doc_id=f"d{number}", revision=f"r{number}", index=index)
        for index, text in enumerate(texts)
    ]


@pytest.mark.parametrize("small", [0, part.SMALL])
@settings(max_examples=60)
@given(changes=changes)
def test_any_history_leaves_the_scores_of_a_fresh_index(
    small: int, changes: list[tuple[str, list[str] | int | None]]
) -> None:
    index, left = BM25(), dict[int, list[Chunk]]()
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(part, "SMALL", small)
        for number, (_, what) in enumerate(changes):
            if isinstance(what, list):
                left[number] = document(number, what)
                index.add(left[number])
            elif isinstance(what, int):
                index.remove_revision(f"r{what}")
                left.pop(what, None)
            else:
                index.save(Path(folder), generation=number)
                index = BM25.load(Path(folder), generation=number)
            chunks = [chunk for some in left.values() for chunk in some]
            assert len(index) == len(chunks)
            tokens = tokenize(" ".join(WORDS))
            expected = BM25Okapi([tokenize(chunk.text) for chunk in chunks]).get_scores(tokens) if chunks else []
            ids = [chunk.chunk_id for chunk in chunks]
            assert index.scores(tokens) == pytest.approx(dict(zip(ids, expected, strict=True)), abs=1e-9, rel=0)
            assert index.search("年假", 3, Filter()) == BM25.build(chunks).search("年假", 3, Filter())


def test_a_word_of_removed_chunks_alone_is_forgotten(tmp_path: Path) -> None:
    index = BM25.build(document(0, ["alpha"] * 3))
    index.add(document(1, ["beta"]))
    index.remove_revision("r0")
    assert index.search("alpha", 5, Filter()) == []
    assert index.search("beta", 5, Filter()) == BM25.build(document(1, ["beta"])).search("beta", 5, Filter())


def test_a_change_leaves_the_large_part_as_it_is(tmp_path: Path) -> None:
    index = BM25.build([chunk for n in range(2) for chunk in document(n, ["年假 alpha"] * (2 * part.SMALL))])
    index.save(tmp_path, generation=1)
    (before,) = tmp_path.glob("*.segment")
    written = before.stat()
    for number in range(3, 6):
        index.add(document(number, ["年假 beta"]))
        index.remove_revision(f"r{number - 1}")
        index.save(tmp_path, generation=number)
    index.remove_revision("r0")
    index.save(tmp_path, generation=9)
    assert len(list(tmp_path.glob("*.segment"))) == 2
    assert before.stat() == written
    assert len(BM25.load(tmp_path, generation=9)) == 2 * part.SMALL + 1


def test_what_is_mostly_removed_is_written_anew(tmp_path: Path) -> None:
    index = BM25.build([chunk for n in range(3) for chunk in document(n, ["年假 alpha"] * (2 * part.SMALL))])
    index.save(tmp_path, generation=1)
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    index.remove_revision("r0")
    index.remove_revision("r1")
    index.save(tmp_path, generation=2)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < size / 2


def test_parts_stay_few_however_often_documents_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "SMALL", 0)
    index = BM25()
    for number in range(100):
        index.add(document(number, ["年假"]))
        # Each part is larger than all after it together, so that 100 chunks are 7 parts at most.
        assert len(index._snapshot.parts) <= 7
    assert len(index) == 100


def test_readers_find_one_state_or_the_other_while_one_writes(tmp_path: Path) -> None:
    index = BM25.build([chunk for n in range(50) for chunk in document(n, ["alpha", "年假"])])
    problems: list[BaseException] = []
    stop = threading.Event()

    def read() -> None:
        try:
            while not stop.is_set():
                found = {chunk_id for chunk_id, _ in index.search("报销", 5, Filter())}
                assert found <= {"c98-0", "c99-0"}
                assert len(index.search("年假", 200, Filter())) == 50
        except BaseException as problem:  # noqa: BLE001  told to the main thread
            problems.append(problem)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in (98, 99) * 10:
        index.add(document(number, ["报销 beta"]))
        index.save(tmp_path, number)
        index.remove_revision(f"r{number}")
    stop.set()
    for reader in readers:
        reader.join()
    assert problems == []
