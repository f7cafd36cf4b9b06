"""What a format's reader gives: blocks and what the file says about itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from preprocessing.document import Block


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file read, not yet cleaned."""

    blocks: tuple[Block, ...]
    metadata: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Front matter."""
    heading_title: str | None = None
    """First level-1 heading that the author marked as such."""
    property_title: str | None = None
    """Title in the file's properties; often written by a program."""
    updated_at: str | None = None
    """ISO 8601, from the file's properties."""
    encoding: str | None = None
    """Encoding that the bytes were read in; None for formats that state it themselves."""
    warnings: tuple[str, ...] = ()
