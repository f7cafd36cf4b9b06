import pytest

from retrieval.filters import Filter, FilterError, parse_filters
from tests.fakes import make_chunk

CHUNK = make_chunk(
    "text",
    doc_type="pdf",
    page=3,
    section=("三、住宿标准", "3.1 每晚限额"),
    metadata={"department": "人事部", "tags": ("a", "b")},
)


@pytest.mark.parametrize(
    ("equals", "allowed"),
    [
        ({}, True),
        ({"doc_type": ("pdf",)}, True),
        ({"doc_type": ("md", "pdf")}, True),
        ({"doc_type": ("md",)}, False),
        ({"page": ("3",)}, True),
        ({"section": ("三、住宿标准",)}, True),
        ({"section": ("住宿",)}, False),
        ({"department": ("人事部",), "doc_type": ("pdf",)}, True),
        ({"department": ("人事部",), "doc_type": ("md",)}, False),
        ({"tags": ("b",)}, True),
        ({"version": ("V1",)}, False),
        ({"no_such_key": ("x",)}, False),
    ],
)
def test_equals(equals: dict[str, tuple[str, ...]], allowed: bool) -> None:
    assert Filter(equals=equals).allows(CHUNK) is allowed


@pytest.mark.parametrize(("viewer", "allowed"), [((), False), (("hr",), True), (("it",), False), (("it", "hr"), True)])
def test_a_document_with_visible_to_is_seen_by_its_groups_only(viewer: tuple[str, ...], allowed: bool) -> None:
    chunk = make_chunk("salaries", metadata={"visible_to": ("hr", "board")})
    assert Filter(viewer=frozenset(viewer)).allows(chunk) is allowed


def test_a_document_without_visible_to_is_public() -> None:
    assert Filter(viewer=frozenset()).allows(CHUNK)


def test_hidden_states_are_not_seen() -> None:
    assert not Filter(exclude_revisions=frozenset({"r1"})).allows(CHUNK)


def test_parse_filters_takes_any_of_values_given_twice() -> None:
    assert parse_filters(["doc_type=pdf", "doc_type=md", " department = 人事部 ", "note=a=b"]) == {
        "doc_type": ("pdf", "md"),
        "department": ("人事部",),
        "note": ("a=b",),
    }


@pytest.mark.parametrize("pair", ["doc_type", "=pdf", "doc_type=", "", "＝"])
def test_parse_filters_shows_a_right_one(pair: str) -> None:
    with pytest.raises(FilterError, match="a right one is doc_type=pdf"):
        parse_filters([pair])
