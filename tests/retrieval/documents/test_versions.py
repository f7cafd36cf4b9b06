from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.documents.schema import DocumentRecord
from retrieval.documents.versions import Versions
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import MODES, Mode
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

RULE = "# 差旅办法\n\n## 住宿\n\n住宿费每晚 {} 元。\n"


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(RetrievalSettings(home=tmp_path / "home"), embedder=CharacterEmbedder()) as base:
        yield base


def put(base: KnowledgeBase, name: str, amount: int, **front: str) -> None:
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    base.ingest_data(f"---\n{head}---\n{RULE.format(amount)}".encode(), name)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Return a base of three versions, of which the last begins in a far year; no test changes it."""
    settings = RetrievalSettings(home=tmp_path_factory.mktemp("three"))
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        put(base, "v1.md", 300, effective_from="2020-01-01")
        put(base, "v2.md", 400, effective_from="2023-01-01", supersedes="v1.md", version="V2")
        put(base, "v3.md", 500, effective_from="2999-01-01", supersedes="v2.md")
        yield base


def amounts(base: KnowledgeBase, mode: Mode = "hybrid", **arguments: object) -> list[str]:
    return sorted(hit.chunk.text.split()[1] for hit in base.search("住宿费", mode=mode, **arguments))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (None, ["400"]),
        ("2019-12-31", []),
        ("2020-01-01", ["300"]),
        ("2022-12-31", ["300"]),
        ("2023-01-01", ["400"]),
        ("2999-01-01", ["500"]),
    ],
)
def test_each_leg_finds_what_was_in_force(
    three: KnowledgeBase, mode: Mode, as_of: str | None, expected: list[str]
) -> None:
    assert amounts(three, mode, as_of=date.fromisoformat(as_of) if as_of else None) == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"source": ("v1.md",)}, [("300", "v2.md")]),
        ({"source": ("v3.md", "v1.md")}, [("300", "v2.md"), ("500", None)]),
        ({"version": ("V2",)}, [("400", None)]),
        ({"source": ("v*",)}, [("400", None)]),
        ({"section": ("住宿",)}, [("400", None)]),
    ],
)
def test_an_older_version_is_found_by_name_and_marked(
    three: KnowledgeBase, filters: dict[str, tuple[str, ...]], expected: list[tuple[str, str | None]]
) -> None:
    hits = three.search("住宿费", filters=filters)
    assert sorted((hit.chunk.text.split()[1], hit.superseded_by) for hit in hits) == sorted(expected)


def test_what_was_in_force_is_marked_when_it_no_longer_is(three: KnowledgeBase) -> None:
    (old,) = three.search("住宿费", as_of=date(2021, 5, 1))
    assert (old.chunk.source, old.superseded_by) == ("v1.md", "v2.md")
    (current,) = three.search("住宿费", as_of=date(2024, 5, 1))
    assert current.superseded_by is None


def test_an_ingest_tells_what_has_no_effect(base: KnowledgeBase) -> None:
    Path("new.md").write_text("---\neffective_from: 2024-02-30\nsupersedes: old.md\n---\n年假 5 天。", encoding="utf-8")
    told = [warning for _, warning in base.ingest([Path("new.md")]).warnings]
    assert [warning.split(",")[0] for warning in told] == [
        "effective_from '2024-02-30' is no date and was left out; a right one is 2024-01-31",
        "supersedes 'old.md'",
    ]
    assert base.ingest([Path("new.md")]).warnings == []
    Path("old.md").write_text("年假 3 天。", encoding="utf-8")
    base.ingest([Path("old.md")])
    assert [hit.chunk.source for hit in base.search("年假")] == ["new.md"]


TODAY = date(2025, 6, 1)


def record(name: str, **fields: object) -> DocumentRecord:
    values: dict[str, object] = {
        "doc_id": name,
        "revision": f"r-{name}",
        "source": f"docs/{name}.md",
        "title": name,
        "doc_type": "md",
        "version": None,
        "updated_at": None,
        "chunks": 1,
    }
    return DocumentRecord(**(values | fields))  # type: ignore[arg-type]


def shown(records: list[DocumentRecord], as_of: str | None = None, today: date = TODAY) -> str:
    """Return the names of the documents of which a search sees something."""
    out = Versions(records).not_in_force(date.fromisoformat(as_of) if as_of else None, today)
    return " ".join(record.doc_id for record in records if record.revision not in out)


CHAIN = [
    record("v1", effective_from="2020-01-01", effective_to="2022-12-31"),
    record("v2", effective_from="2023年1月1日", supersedes=("v1.md",)),
    record("v3", effective_from="2026-01", supersedes=("docs/v2.md", "v1")),
    record("other"),
]


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (None, "v2 other"),
        ("2019-12-31", "other"),
        ("2020-01-01", "v1 other"),
        ("2022-12-31", "v1 other"),
        ("2023-01-01", "v2 other"),
        ("2025-12-31", "v2 other"),
        ("2026-01-01", "v3 other"),
        ("2030-01-01", "v3 other"),
    ],
)
def test_one_version_is_in_force_on_each_day(as_of: str | None, expected: str) -> None:
    assert shown(CHAIN, as_of) == expected


@pytest.mark.parametrize(
    ("as_of", "expected"), [(None, "new"), ("2024-03-01", "new"), ("2024-02-29", "old"), ("1990-01-01", "old")]
)
def test_without_dates_of_force_the_date_of_the_newer_one_counts(as_of: str | None, expected: str) -> None:
    records = [record("old"), record("new", updated_at="2024-03-01T08:00:00+00:00", supersedes=("old",))]
    assert shown(records, as_of) == expected


def test_a_date_alone_hides_nothing_unless_a_day_is_asked_for() -> None:
    records = [record("ended", effective_to="2024-12-31"), record("planned", effective_from="2030-01-01")]
    assert shown(records) == "ended planned"
    assert shown(records, "2024-12-31") == "ended"
    assert shown(records, "2025-01-01") == ""
    assert shown(records, "2030-01-01") == "planned"


@pytest.mark.parametrize(
    ("newer", "older", "expected"),
    [((), (), "new"), ((), ("hr",), "new"), (("hr",), (), "old new"), (("hr", "it"), ("hr",), "new")],
)
def test_nobody_loses_a_document_to_one_that_they_may_not_see(
    newer: tuple[str, ...], older: tuple[str, ...], expected: str
) -> None:
    records = [record("old", visible_to=older), record("new", visible_to=newer, supersedes=("old",))]
    assert shown(records) == expected
    assert Versions(records).superseded_by(records[0], TODAY) == ("docs/new.md" if expected == "new" else None)


def test_copies_are_out_together() -> None:
    records = [
        record("a", same_as="b", revision="r-a"),
        record("b"),
        record("c", supersedes=("docs/a.md",)),
        record("d", same_as="c", revision="r-d"),
    ]
    assert Versions(records).not_in_force(today=TODAY) == {"r-b"}
    # The document whose chunks a copy has is no rival of it.
    assert Versions([record("x", supersedes=("y.md",)), record("y", same_as="x")]).not_in_force(today=TODAY) == set()


def test_of_editions_that_repeal_their_common_title_the_latest_is_in_force() -> None:
    records = [
        record("v1", title="差旅办法", effective_from="2020-01-01", supersedes=("差旅办法",)),
        record("v3", title="差旅办法", effective_from="2024-01-01", supersedes=("差旅办法",)),
        record("v2", title="差旅办法", updated_at="2022-03-01T00:00:00Z", supersedes=("差旅办法",)),
    ]
    assert shown(records) == "v3"
    assert shown(records, "2023-01-01") == "v2"
    assert shown(records, "2020-06-01") == "v1"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("hr/policy.md", "it new"),
        ("./hr/policy.md", "it new"),
        ("/docs/hr/policy.md", "it new"),
        ("docs\\hr\\policy.md", "it new"),
        ("hr/policy", "it new"),
        ("../it/policy.md", "hr new"),
        ("policy.md", "hr it new"),
        ("policy", "hr it new"),
        ("r/policy.md", "hr it new"),
        ("人事口径", "it new"),
        ("  hr/policy.md ", "it new"),
        ("", "hr it new"),
    ],
)
def test_the_document_that_is_meant_by_a_name(written: str, expected: str) -> None:
    records = [
        record("hr", source="/docs/hr/policy.md", title="人事口径"),
        record("it", source="/docs/it/policy.md", title="信息口径"),
        record("new", source="/docs/2024/new.md", supersedes=(written,)),
    ]
    assert shown(records) == expected


def test_a_file_beside_it_is_meant_first() -> None:
    records = [
        record("one", source="a/old.md"),
        record("two", source="b/old.md"),
        record("new", source="b/new.md", supersedes=("old.md",)),
    ]
    assert shown(records) == "one new"


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=6, unique=True), st.integers(-100, 3100))
def test_of_a_chain_of_versions_one_is_in_force(starts: list[int], day: int) -> None:
    first = date(2020, 1, 1)
    starts = sorted(starts)
    records = [
        record(
            f"v{place}",
            effective_from=(first + timedelta(start)).isoformat(),
            supersedes=(f"v{place - 1}",) if place else (),
        )
        for place, start in enumerate(starts)
    ]
    begun = [place for place, start in enumerate(starts) if start <= day]
    expected = f"v{begun[-1]}" if begun else ""
    as_of = first + timedelta(day)
    assert shown(records, as_of.isoformat()) == expected
    # Unasked, the first version is shown before it begins: nothing else would be.
    assert shown(records, today=as_of) == (expected or "v0")
