"""Who may see a document: read so that a mistake never makes a restricted document public."""

import re
from collections.abc import Iterable, Mapping

from preprocessing.document import Block
from preprocessing.errors import LoadError

Metadata = Mapping[str, str | tuple[str, ...]]

KEY = "visible_to"
PUBLIC = "public"
"""A document for this group is for everybody."""

_SPELLED = re.compile(r"visible[-_ ]?to", re.IGNORECASE)
_STATED = re.compile(r"^[\W_]*visible[-_ ]?to[\"'*_`]*\s*[:：=]", re.IGNORECASE | re.MULTILINE)
_HEAD_BLOCKS = 6


def with_visibility(metadata: Metadata, blocks: Iterable[Block]) -> dict[str, str | tuple[str, ...]]:
    """Return the metadata with `visible_to` as a tuple of group names in lower case; none when everybody may see it.

    Raises LoadError when `visible_to` names no group, and when it stands at the head of the text, where it was meant
    as front matter and could not be read as such.
    """
    known = {key: value for key, value in metadata.items() if not is_visibility(key)}
    stated = [value for key, value in metadata.items() if is_visibility(key)]
    if not stated:
        head = [block.text for _, block in zip(range(_HEAD_BLOCKS), blocks, strict=False)]
        if any(_STATED.search(text) for text in head):
            raise LoadError(
                "visible_to stands in the text but not in front matter that can be read; begin the file with "
                "`---`, `visible_to: [hr]`, `---` on lines of their own, or say --meta visible_to=hr"
            )
        return known
    groups = groups_of(stated[-1])
    if not groups:
        raise LoadError(f"visible_to names no group; a right one is visible_to: [hr], or {PUBLIC} for everybody")
    return known if groups == (PUBLIC,) else {**known, KEY: groups}


def is_visibility(key: str) -> bool:
    """Say whether a metadata key is `visible_to`, however it is spelled."""
    return bool(_SPELLED.fullmatch(key.strip()))


def groups_of(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of groups, written as a list or parted by commas, each once, in lower case."""
    parts = [value] if isinstance(value, str) else list(value)
    names = [name.strip().casefold() for part in parts for name in re.split(r"[,，、;；]", part)]
    return tuple(dict.fromkeys(name for name in names if name))
