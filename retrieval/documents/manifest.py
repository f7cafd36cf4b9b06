"""What an index was made with and where its chunks are, and whether that fits the settings in force."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pkgutil import resolve_name
from typing import Any, Literal

from preprocessing.errors import FolioError
from retrieval.documents.catalogue import Catalogue
from retrieval.embed.embedder import Embedder
from retrieval.settings import RetrievalSettings
from retrieval.store.store import Store
from retrieval.text.tokens import TOKENIZER_ID

Manifest = Mapping[str, Any]


class IndexMismatch(FolioError):
    """The index was made with other settings than those in force."""


def made_with(embedder: Embedder) -> dict[str, Any]:
    """Return the entries for an index that is made now.

    `embed_model` names all that makes other vectors of a text: the model, and the prefixes of questions and passages
    where they are not its usual ones. Every vector has length one.
    """
    return {"embed_model": embedder.model_id, "dimension": embedder.dimension, "tokenizer": TOKENIZER_ID}


def is_made_with(manifest: Manifest, embedder: Embedder) -> bool:
    """Say whether the vectors of the index are those of the embedder; an empty index fits every one."""
    return bool(manifest.get("embed_model", embedder.model_id) == embedder.model_id)


def check_manifest(manifest: Manifest, embedder: Embedder, settings: RetrievalSettings) -> None:
    """Raise IndexMismatch when the index was made with another embedding model."""
    if not is_made_with(manifest, embedder):
        raise IndexMismatch(
            f"the index in {settings.home} was made with the embedding model {manifest['embed_model']!r}, but "
            f"FOLIO_EMBED_MODEL is now {settings.embed_model!r} ({embedder.model_id}): set it back, or run folio "
            "reindex, which embeds all chunks anew without reading files"
        )


def check_dimension(manifest: Manifest, dimension: int, settings: RetrievalSettings) -> None:
    """Raise IndexMismatch when a model of the same name makes vectors of another length.

    How long they are is known only once a model is loaded or asked, so that is when it is checked.
    """
    stored = manifest.get("dimension", dimension)
    if stored != dimension:
        raise IndexMismatch(
            f"the index in {settings.home} holds vectors of {stored} dimensions, and FOLIO_EMBED_MODEL "
            f"{settings.embed_model!r} now gives {dimension}: set the model back, or run folio reindex, which embeds "
            "all chunks anew without reading files"
        )


def check_tokens(manifest: Manifest) -> None:
    """Raise IndexMismatch when the keywords in the store were cut by another tokenizer than those of questions."""
    stored = manifest.get("tokenizer", TOKENIZER_ID)
    if stored != TOKENIZER_ID:
        raise IndexMismatch(
            f"the keywords of the index were cut by the tokenizer {stored}, and this Folio has {TOKENIZER_ID}: "
            "run folio reindex, which writes them anew without reading files"
        )


def chunk_model(manifest: Manifest, embedder: Embedder) -> str:
    """Return the model by which it is told whether a file is unchanged: the one that its chunks were merged by.

    After `folio reindex` that is not the one of the vectors, and no file has to be read again for it.
    """
    return str(manifest.get("chunk_model", embedder.model_id))


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


_STORES: Mapping[Kind, str] = {
    "folder": "retrieval.store.edge:open_in_folder",
    "server": "retrieval.store.qdrant:open_collection",
}
"""Modules that are imported only for the kind of store in use: the client of a server takes a second."""


def open_store(settings: RetrievalSettings, place: Place, dimension: int) -> Store:
    """Open the store at the place, or make it there; raises FolioError when it holds vectors of another dimension."""
    store: Store = resolve_name(_STORES[place.kind])(settings, place.name, dimension)
    return store


def _mend(recorded: Place, wanted: Place) -> str:
    if (recorded.kind, wanted.kind) == ("folder", "server"):
        return "run folio migrate to bring them to the server, or unset FOLIO_QDRANT_URL"
    if (recorded.kind, wanted.kind) == ("server", "folder"):
        return "set FOLIO_QDRANT_URL; folio migrate --back, with it set, brings them to this machine"
    if (recorded.kind, wanted.kind) == ("server", "server"):
        return f"FOLIO_QDRANT_COLLECTION is {wanted.name}; set it back, or use another FOLIO_HOME"
    return "open the knowledge base with that kind of store, or use another FOLIO_HOME"
