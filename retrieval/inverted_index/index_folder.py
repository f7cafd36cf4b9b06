"""An index in a folder: a file for each segment, which is written once, and one that says which of them count."""

import base64
import json
import os
import uuid
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from retrieval.inverted_index.mapped_file import arrays_of, made_of, map_arrays, write_arrays
from retrieval.inverted_index.part import Part
from retrieval.inverted_index.segment import Segment
from retrieval.inverted_index.snapshot import Snapshot

FORMAT = 1
LIST = "index.json"


class StaleIndexError(Exception):
    """A saved index cannot be used and has to be built anew from the store."""


class IndexFolder:
    """Keeps an index on disk; what has been written already is not written again.

    The list is replaced in one step after the segments that it names are there, and segments that it no longer names
    are removed after that, so that a crash at any point leaves the index before or after the change, whole.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: WeakKeyDictionary[Segment, dict[str, Any]] = WeakKeyDictionary()

    def save(self, snapshot: Snapshot, generation: int, tokenizer: str) -> None:
        """Write what is new of the index, with the generation of the store and the tokenizer it belongs to."""
        self.path.mkdir(parents=True, exist_ok=True)
        segments = [self._written(part.segment) | {"removed": _packed(part.alive)} for part in snapshot.parts]
        listed = {
            "format": FORMAT,
            "generation": generation,
            "tokenizer": tokenizer,
            "segments": segments,
            "terms_by_frequency": sorted(snapshot.terms_by_frequency.items()),
        }
        partial = (self.path / LIST).with_suffix(".partial")
        with partial.open("w", encoding="utf-8") as file:
            file.write(_text({"checksum": zlib.crc32(_text(listed).encode()), "index": listed}))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path / LIST)
        self._remove_all_but({segment["file"] for segment in segments})

    def load(self, generation: int, tokenizer: str) -> Snapshot:
        """Map the index of that generation and tokenizer.

        Raises StaleIndexError when it is missing, damaged, or belongs to another state of the store.
        """
        path = self.path / LIST
        try:
            content = json.loads(path.read_bytes())
            listed = content["index"]
            if content["checksum"] != zlib.crc32(_text(listed).encode()):
                raise ValueError("the checksum is wrong")
            if [listed[name] for name in ("format", "generation", "tokenizer")] != [FORMAT, generation, tokenizer]:
                raise StaleIndexError(f"{self.path} belongs to another state of the store")
            parts = tuple(Part.of(self._mapped(saved), _unpacked(saved["removed"])) for saved in listed["segments"])
        except FileNotFoundError as error:
            raise StaleIndexError(f"{error.filename} is not there") from error
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            raise StaleIndexError(f"{self.path} is damaged ({error})") from error
        return Snapshot(parts, dict(listed["terms_by_frequency"]))

    def _written(self, segment: Segment) -> dict[str, Any]:
        if segment not in self._files:
            name = f"{uuid.uuid4().hex}.segment"
            self._files[segment] = {"file": name, "checksum": write_arrays(self.path / name, arrays_of(segment))}
        return self._files[segment]

    def _mapped(self, saved: Mapping[str, Any]) -> Segment:
        segment = made_of(Segment, map_arrays(self.path / saved["file"], saved["checksum"]))
        self._files[segment] = {"file": saved["file"], "checksum": saved["checksum"]}
        return segment

    def _remove_all_but(self, names: set[str]) -> None:
        for path in self.path.glob("*.segment"):
            if path.name not in names:
                # Windows keeps a file that is mapped; a later save removes it.
                with suppress(PermissionError):
                    path.unlink(missing_ok=True)


def _packed(alive: NDArray[np.bool_]) -> list[Any] | None:
    """Return which rows are removed, 0.17 characters a row; None when none is."""
    return None if alive.all() else [len(alive), base64.b64encode(np.packbits(~alive).tobytes()).decode()]


def _unpacked(removed: list[Any] | None) -> NDArray[np.bool_] | None:
    if removed is None:
        return None
    count, bits = removed
    return ~np.unpackbits(np.frombuffer(base64.b64decode(bits), np.uint8), count=count).astype(bool)


def _text(value: Any) -> str:
    # Without a blank, which could be another blank unnoticed.
    return json.dumps(value, separators=(",", ":"))
