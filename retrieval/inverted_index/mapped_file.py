"""Arrays in one file that is mapped into memory, so that opening it reads only what is asked for."""

import json
import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import numpy as np

from retrieval.inverted_index.ragged import Array

Kind = TypeVar("Kind")

_HEADER = struct.Struct("<8sQ")
_MAGIC = b"folio-kw"
_ALIGNMENT = 64


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> int:
    """Write arrays of one dimension durably and return the checksum of the file."""
    described, offset = {}, 0
    for name, array in arrays.items():
        described[name] = [array.dtype.newbyteorder("<").str, len(array), offset]
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    description = json.dumps(described).encode()
    description += b" " * (-(_HEADER.size + len(description)) % _ALIGNMENT)
    checksum = 0
    with path.open("wb") as file:
        head = _HEADER.pack(_MAGIC, len(description)) + description
        for piece in (head, *map(_padded, arrays.values())):
            checksum = zlib.crc32(piece, checksum)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return checksum


def map_arrays(path: Path, checksum: int) -> dict[str, Array]:
    """Return the arrays of a file, read-only. Raises OSError when it is not there, ValueError when it is damaged."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if zlib.crc32(mapped) != checksum:
        raise ValueError(f"the checksum of {path.name} is wrong")
    _, size = _HEADER.unpack_from(mapped)
    start = _HEADER.size + size
    return {
        name: np.frombuffer(mapped, dtype, length, start + offset)
        for name, (dtype, length, offset) in json.loads(mapped[_HEADER.size : start]).items()
    }


def arrays_of(value: Any, prefix: str = "") -> dict[str, Array]:
    """Return the arrays of a dataclass, and of those that it is made of, by dotted name."""
    found: dict[str, Array] = {}
    for field in _kept(type(value)):
        part = getattr(value, field)
        found |= arrays_of(part, f"{prefix}{field}.") if is_dataclass(part) else {f"{prefix}{field}": part}
    return found


def made_of(kind: type[Kind], arrays: Mapping[str, Array], prefix: str = "") -> Kind:
    """Return the dataclass that `arrays_of` was given."""
    hints = get_type_hints(kind)
    return kind(
        **{
            field: made_of(hints[field], arrays, f"{prefix}{field}.")
            if is_dataclass(hints[field])
            else arrays[f"{prefix}{field}"]
            for field in _kept(kind)
        }
    )


def _kept(kind: Any) -> list[str]:
    return [field.name for field in fields(kind) if not field.name.startswith("_")]


def _padded(array: Array) -> bytes:
    data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return data + b"\0" * (-len(data) % _ALIGNMENT)
