from collections.abc import Callable
from pathlib import Path

import pytest

from preprocessing.document import Document
from preprocessing.load import load


@pytest.fixture
def load_bytes(tmp_path: Path) -> Callable[..., Document]:
    def load_file(name: str, data: bytes, **options: object) -> Document:
        path = tmp_path / name
        path.write_bytes(data)
        return load(path, source=f"kb/{name}", **options)  # type: ignore[arg-type]

    return load_file
