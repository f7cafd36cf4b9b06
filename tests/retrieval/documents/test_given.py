from pathlib import Path

import pytest

from retrieval.ingest import UnsafeName, given_data


@pytest.mark.parametrize("name", ["notes.md", "hr/notes.md", "制度 V2.md", "12:30.txt", "...md", "a..b.md"])
def test_what_is_piped_goes_by_its_name(name: str) -> None:
    with given_data(b"text", name) as given:
        assert (given.source, given.path.name, given.path.read_bytes()) == (name, Path(name).name, b"text")
        assert not given.lasts
    assert not given.path.exists()


@pytest.mark.parametrize(
    "name",
    [
        "../notes.md", "hr/../../notes.md", "/tmp/notes.md", "C:\\notes.md", "C:notes.md", "..\\notes.md",
        "\\\\server\\share\\notes.md", "..", ".", "", "a\0b.md", "a\nb.md", "x" * 300 + ".md",
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UnsafeName, match=r"is no name for a document; a right one is notes\.md") as caught:  # noqa: SIM117
        with given_data(b"text", name):
            pass
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert sorted(tmp_path.rglob("*")) == before
