"""`folio reindex`: the chunks that there are, with the vectors and keywords of the settings in force."""

import shutil
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass

from preprocessing.merge import calibrate
from retrieval.catalogue import Catalogue
from retrieval.embed import open_embedder
from retrieval.embed.base import Embedder
from retrieval.knowledge_base import NoDocuments, open_keyword
from retrieval.manifest import is_made_with, made_with
from retrieval.place import Place, kind_of, open_store, place_in_force
from retrieval.settings import RetrievalSettings
from retrieval.transfer import Progress, Transferred, new_store, transfer


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a reindex did."""

    transferred: Transferred
    embed_model: str
    embedded: bool
    """False when the vectors were still those of the model, and were kept."""
    left: Place | None
    """Collection that is no longer used and can be deleted, when no process that began before uses it."""


def reindex(
    settings: RetrievalSettings, *, embedder: Embedder | None = None, progress: Progress | None = None
) -> Reindexed:
    """Embed all chunks with the model of the settings into a new store, and switch to it in one step at the end.

    No file is read, and chunks stay as the old model merged them. A stop before the switch leaves the old store as it
    was; started again, the work goes on where it stopped. Raises NoDocuments when there is nothing to embed.
    """
    embedder = embedder or open_embedder(settings)
    with ExitStack() as opened:
        catalogue = opened.enter_context(closing(Catalogue.of(settings)))
        if catalogue.is_empty():
            raise NoDocuments("there are no documents to index again; run: folio ingest PATH")
        old = place_in_force(catalogue, settings, kind_of(settings))
        opened.enter_context(catalogue.writing() if old.kind == "server" else nullcontext())
        # The store in a folder is locked while it is open, so no process uses it meanwhile.
        source = opened.enter_context(closing(open_store(settings, old, catalogue.manifest()["dimension"])))
        manifest, records = catalogue.manifest(), catalogue.documents()
        made = made_with(embedder)
        keep = is_made_with(manifest, embedder) and made["dimension"] == manifest["dimension"]
        new = Place.marked(old.kind, settings, made).beside(old)
        target = opened.enter_context(closing(new_store(settings, new, embedder.dimension, records, source)))
        embed = None if keep else embedder.embed_passages
        transferred = transfer(records, source, target, embed=embed, progress=progress)
        catalogue.write_manifest(
            **made,
            **new.as_manifest(),
            unrelated_similarity=calibrate(embedder.embed_passages),
            chunk_model=manifest.get("chunk_model", manifest["embed_model"]),
        )
        if new.kind == "folder":
            open_keyword(settings.home, catalogue, target)
    if new.kind == "folder":
        _remove_others(settings, new)
    return Reindexed(transferred, embedder.model_id, not keep, old if old.kind == "server" else None)


def _remove_others(settings: RetrievalSettings, place: Place) -> None:
    """Remove the folders of the old store and of what another model began."""
    first = Place.first("folder", settings).name
    for folder in settings.home.glob(f"{first}*"):
        if folder.is_dir() and folder.name != place.name and (folder / "store.lock").is_file():
            shutil.rmtree(folder)
