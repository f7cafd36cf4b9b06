"""What an ingest would do, found out without writing anything."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from retrieval.catalogue import Catalogue
from retrieval.embed.base import Embedder
from retrieval.given import Given, Metadata
from retrieval.ingest import Outcome, decide, readings, reason, shape_of
from retrieval.manifest import check_manifest, chunk_model
from retrieval.settings import RetrievalSettings


@dataclass(slots=True)
class Plan:
    """What would become of each file."""

    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    """(source, outcome) in the order of the files."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """(source, error) of files that would not be in."""

    def sources(self, outcome: Outcome) -> list[str]:
        """Return the files with that outcome."""
        return [source for source, of_file in self.outcomes if of_file == outcome]


def plan(
    files: Sequence[Given],
    metadata: Metadata,
    settings: RetrievalSettings,
    embedder: Embedder,
    progress: Callable[[int, int, str], None] | None = None,
) -> Plan:
    """Say what an ingest of the files would do; it reads them but encodes nothing, and needs no lock.

    Raises IndexMismatch where the ingest would.
    """
    catalogue = Catalogue.of(settings) if Catalogue.is_there(settings) else Catalogue("sqlite://")
    try:
        manifest = catalogue.manifest()
        check_manifest(manifest, embedder, settings)
        shape, planned = shape_of(chunk_model(manifest, embedder), settings.chunking), Plan()
        with closing(readings(files, metadata, shape, catalogue)) as begun:
            for done, reading in enumerate(begun):
                source = reading.given.source
                if progress:
                    progress(done, len(files), source)
                try:
                    planned.outcomes.append((source, decide(reading, metadata, catalogue).outcome))
                except Exception as error:  # noqa: BLE001  one bad file never stops the others
                    planned.failed.append((source, reason(error, source)))
        return planned
    finally:
        catalogue.close()
