"""Where the chunks of a catalogue are: a folder beside it, a collection on a server, or a store that was given."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from preprocessing.errors import FolioError
from retrieval.settings import RetrievalSettings
from retrieval.store.base import Store

if TYPE_CHECKING:
    from retrieval.catalogue import Catalogue
    from retrieval.store.qdrant import QdrantStore

Kind = Literal["folder", "server", "given"]
_FOLDER = "store"


class StoreElsewhere(FolioError):
    """The documents are not where the settings say."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the manifest records under `store`."""

    kind: Kind
    name: str
    """Folder under FOLIO_HOME, or collection."""

    @classmethod
    def first(cls, kind: Kind, settings: RetrievalSettings) -> "Place":
        """Return where the chunks go that are the first of a catalogue."""
        return cls(kind, {"folder": _FOLDER, "server": settings.qdrant_collection, "given": ""}[kind])

    @classmethod
    def recorded(cls, manifest: Mapping[str, Any]) -> "Place | None":
        """Return where the chunks are, None while there are none."""
        return cls(**manifest["store"]) if "store" in manifest else None

    @classmethod
    def marked(cls, kind: Kind, settings: RetrievalSettings, made_with: Mapping[str, Any]) -> "Place":
        """Return a place for chunks with such vectors and keywords.

        What an earlier run began there can be gone on with, since all else has another name.
        """
        made = {name: made_with[name] for name in ("embed_model", "dimension", "tokenizer")}
        mark = hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:8]
        return cls(kind, f"{cls.first(kind, settings).name}-{mark}")

    def beside(self, other: "Place") -> "Place":
        """Return this place, or one of another name when the other is the same."""
        return replace(self, name=f"{self.name}b") if self == other else self

    def as_manifest(self) -> dict[str, Any]:
        """Return the entry of the manifest."""
        return {"store": asdict(self)}

    def named(self, settings: RetrievalSettings) -> str:
        """Return how a person knows the place."""
        if self.kind == "folder":
            return f"the folder {settings.home / self.name}"
        return f"the collection {self.name} of a Qdrant server" if self.kind == "server" else "a store of your own"


def kind_of(settings: RetrievalSettings, store: Store | None = None) -> Kind:
    """Return what kind of store the settings name, or that one was given."""
    if store is not None:
        return "given"
    return "server" if settings.qdrant_url else "folder"


def place_in_force(catalogue: "Catalogue", settings: RetrievalSettings, kind: Kind) -> Place:
    """Return where the chunks are that a search of this kind of store uses, recording it at first.

    Raises StoreElsewhere when there are documents, and their chunks are in a place of another kind or name.
    """
    first = Place.first(kind, settings)
    recorded = Place.recorded(catalogue.manifest())
    if (
        recorded
        and recorded.kind == kind
        and (recorded.name == first.name or recorded.name.startswith(f"{first.name}-"))
    ):
        return recorded
    if recorded and not catalogue.is_empty():
        raise StoreElsewhere(f"the documents are in {recorded.named(settings)}: {_mend(recorded, first)}")
    catalogue.write_manifest(**first.as_manifest())
    return first


def open_store(settings: RetrievalSettings, place: Place, dimension: int) -> Store:
    """Open the store at the place, or make it there; raises FolioError when it holds vectors of another dimension."""
    if place.kind == "server":
        return _open_server(settings, place, dimension)
    # Imported late: a native library of tens of megabytes that a Qdrant server makes needless.
    from retrieval.store.edge import EdgeStore

    return EdgeStore.open(settings.home / place.name, dimension)


def _open_server(settings: RetrievalSettings, place: Place, dimension: int) -> "QdrantStore":
    # qdrant-client takes over a second to import, and the embedded store does not need it.
    from retrieval.store.collection import CollectionShape
    from retrieval.store.qdrant import QdrantStore

    if not settings.qdrant_url:
        raise FolioError("FOLIO_QDRANT_URL is not set; a right one is http://localhost:6333")
    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    shape = CollectionShape(dimension, settings.qdrant_shard_number, settings.qdrant_replication_factor)
    return QdrantStore.open(settings.qdrant_url, key, place.name, shape)


def _mend(recorded: Place, wanted: Place) -> str:
    if (recorded.kind, wanted.kind) == ("folder", "server"):
        return "run folio migrate to bring them to the server, or unset FOLIO_QDRANT_URL"
    if (recorded.kind, wanted.kind) == ("server", "folder"):
        return "set FOLIO_QDRANT_URL; folio migrate --back, with it set, brings them to this machine"
    if (recorded.kind, wanted.kind) == ("server", "server"):
        return f"FOLIO_QDRANT_COLLECTION is {wanted.name}; set it back, or use another FOLIO_HOME"
    return "open the knowledge base with that kind of store, or use another FOLIO_HOME"
