"""What an ingest would do, found out without writing anything."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from retrieval.catalogue import Catalogue
from retrieval.embed.base import Embedder
from retrieval.ingest import Given, Metadata, Outcome, decide, reason, shape_of
from retrieval.knowledge_base import check_manifest
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
    catalogue = Catalogue.in_folder(settings.home) if Catalogue.is_in(settings.home) else Catalogue("sqlite://")
    try:
        check_manifest(catalogue, embedder, settings)
        shape, planned = shape_of(embedder.model_id, settings.chunking), Plan()
        for done, given in enumerate(files):
            if progress:
                progress(done, len(files), given.source)
            try:
                planned.outcomes.append((given.source, decide(given, metadata, shape, catalogue).outcome))
            except Exception as error:  # noqa: BLE001  one bad file never stops the others
                planned.failed.append((given.source, reason(error, given.source)))
        return planned
    finally:
        catalogue.close()
