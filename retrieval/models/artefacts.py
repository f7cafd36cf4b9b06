"""The model files of this folder, each checked against its SHA-256 before it is used."""

import hashlib
import json
from pathlib import Path

from preprocessing.errors import FolioError

FOLDER = Path(__file__).parent
CHECKSUMS = "checksums.json"
GRAPH = "encoder.onnx"
TOKENIZER = "tokenizer.json"
PROJECTION = "token_projection.npy"


def checked(name: str, folder: Path = FOLDER) -> Path:
    """Return the path of a model file; raises FolioError when it is missing or is not the file it should be."""
    path = folder / name
    try:
        expected = expected_sha256(name, folder)
        found = sha256(path)
    except FileNotFoundError as error:
        raise FolioError(f"model file {error.filename} is missing: install Folio anew, or build it: {_HOW}") from error
    if found != expected:
        raise FolioError(
            f"model file {path} is damaged or replaced: its SHA-256 begins {found[:12]}, not {expected[:12]} as "
            f"{CHECKSUMS} says; install Folio anew, or build it: {_HOW}"
        )
    return path


def expected_sha256(name: str, folder: Path = FOLDER) -> str:
    """Return the SHA-256 that a model file should have."""
    expected: str = json.loads((folder / CHECKSUMS).read_text(encoding="utf-8"))[name]
    return expected


def write_checksums(folder: Path, names: list[str]) -> None:
    """Write the SHA-256 of these files beside them, for `checked`; those of other files of the folder stay."""
    path = folder / CHECKSUMS
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    sums = {**known, **{name: sha256(folder / name) for name in names}}
    path.write_text(json.dumps(sums, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_HOW = "python -m retrieval.models.build.build_encoder"
