import pytest

from retrieval.filters import Filter, FilterError, parse_filters, parse_pairs
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


def test_parse_filters_takes_bounds_and_beginnings() -> None:
    pairs = ["page>=3", "page<=10", " updated_at ≥ 2024 ", "size<5", "source=hr/*", "note=a<b"]
    assert parse_filters(pairs) == {
        "page>=": ("3",),
        "page<=": ("10",),
        "updated_at>=": ("2024",),
        "size<": ("5",),
        "source": ("hr/*",),
        "note": ("a<b",),
    }


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("page>=abc", "filter page>=abc: 'abc' is not a number; a right one is page>=10"),
        ("page<2024-01-01", "filter page<2024-01-01: '2024-01-01' is not a number; a right one is page<10"),
        ("updated_at>5", "filter updated_at>5: '5' is not a date; a right one is updated_at>2024-01-01"),
        ("effective_to<=2024-02-30", "'2024-02-30' is not a date; a right one is effective_to<=2024-01-01"),
        (
            "部门>=人事",
            "filter 部门>=人事: '人事' is neither a number nor a date; right ones are 部门>=10 and 部门>=2024-01-01",
        ),
        ("source>=hr", "source is text, and >= compares numbers and dates.*for its beginning write source=hr\\*"),
        ("doc_type<pdf", "filter doc_type<pdf: doc_type is text"),
        ("version>=2", "filter version>=2: version is text"),
        ("page!=3", "there is no operator !=; right ones are doc_type=pdf, page>=3"),
        ("page==3", "there is no operator =="),
        ("page=>3", "there is no operator =>"),
        ("title~=x", "there is no operator ~="),
        ("page>=", "filter 'page>=' is not key=value"),
        (">=3", "filter '>=3' is not key=value"),
    ],
)
def test_a_filter_that_cannot_be_says_why(pair: str, message: str) -> None:
    with pytest.raises(FilterError, match=message) as refused:
        parse_filters([pair])
    assert "\n" not in str(refused.value)


def test_pairs_of_metadata_are_no_filters() -> None:
    assert parse_pairs(["note=a>=b", "note=c", " k = v "]) == {"note": ("a>=b", "c"), "k": ("v",)}
    for pair in ("note", "=x", "note=", "page<10"):
        with pytest.raises(FilterError, match="is not key=value; a right one is department=hr"):
            parse_pairs([pair])
