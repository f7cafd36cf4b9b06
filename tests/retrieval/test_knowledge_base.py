import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from retrieval.documents.manifest import IndexMismatch
from retrieval.documents.revisions import Revisions
from retrieval.embed.embedder import Vectors
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import NoDocuments
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder

LEAVE_V1 = "# 休假制度\n\n## 年假\n\n员工年假 5 天。\n\n## 探亲假\n\n探亲假 20 天。\n"
LEAVE_V2 = "# 休假制度\n\n## 年假\n\n员工年假 12 天。\n"


@pytest.fixture
def settings(tmp_path: Path) -> RetrievalSettings:
    return RetrievalSettings(home=tmp_path / "home")


@pytest.fixture
def base(settings: RetrievalSettings) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        yield base


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def texts(base: KnowledgeBase, query: str, **arguments: object) -> list[str]:
    return [hit.chunk.text for hit in base.search(query, **arguments)]  # type: ignore[arg-type]


def test_ingest_then_search(base: KnowledgeBase) -> None:
    report = base.ingest([write("docs/leave.md", LEAVE_V1)])
    assert (report.documents, report.chunks, report.unchanged, report.updated, report.failed) == (1, 2, 0, 0, [])
    (hit, *_) = base.search("探亲假几天")
    assert (hit.chunk.text, hit.chunk.source, hit.chunk.section) == ("探亲假 20 天。", "docs/leave.md", ("探亲假",))


def test_an_unchanged_file_is_not_encoded_again(base: KnowledgeBase) -> None:
    path = write("leave.md", LEAVE_V1)
    base.ingest([path])
    embedder = base.engine.embedder
    assert isinstance(embedder, CharacterEmbedder)
    encoded = len(embedder.texts)
    report = base.ingest([path.absolute()])
    assert (report.documents, report.unchanged, report.updated) == (1, 1, 0)
    assert len(embedder.texts) == encoded


def test_a_changed_file_replaces_its_old_state_in_both_legs(base: KnowledgeBase) -> None:
    base.ingest([write("leave.md", LEAVE_V1)])
    report = base.ingest([write("leave.md", LEAVE_V2)])
    assert (report.documents, report.updated, report.chunks) == (1, 1, 1)
    assert base.health()["chunks"] == base.health()["keyword_chunks"] == 1
    for mode in ("vector", "keyword", "hybrid"):
        assert texts(base, "探亲假 年假 20 天", mode=mode) == ["员工年假 12 天。"]


def test_delete_removes_from_both_legs(base: KnowledgeBase) -> None:
    base.ingest([write("leave.md", LEAVE_V1), write("travel.md", "# 差旅\n\n住宿每晚 500 元。\n")])
    record = base.delete("leave.md")
    assert record.chunks == 2
    for mode in ("vector", "keyword"):
        assert all("年假" not in text for text in texts(base, "年假 探亲假 住宿", mode=mode))
    assert [record.source for record in base.documents()] == ["travel.md"]


def test_search_before_the_first_ingest_says_what_to_do(base: KnowledgeBase) -> None:
    with pytest.raises(NoDocuments, match="there are no documents yet; run: folio ingest PATH"):
        base.search("年假")


def test_one_bad_file_never_stops_the_others(base: KnowledgeBase) -> None:
    write("docs/a.md", LEAVE_V1)
    Path("docs/b.pdf").write_bytes(b"%PDF-1.7 broken")
    Path("docs/c.txt").write_bytes(b"")
    write("docs/d.md", "# 差旅\n\n住宿每晚 500 元。\n")
    report = base.ingest([Path("docs"), Path("missing.md"), write("x.exe", "x")])
    assert report.documents == 2
    assert {Path(source).name for source, _ in report.failed} == {"b.pdf", "c.txt", "missing.md", "x.exe"}
    assert ("docs/c.txt", "file is empty") in report.failed
    assert texts(base, "住宿", k=1) == ["住宿每晚 500 元。"]


def test_metadata_of_the_caller_filters(base: KnowledgeBase) -> None:
    base.ingest([write("a.md", "# 甲\n\n年假 5 天。\n")], {"department": "研发"})
    base.ingest([write("b.md", "# 乙\n\n年假 8 天。\n")], {"department": "销售"})
    assert texts(base, "年假", filters={"department": ("销售",)}) == ["年假 8 天。"]


def test_a_document_for_some_groups_is_found_by_them_only(base: KnowledgeBase) -> None:
    base.ingest([write("salary.md", "# 薪酬\n\n总监年薪 80 万元。\n")], {"visible_to": ("hr", "board")})
    base.ingest([write("leave.md", LEAVE_V2)])
    for mode in ("vector", "keyword", "hybrid"):
        assert "总监年薪 80 万元。" not in texts(base, "总监年薪", mode=mode)
        assert "总监年薪 80 万元。" not in texts(base, "总监年薪", mode=mode, viewer=["it"])
        assert "总监年薪 80 万元。" in texts(base, "总监年薪", mode=mode, viewer=["hr"])


def test_a_restricted_draft_does_not_take_a_public_document_away(base: KnowledgeBase) -> None:
    base.ingest([write("travel_v1.md", "# 差旅\n\n住宿每晚 300 元。\n")])
    draft = "---\nsupersedes: travel_v1.md\nvisible_to: [hr]\n---\n# 差旅\n\n住宿每晚 500 元。\n"
    base.ingest([write("draft.md", draft)])
    assert texts(base, "住宿") == ["住宿每晚 300 元。"]


def test_a_restriction_is_not_lost_by_ingesting_again_without_it(base: KnowledgeBase) -> None:
    path = write("salary.md", "# 薪酬\n\n总监年薪 80 万元。\n")
    base.ingest([path], {"visible_to": "HR"})
    ((source, error),) = base.ingest([path]).failed
    assert (source, error.partition(";")[0]) == ("salary.md", "was visible to hr only and now says nothing of it")
    assert texts(base, "总监年薪") == []
    assert texts(base, "总监年薪", viewer=["hr"]) == ["总监年薪 80 万元。"]
    assert base.ingest([path], {"visible_to": "public"}).updated == 1
    assert texts(base, "总监年薪") == ["总监年薪 80 万元。"]


class FailingEmbedder(CharacterEmbedder):
    """Fails on texts that hold 爆."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if any("爆" in text for text in texts):
            raise RuntimeError("out of memory")
        return super().embed_passages(texts)


def test_an_ingest_that_fails_half_way_leaves_nothing_behind(settings: RetrievalSettings) -> None:
    with KnowledgeBase.open(settings, embedder=FailingEmbedder()) as base:
        base.ingest([write("leave.md", LEAVE_V1)])
        report = base.ingest([write("leave.md", "# 休假\n\n爆\n"), write("b.md", "# 乙\n\n住宿 500 元。\n")])
        assert report.failed == [("leave.md", "unexpected RuntimeError: out of memory")]
        assert report.documents == 1
        assert "探亲假 20 天。" in texts(base, "探亲假")
        assert base.health()["chunks"] == base.health()["keyword_chunks"] == 3


@pytest.mark.parametrize("step", ["upsert", "commit", "delete_revision", "forget"])
def test_a_crash_at_any_step_leaves_one_whole_state(
    settings: RetrievalSettings, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is taken to be gone at the step: nothing after it runs, and the next opening finds what is there."""

    class Gone(BaseException):
        pass

    def die(*_arguments: object, **_named: object) -> None:
        raise Gone

    base = KnowledgeBase.open(settings, embedder=CharacterEmbedder())
    base.ingest([write("leave.md", LEAVE_V1)])
    store, catalogue = base.engine.store, base._catalogue
    target = store if step in ("upsert", "delete_revision") else catalogue
    with monkeypatch.context() as patch:
        patch.setattr(target, step, die)
        # What would clean up after an error does not run either when a process is killed.
        patch.setattr(Revisions, "_remove", die)
        with pytest.raises(Gone):
            base.ingest([write("leave.md", LEAVE_V2)])
    base.close()
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as reopened:
        found = set(texts(reopened, "年假 探亲假", mode="hybrid"))
        assert found in ({"员工年假 5 天。", "探亲假 20 天。"}, {"员工年假 12 天。"})
        assert reopened.health()["chunks"] == reopened.health()["keyword_chunks"] == len(found)
        reopened.ingest([Path("leave.md")])
        assert texts(reopened, "年假") == ["员工年假 12 天。"]


def test_another_embedding_model_is_refused(settings: RetrievalSettings) -> None:
    KnowledgeBase.open(settings, embedder=CharacterEmbedder()).close()
    other = CharacterEmbedder()
    other.model_id = "other"
    with pytest.raises(IndexMismatch, match=r"made with the embedding model 'characters'.*FOLIO_EMBED_MODEL"):
        KnowledgeBase.open(settings, embedder=other)
    KnowledgeBase.open(settings, embedder=CharacterEmbedder()).close()


def test_a_bad_vector_fails_the_file_and_leaves_none_of_it(settings: RetrievalSettings) -> None:
    class NanEmbedder(CharacterEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            vectors = super().embed_passages(texts)
            if any("坏" in text for text in texts):
                vectors[-1] = np.nan
            return vectors

    with KnowledgeBase.open(settings, embedder=NanEmbedder()) as base:
        report = base.ingest([write("bad.md", "# 一\n\n年假 5 天。\n\n# 二\n\n坏。\n"), write("good.md", LEAVE_V2)])
        assert [source for source, _ in report.failed] == ["bad.md"]
        assert texts(base, "年假") == ["员工年假 12 天。"]


def test_a_store_that_keeps_nothing_is_found_out(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    base.ingest([write("leave.md", LEAVE_V1)])
    monkeypatch.setattr(base.engine.store, "upsert", lambda _chunks, _vectors: None)
    report = base.ingest([write("leave.md", LEAVE_V2)])
    assert report.failed == [("leave.md", "the store holds 0 of its 1 chunks after they were written")]
    assert "探亲假 20 天。" in texts(base, "探亲假")
    assert base.engine.store.count_keyword() == base.engine.store.count() == 2


def test_readers_go_on_while_one_writes(base: KnowledgeBase) -> None:
    base.ingest([write("leave.md", LEAVE_V1)])
    problems: list[BaseException] = []
    stop = threading.Event()

    def read() -> None:
        try:
            while not stop.is_set():
                found = texts(base, "年假", mode="keyword")
                assert "员工年假 5 天。" in found or "员工年假 12 天。" in found
        except BaseException as problem:  # noqa: BLE001  told to the main thread
            problems.append(problem)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for text in (LEAVE_V2, LEAVE_V1) * 3:
        base.ingest([write("leave.md", text)])
    stop.set()
    for reader in readers:
        reader.join()
    assert problems == []
