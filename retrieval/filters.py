"""Which chunks a search may see: metadata filters, permissions, and states that are not current."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from preprocessing.visibility import KEY

FIELDS = ("doc_id", "source", "title", "section", "page", "doc_type", "version", "updated_at")


class FilterError(FolioError):
    """A filter could not be read; the message shows a right one."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that hold together; each leg applies them before it ranks."""

    equals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Field or metadata key → values, any of which is enough. `section` matches any heading of the path."""
    viewer: frozenset[str] = frozenset()
    """Groups of the person who asks. A chunk with `visible_to` metadata is seen only by those groups, others by all."""
    exclude_revisions: frozenset[str] = frozenset()
    """Document states that are being written, replaced, or superseded."""

    def allows(self, chunk: Chunk) -> bool:
        """Say whether the chunk may be seen."""
        if chunk.revision in self.exclude_revisions:
            return False
        groups = values_of(chunk, KEY)
        if groups and not self.viewer.intersection(groups):
            return False
        return all(set(wanted).intersection(values_of(chunk, key)) for key, wanted in self.equals.items())


def values_of(chunk: Chunk, key: str) -> tuple[str, ...]:
    """Return the values of a field or metadata key of the chunk as text; empty when it has none."""
    value = getattr(chunk, key) if key in FIELDS else chunk.metadata.get(key)
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, (tuple, list)) else (str(value),)


def parse_filters(pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read `key=value` pairs; a key given twice takes any of its values.

    Raises FilterError for a pair without `=` or without a key.
    """
    filters: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key.strip() or not value.strip():
            raise FilterError(f"filter {pair!r} is not key=value; a right one is doc_type=pdf")
        filters[key.strip()] = (*filters.get(key.strip(), ()), value.strip())
    return filters
