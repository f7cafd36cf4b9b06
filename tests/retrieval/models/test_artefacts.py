"""A model file is the file it should be, or one clear line says that it is not."""

from pathlib import Path

import pytest

from preprocessing.errors import FolioError
from retrieval.models.artefacts import GRAPH, TOKENIZER, checked, write_checksums
from retrieval.models.encoder import Encoder


@pytest.mark.parametrize("name", [GRAPH, TOKENIZER])
def test_the_files_of_the_house_are_whole(name: str) -> None:
    assert checked(name).stat().st_size < 60_000_000


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / GRAPH).write_bytes(b"weights")
    (tmp_path / TOKENIZER).write_bytes(b"{}")
    write_checksums(tmp_path, [GRAPH, TOKENIZER])
    (tmp_path / GRAPH).write_bytes(b"other weights")
    with pytest.raises(FolioError, match=r"encoder\.onnx is damaged or replaced: its SHA-256 begins \w+, not") as one:
        Encoder(tmp_path).sentences(["年假"], "query: ")
    assert "\n" not in str(one.value)
