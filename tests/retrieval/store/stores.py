"""Every store, opened empty: embedded, in the client, over HTTP, on a real server if there is one, and LangChain's."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from retrieval.store.edge import EdgeStore
from retrieval.store.langchain import LangChainStore
from retrieval.store.qdrant import QdrantStore
from retrieval.store.server import CollectionShape, connect
from retrieval.store.store import Store
from tests.retrieval.store.fake_qdrant import running
from tests.retrieval.store.vector_stores import VECTOR_STORES

SERVER = os.environ.get("FOLIO_TEST_QDRANT_URL")
QDRANT = ("memory", "http", "server")


@contextmanager
def on_server(dimension: int) -> Iterator[Store]:
    assert SERVER is not None
    key, name = os.environ.get("FOLIO_TEST_QDRANT_KEY"), f"folio-test-{uuid.uuid4()}"
    with closing(QdrantStore.open(SERVER, key, name, CollectionShape(dimension))) as store:
        yield store
    with closing(connect(SERVER, key)) as client:
        client.delete_collection(name)


@contextmanager
def over_http(dimension: int) -> Iterator[Store]:
    with running() as fake, closing(QdrantStore.open(fake.url, None, "folio", CollectionShape(dimension))) as store:
        yield store


STORES: dict[str, Callable[[Path, int], AbstractContextManager[Store]]] = {
    "edge": lambda folder, dimension: closing(EdgeStore.open(folder / "store", dimension)),
    "memory": lambda _, dimension: closing(QdrantStore.open(":memory:", None, "folio", CollectionShape(dimension))),
    "http": lambda _, dimension: over_http(dimension),
    "server": lambda _, dimension: on_server(dimension),
    **{
        name: lambda folder, dimension, make=make: closing(LangChainStore(make, dimension, folder / "ledger.db"))
        for name, make in VECTOR_STORES.items()
    },
}
MARKS = {
    "http": [pytest.mark.enable_socket],
    "server": [
        pytest.mark.enable_socket,
        pytest.mark.skipif(not SERVER, reason="FOLIO_TEST_QDRANT_URL is not set"),
    ],
}


def named(*names: str) -> list[Any]:
    """Return the names as parameters of a fixture or test, each with what it needs to run."""
    return [pytest.param(name, marks=MARKS.get(name, [])) for name in names]
