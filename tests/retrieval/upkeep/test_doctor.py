import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import retrieval.store.keywords
from retrieval.embed.embedder import Vectors
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.models.local import ModelError
from retrieval.rerank.rerank import OrFusedOrder
from retrieval.settings import RetrievalSettings
from retrieval.text.writing import Language, language_of
from retrieval.upkeep.doctor import Examination, Probe, sample_by_kind
from tests.fakes import CharacterEmbedder, copied, make_chunk

CHINESE = "# 休假\n\n## 年假\n\n转正员工年假为 12 天，须提前三个工作日申请。\n\n## 病假\n\n病假工资按照八成计发。\n"
ENGLISH = (
    "# Remote access\n\nVPN sessions are closed after 45 minutes of inactivity.\n\n## Tokens\n\nAsk the desk for one.\n"
)


FILES = {"leave.md": CHINESE, "notes.txt": "报销单须在三十天以内提交给财务部。", "vpn.md": ENGLISH}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("docs")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder]


def opened(settings: RetrievalSettings, embedder: CharacterEmbedder | None = None) -> KnowledgeBase:
    return KnowledgeBase.open(settings, embedder=embedder or CharacterEmbedder())


@pytest.fixture(scope="module")
def healthy_home(docs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("healthy") / "home"
    with opened(RetrievalSettings(home=home)) as base:
        assert base.ingest(docs).failed == []
    return home


@pytest.fixture
def settings(tmp_path: Path) -> RetrievalSettings:
    return RetrievalSettings(home=tmp_path / "home")


@pytest.fixture
def ready(settings: RetrievalSettings, healthy_home: Path) -> RetrievalSettings:
    """Return the settings of a base that holds the documents, and is closed."""
    copied(healthy_home, settings.home)
    return settings


def dead(examination: Examination) -> set[tuple[str, str | None, str | None]]:
    return {(problem.leg, problem.language, problem.doc_type) for problem in examination.problems}


def test_every_leg_is_asked_for_each_language_and_type(ready: RetrievalSettings) -> None:
    with opened(ready) as base:
        examination = base.examine()
    assert examination.problems == []
    assert (examination.documents, examination.chunks) == (3, {"catalogue": 5, "store": 5, "keyword": 5})
    assert examination.probes == [
        Probe(leg, language, doc_type, asked, asked)  # type: ignore[arg-type]
        for language, doc_type, asked in (("en", "md", 2), ("zh", "md", 2), ("zh", "txt", 1))
        for leg in ("keyword", "vector")
    ]


def test_an_empty_base_has_nothing_to_ask_for(settings: RetrievalSettings) -> None:
    with opened(settings) as base:
        examination = base.examine()
    assert (examination.documents, examination.probes, examination.problems) == (0, [], [])


@pytest.mark.parametrize("where", ["tokenize", "keywords"])
def test_a_tokenizer_that_drops_chinese(
    settings: RetrievalSettings, docs: list[Path], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = getattr(retrieval.store.keywords, where)
    # Digits are left, and with them a passage could be found by chance.
    monkeypatch.setattr(retrieval.store.keywords, where, lambda text: whole(re.sub(r"[\u3400-\u9fff]+", " ", text)))
    with opened(settings) as base:
        base.ingest(docs)
        assert dead(base.examine()) == {("keyword", "zh", "md"), ("keyword", "zh", "txt")}


def test_samples_are_few_and_the_same_each_time() -> None:
    chunks = [make_chunk(f"第{n}号文件规定了差旅标准。", f"c{n}") for n in range(300)]
    first, again = (sample_by_kind(some, 4)["zh", "md"] for some in (chunks, chunks[::-1]))
    assert first == again
    assert len({chunk.chunk_id for chunk in first}) == 4


class Broken(CharacterEmbedder):
    """Gives a vector that does not depend on the text, for texts of one language or for all."""

    def __init__(self, value: float, language: Language | None = None) -> None:
        super().__init__()
        self._value = value
        self._language = language

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        if self._language in (None, language_of(text)):
            return np.full(self.dimension, self._value, np.float32)
        return super().embed_query(text)


@pytest.mark.parametrize(
    ("value", "language", "fault"),
    [
        (0.0, None, "gives vectors of zeros"),
        (1.0, None, "gives the same vector to different texts"),
        (float("nan"), None, "gives vectors with NaN or infinity"),
        (0.0, "zh", "gives vectors of zeros"),
        (1.0, "zh", "gives the same vector to different texts"),
        (1.0, "en", "gives the same vector to different texts"),
    ],
)
def test_an_embedder_that_broke_after_the_ingest(
    ready: RetrievalSettings, value: float, language: Language | None, fault: str
) -> None:
    with opened(ready, Broken(value, language)) as base:
        examination = base.examine()
    kinds = {("zh", None), ("zh", "md"), ("zh", "txt"), ("en", None), ("en", "md")}
    assert dead(examination) == {("vector", *kind) for kind in kinds if language in (None, kind[0])}
    assert {problem.text for problem in examination.problems if problem.doc_type is None} == {
        f"the embedder characters {fault}"
    }


@pytest.fixture
def base(ready: RetrievalSettings) -> Iterator[KnowledgeBase]:
    with opened(ready) as base:
        yield base


def test_chunks_that_the_keyword_leg_lacks(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(base.engine.store), "count_keyword", lambda _: 4)
    (problem,) = base.examine().problems
    assert (problem.leg, problem.text) == ("keyword", "it holds 4 chunks and the store 5; run folio reindex")


def test_chunks_that_the_store_lacks(base: KnowledgeBase) -> None:
    record = base.documents()[0]
    base.engine.store.delete_revision(record.revision)
    problems = {(problem.leg, problem.text) for problem in base.examine().problems}
    assert ("store", f"{record.source} has 2 chunks, of which the store holds 0; ingest it again") in problems


def test_documents_for_some_and_superseded_ones_are_no_problem(ready: RetrievalSettings, docs: list[Path]) -> None:
    with opened(ready) as base:
        base.ingest_data("# 薪酬\n\n总监年薪由董事会决定。\n".encode(), "pay.md", {"visible_to": "hr"})
        base.ingest_data("# 新规\n\n年假改为二十天。\n".encode(), "new.md", {"supersedes": "leave.md"})
        assert base.examine().problems == []


class SilentReranker:
    model_id = "silent"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        return list(hits)


class AbsentReranker(SilentReranker):
    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        raise ModelError("the model cannot be reached")


def test_a_reranker_that_fails_says_why(ready: RetrievalSettings) -> None:
    reranker = OrFusedOrder(AbsentReranker())
    with KnowledgeBase.open(ready, embedder=CharacterEmbedder(), reranker=reranker) as base:
        problems = base.examine().problems
    assert {(problem.leg, problem.text) for problem in problems} == {
        ("rerank", "it fails: the model cannot be reached")
    }
