"""Files of one content: renamed ones keep their chunks, copies share them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

LEAVE = "# 休假制度\n\n年假 5 天。\n\n## 探亲假\n\n探亲假 20 天。\n"
TRAVEL = "# 差旅\n\n住宿每晚 500 元。\n"


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(RetrievalSettings(home=tmp_path / "home"), embedder=CharacterEmbedder()) as base:
        yield base


def write(name: str, text: str = LEAVE) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def encoded(base: KnowledgeBase) -> int:
    embedder = base.engine.embedder
    assert isinstance(embedder, CharacterEmbedder)
    return len(embedder.texts)


def found(base: KnowledgeBase, **arguments: object) -> set[tuple[str, str]]:
    """Return (source, text) of what both legs find, each of which must find the same."""
    legs = [
        sorted((hit.chunk.source, hit.chunk.text) for hit in base.search("年假 探亲假", 9, mode, **arguments))  # type: ignore[arg-type]
        for mode in ("vector", "keyword")
    ]
    assert legs[0] == legs[1]
    assert len(set(legs[0])) == len(legs[0])
    return set(legs[0])


def leave_at(source: str) -> set[tuple[str, str]]:
    return {(source, "年假 5 天。"), (source, "探亲假 20 天。")}


def sources(base: KnowledgeBase) -> list[str]:
    return [record.source for record in base.documents()]


def test_a_renamed_file_keeps_its_chunks_and_is_not_encoded_again(base: KnowledgeBase) -> None:
    old = write("a.md")
    base.ingest([old])
    before, count = base.search("年假", mode="vector"), encoded(base)
    old.rename("b.md")

    report = base.ingest([Path()])

    assert (report.documents, report.chunks, report.unchanged, report.updated) == (1, 2, 1, 0)
    assert encoded(base) == count
    assert sources(base) == ["b.md"]
    assert found(base) == leave_at("b.md")
    (record,) = base.documents()
    after = base.search("年假", mode="vector")
    assert [hit.legs["vector"].score for hit in after] == pytest.approx([hit.legs["vector"].score for hit in before])
    assert {hit.chunk.doc_id for hit in after} == {record.doc_id}
    assert base.ingest([Path("b.md")]).unchanged == 1
    assert base.health()["chunks"] == base.health()["keyword_chunks"] == 2


def test_a_file_that_is_titled_by_its_name_is_searched_under_the_new_one(base: KnowledgeBase) -> None:
    old = write("考勤.txt", "迟到三次扣半天。")
    base.ingest([old])
    old.rename("出勤规定.txt")
    assert base.ingest([Path("出勤规定.txt")]).updated == 1
    assert [(record.source, record.title) for record in base.documents()] == [("出勤规定.txt", "出勤规定")]
    assert {hit.chunk.heading for hit in base.search("迟到")} == {"出勤规定"}


def test_copies_are_indexed_once_and_both_listed(base: KnowledgeBase) -> None:
    base.ingest([write("a.md")])
    count = encoded(base)
    report = base.ingest([Path("a.md"), write("b.md")])
    assert (report.documents, report.chunks, report.unchanged, report.updated) == (2, 2, 1, 0)
    assert encoded(base) == count
    original, copy = base.documents()
    assert (copy.source, copy.chunks, copy.same_as, original.same_as) == ("b.md", 2, original.doc_id, None)
    assert found(base) == leave_at("a.md")
    assert base.health()["chunks"] == base.health()["keyword_chunks"] == 2
    assert base.ingest([Path()]).unchanged == 2


@pytest.mark.parametrize("name", ["a.md", "b.md"])
@pytest.mark.parametrize("by", ["source", "doc_id"])
def test_a_filter_by_any_of_the_names_finds_the_chunks(base: KnowledgeBase, name: str, by: str) -> None:
    base.ingest([write("a.md"), write("b.md"), write("t.md", TRAVEL)])
    value = next(getattr(record, by) for record in base.documents() if record.source == name)
    assert found(base, filters={by: (value,)}) == leave_at("a.md")


@pytest.mark.parametrize(("deleted", "left"), [("a.md", "b.md"), ("b.md", "a.md")])
def test_one_that_is_deleted_leaves_the_other(base: KnowledgeBase, deleted: str, left: str) -> None:
    base.ingest([write("a.md"), write("b.md")])
    count = encoded(base)
    assert base.delete(deleted).source == deleted
    assert (sources(base), found(base), encoded(base)) == ([left], leave_at(left), count)
    base.delete(left)
    assert base.health()["chunks"] == base.health()["keyword_chunks"] == len(base.documents()) == 0


def test_a_renamed_original_and_a_renamed_copy(base: KnowledgeBase) -> None:
    base.ingest([write("a.md"), write("b.md")])
    count = encoded(base)
    for old, new in (("a.md", "c.md"), ("b.md", "d.md"), ("c.md", "e.md")):
        Path(old).rename(new)
        assert base.ingest([Path()]).unchanged == 2
    assert (sources(base), encoded(base)) == (["d.md", "e.md"], count)
    assert {text for _, text in found(base)} == {"年假 5 天。", "探亲假 20 天。"}
    assert base.health()["chunks"] == 2


@pytest.mark.parametrize("order", [("a.md", "b.md"), ("b.md", "a.md")])
def test_documents_for_others_are_never_shared(base: KnowledgeBase, order: tuple[str, str]) -> None:
    write("a.md")
    write("b.md")
    groups = {"a.md": {"visible_to": "hr"}, "b.md": {"visible_to": "board"}}
    for name in order:
        base.ingest([Path(name)], groups[name])
    assert found(base) == set()
    assert found(base, viewer=["hr"]) == leave_at("a.md")
    assert found(base, viewer=["board"]) == leave_at("b.md")
    # A file that is opened to all does not open the other.
    base.ingest([Path("a.md")], {"visible_to": "public"})
    assert found(base) == leave_at("a.md")
    base.delete("a.md")
    assert found(base) == set()


def test_a_copy_of_what_supersedes_is_not_superseded_by_it(base: KnowledgeBase) -> None:
    new = "---\nsupersedes: 休假制度\n---\n# 休假制度\n\n年假 12 天。\n"
    base.ingest([write("a.md", new), write("b.md", new)])
    assert found(base) == {("a.md", "年假 12 天。")}


@pytest.mark.parametrize("action", ["rename", "delete", "change"])
@pytest.mark.parametrize("step", ["begin_hand_over", "hand_over", "begin", "commit", "share", "retire", "forget"])
def test_a_crash_at_any_step_leaves_whole_documents(
    tmp_path: Path, action: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is taken to be gone before or after the step: what would clean up does not run."""

    class Gone(BaseException):
        pass

    def act(base: KnowledgeBase) -> None:
        if action == "rename":
            if Path("a.md").exists():
                Path("a.md").rename("c.md")
            base.ingest([Path("c.md")])
        elif action == "delete":
            if "a.md" in sources(base):
                base.delete("a.md")
        else:
            base.ingest([write("a.md", "# 休假\n\n年假 12 天。\n")])

    settings = RetrievalSettings(home=tmp_path / "home")
    base = KnowledgeBase.open(settings, embedder=CharacterEmbedder())
    base.ingest([write("a.md"), write("b.md")])
    catalogue = base._catalogue
    real = getattr(catalogue, step)

    def die_after(*arguments: object, **named: object) -> None:
        real(*arguments, **named)
        for name in ("forget", "retire", "share", "commit"):
            monkeypatch.setattr(catalogue, name, die)
        die()

    def die(*_arguments: object, **_named: object) -> None:
        raise Gone

    monkeypatch.setattr(catalogue, step, die_after)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base.engine.store, "delete_revision", die)
        with contextlib.suppress(Gone):
            act(base)
    base.close()
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as again:
        texts = {text for _, text in found(again)}
        assert texts in ({"年假 5 天。", "探亲假 20 天。"}, {"年假 5 天。", "探亲假 20 天。", "年假 12 天。"})
        act(again)
        after = {
            "rename": (["b.md", "c.md"], 2),
            "delete": (["b.md"], 2),
            "change": (["a.md", "b.md"], 3),
        }
        assert (sources(again), again.health()["chunks"]) == after[action]
        assert again.health()["keyword_chunks"] == again.health()["chunks"]
