"""Every engine lets through exactly what a filter allows."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preprocessing.document import Chunk
from retrieval.filters import Filter, parse_filters
from retrieval.store.edge import EdgeStore
from retrieval.store.qdrant import QdrantStore
from retrieval.store.server import CollectionShape
from retrieval.store.store import Store
from tests.fakes import make_chunk

CHUNKS = [
    make_chunk(
        "一",
        "c1",
        revision="r1",
        source="hr/休假*.md",
        section=("第一章 总则", "第二条"),
        page=9,
        updated_at="2024-03-01T23:59:59+00:00",
        metadata={"budget": "1,200.5", "due": "2024年6月1日", "tags": ("3", "甲", "8"), 'a.b[0]"': "7"},
    ),
    make_chunk(
        "二",
        "c2",
        revision="r2",
        source="hr/2024/pay.pdf",
        section=("第十章",),
        page=10,
        updated_at="2023-12-31",
        metadata={"visible_to": ("hr",), "effective_from": "2024-01", "effective_to": "2024-12", "budget": "1200"},
    ),
    make_chunk("三", "c3", revision="r3", source="it/hr/vpn.md", updated_at="2024", metadata={"budget": "much"}),
    make_chunk("四", "c4", revision="r4", source="HR/Ａ.md", section=("总则",), page=100, updated_at="at some time"),
]
VECTORS = np.array([[1, 0], [0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], dtype=np.float32)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Store]]:
    with (
        closing(EdgeStore.open(tmp_path_factory.mktemp("conditions"), 2)) as embedded,
        closing(QdrantStore.open(":memory:", None, "folio", CollectionShape(2))) as in_client,
    ):
        for store in (embedded, in_client):
            store.upsert(CHUNKS, VECTORS)
        yield [embedded, in_client]


def found(store: Store, where: Filter) -> list[Chunk]:
    return [hit.chunk for hit in store.search(VECTORS[0], 9, where)]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (["page>=10"], "c2 c4"),
        (["page>10"], "c4"),
        (["page<10"], "c1"),
        (["page<=10", "page>9"], "c2"),
        (["page≥10", "page≤10"], "c2"),
        (["updated_at>=2024-03-01"], "c1"),
        (["updated_at>2024-03-01"], ""),
        (["updated_at<2024"], "c2"),
        (["updated_at<=2024"], "c1 c2 c3"),
        (["updated_at>=2024-02", "updated_at<=2024-03"], "c1"),
        (["updated_at>=２０２４年3月1日"], "c1"),
        (["effective_from<=2024-01-01", "effective_to>=2024-12-31"], "c2"),
        (["effective_to<=2024-06"], ""),
        (["budget>1200"], "c1"),
        (["budget>=1,200"], "c1 c2"),
        (["due>=2024-06-01", "due<2024-07"], "c1"),
        (["due>=5"], ""),
        (["tags>=4", "tags<=7"], ""),
        (["tags>=3", "tags<=7"], "c1"),
        (['a.b[0]">=7'], "c1"),
        (["source=hr/*"], "c1 c2"),
        (["source=hr/**"], "c1 c2"),
        (["source=hr/2024/*", "source=it/hr/vpn.md"], "c2 c3"),
        (["source=*"], "c1 c2 c3 c4"),
        (["source=vpn*"], ""),
        (["source=ＨＲ/*"], ""),
        (["section=第一*"], "c1"),
        (["section=第*"], "c1 c2"),
        (["section=总*", "section=第二条"], "c1 c4"),
        (["section=*", "page>=100"], "c4"),
        (["tags=*"], ""),
        (["source=hr/*", "page>=10", "budget<=1200"], "c2"),
    ],
)
def test_ranges_and_beginnings(stores: list[Store], pairs: list[str], expected: str) -> None:
    where = Filter.of(parse_filters(pairs), viewer=["hr"])
    allowed = [chunk for chunk in CHUNKS if where.allows(chunk)]
    assert " ".join(chunk.chunk_id for chunk in allowed) == expected
    for store in stores:
        assert found(store, where) == allowed


KEYS = st.sampled_from(["source", "section", "page", "doc_type", "budget", "tags", "due"])
VALUES = st.sampled_from(["hr/*", "hr/休假*.md", "第一章 总则", "第*", "9", "10", "md", "甲", "1200", "much", "*", ""])
BOUNDS = st.tuples(
    st.sampled_from(["page", "budget", "tags"]), st.sampled_from([">=", ">", "<=", "<"]), st.integers(-1, 1300)
)
DAYS = st.tuples(
    st.sampled_from(["updated_at", "due", "effective_to"]),
    st.sampled_from([">=", ">", "<=", "<"]),
    st.sampled_from(["2023-12", "2024-01-01", "2024-03-01", "2024-06-01", "2024-12-31", "2025-01"]),
)


@given(
    st.dictionaries(KEYS, st.lists(VALUES, min_size=1, max_size=3).map(tuple), max_size=2),
    st.lists(st.one_of(BOUNDS, DAYS), max_size=3),
    st.sets(st.sampled_from(["hr", "it", "everyone", "group hr"])),
    st.sets(st.sampled_from(["r1", "r2", "r3"])),
)
def test_every_engine_allows_what_the_filter_allows(
    stores: list[Store],
    equals: dict[str, tuple[str, ...]],
    bounds: list[tuple[str, str, object]],
    viewer: set[str],
    excluded: set[str],
) -> None:
    filters = equals | {key + operator: (str(bound),) for key, operator, bound in bounds}
    where = Filter.of(filters, viewer, frozenset(excluded))
    allowed = [chunk for chunk in CHUNKS if where.allows(chunk)]
    for store in stores:
        assert found(store, where) == allowed
