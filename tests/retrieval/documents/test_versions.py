from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

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


def test_copies_are_named_with_what_says_the_same(base: KnowledgeBase) -> None:
    for name in ("hr/a.md", "hr/b.md"):
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(RULE.format(300), encoding="utf-8")
    Path("c.md").write_text("# 附录\n\n## 二、住宿\n\n住宿费每晚３００元", encoding="utf-8")
    base.ingest([Path("hr"), Path("c.md")])
    (hit,) = base.search("住宿费每晚多少")
    assert {hit.chunk.source, *hit.also_in} == {"hr/a.md", "hr/b.md", "c.md"}
    (hit,) = base.search("住宿费每晚多少", filters={"source": ("hr/b*",)})
    assert {hit.chunk.source, *hit.also_in} == {"hr/a.md", "hr/b.md"}


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
