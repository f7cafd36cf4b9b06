"""The settings say which reranker it is, and one that fails leaves the order and is said once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from preprocessing.errors import FolioError
from retrieval.hit import Hit
from retrieval.knowledge_base import KnowledgeBase
from retrieval.rerank.cross_encoder import CrossEncoderReranker
from retrieval.rerank.http import HttpReranker
from retrieval.rerank.rerank import OrFusedOrder, Reranker, open_reranker
from retrieval.rerank.token_interaction import TokenReranker
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder
from tests.retrieval.remote.model_server import ModelServer, Raw, one_after_another
from tests.retrieval.rerank.test_rerank import hits_of, order


def settings(**values: Any) -> RetrievalSettings:
    return RetrievalSettings(_env_file=None, **{"rerank": None, **values})


@pytest.mark.parametrize(
    ("values", "kind", "model_id"),
    [
        ({"rerank": "none"}, type(None), None),
        ({"rerank": None}, TokenReranker, "token-interaction"),
        ({"rerank": "token"}, TokenReranker, "token-interaction"),
        ({"rerank": "cross-encoder", "rerank_model": "a/b"}, CrossEncoderReranker, "a/b"),
        ({"rerank_model": "a/b"}, CrossEncoderReranker, "a/b"),
        ({"rerank_model": " m ", "rerank_url": "http://a/v1"}, HttpReranker, "m"),
        ({"rerank_url": "http://a:80", "rerank_form": "tei"}, HttpReranker, "a:80"),
    ],
)
def test_which_reranker(values: dict[str, Any], kind: type, model_id: str | None) -> None:
    found = open_reranker(settings(**values))
    assert type(found) is kind
    assert (found.model_id if found else None) == model_id


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"rerank_url": "http://me:word@a:8080/rerank"},
            "FOLIO_RERANK_URL http://a:8080/rerank does not say what the server understands: set FOLIO_RERANK_FORM to "
            "one of jina, cohere, siliconflow, dashscope, tei (tei for text-embeddings-inference, jina for vLLM and "
            "Xinference)",
        ),
        (
            {"rerank_url": "https://api.siliconflow.cn/v1/rerank"},
            "FOLIO_RERANK_MODEL is not set; set it to a reranker that api.siliconflow.cn has, such as "
            "BAAI/bge-reranker-v2-m3",
        ),
        (
            {"rerank": "token", "rerank_model": "a/b"},
            "FOLIO_RERANK=token does without a model, but FOLIO_RERANK_MODEL or FOLIO_RERANK_URL is set: leave those "
            "out, or set FOLIO_RERANK=cross-encoder",
        ),
        (
            {"rerank": "cross-encoder"},
            "FOLIO_RERANK=cross-encoder needs FOLIO_RERANK_MODEL, the name or path of a cross-encoder, such as "
            "BAAI/bge-reranker-v2-m3",
        ),
        ({"rerank_url": "a/v1"}, "FOLIO_RERANK_URL must be a whole address, such as http://localhost:8000/v1"),
        *(
            (
                {name: value},
                f"FOLIO_{name.upper()} is set but FOLIO_RERANK_URL is not; set it to the address of the reranker, such "
                "as https://api.siliconflow.cn/v1/rerank",
            )
            for name, value in {"rerank_api_key": "k", "rerank_form": "tei", "rerank_max_tokens": 512}.items()
        ),
    ],
)
def test_settings_that_contradict_each_other(values: dict[str, Any], message: str) -> None:
    with pytest.raises(FolioError) as wrong:
        open_reranker(settings(**values))
    assert str(wrong.value) == message


class Fails:
    """Reverses the hits, or fails with the next of its problems."""

    model_id = "fails"

    def __init__(self, *problems: str | None) -> None:
        self.problems = list(problems)
        self.asked = 0

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        self.asked += 1
        if problem := self.problems.pop(0) if self.problems else None:
            raise FolioError(problem)
        return list(hits)[::-1]


def test_a_failure_is_said_once_and_leaves_the_order_for_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    inner = Fails("no key", "no key", None, "no key", "gone")
    reranker: Reranker = OrFusedOrder(inner, clock=lambda: now)
    assert isinstance(reranker, OrFusedOrder)
    hits = hits_of("1", "2")
    problems: list[tuple[list[str], str | None, int]] = []
    for now in (0.0, 1.0, 59.9, 60.0, 120.0, 120.1, 240.0, 300.0):  # noqa: B007  read by the clock
        problems.append((order(reranker.rerank("年假", hits)), reranker.problem, inner.asked))
    kept, reranked = ["c1", "c2"], ["c2", "c1"]
    assert problems == [
        (kept, "no key", 1),
        (kept, "no key", 1),
        (kept, "no key", 1),
        (kept, "no key", 2),
        (reranked, None, 3),
        (kept, "no key", 4),
        (kept, "gone", 5),
        (reranked, None, 6),
    ]
    assert caplog.messages == [
        f"{problem}; until it works, results stay in the order of the search" for problem in ("no key", "gone")
    ]
    assert reranker.model_id == "fails"


@pytest.mark.parametrize("failing", ["refused", "cross-encoder"])
def test_a_search_without_its_reranker(tmp_path: Path, failing: str, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.md").write_text("# 休假\n\n## 年假\n\n年假十天。\n\n## 病假\n\n病假五天。\n", encoding="utf-8")
    with ModelServer(one_after_another(Raw(401, {"message": "Invalid token"}))) as server:
        values: dict[str, Any] = {"rerank_model": str(tmp_path / "none")}
        if failing == "refused":
            values |= {"rerank_url": server.url("/v1"), "rerank_api_key": "k"}
        with KnowledgeBase.open(settings(home=tmp_path / "home", **values), embedder=CharacterEmbedder()) as base:
            base.ingest([tmp_path / "a.md"])
            assert base.health()["rerank_problem"] is None
            found = [base.search("年假十天") for _ in range(3)]
            assert [hit.chunk.text for hit in found[0]] == ["年假十天。", "病假五天。"]
            assert found[0] == found[1] == found[2]
            assert not any("rerank" in hit.legs for hit in found[0])
            problem = base.health()["rerank_problem"]
    assert ("FOLIO_RERANK_API_KEY" if failing == "refused" else "FOLIO_RERANK_MODEL") in problem
    assert [message for message in caplog.messages if problem in message] == [
        f"{problem}; until it works, results stay in the order of the search"
    ]


def test_a_search_with_a_reranker_behind_an_address(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 休假\n\n## 年假\n\n年假十天。\n\n## 病假\n\n病假五天。\n", encoding="utf-8")

    def answer(body: Any) -> Any:
        scores = [float("病假" in text) for text in body["documents"]]
        return {"results": [{"index": i, "relevance_score": score} for i, score in enumerate(scores)]}

    with ModelServer(answer) as server:
        chosen = settings(home=tmp_path / "home", rerank_model="m", rerank_url=server.url("/v1"))
        with KnowledgeBase.open(chosen, embedder=CharacterEmbedder()) as base:
            base.ingest([tmp_path / "a.md"])
            assert [hit.chunk.text for hit in base.search("年假十天")] == ["病假五天。", "年假十天。"]
            assert base.health()["rerank_model"] == "m"
