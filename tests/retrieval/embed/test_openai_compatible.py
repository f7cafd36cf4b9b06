"""Text goes out in batches that the server takes, and one unit vector a text comes back, or a line says why not."""

import logging
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from preprocessing.errors import FolioError
from retrieval.embed.embedder import Prefixes
from retrieval.embed.openai_compatible import (
    OpenAICompatibleEmbedder,
    with_path,
)
from tests.retrieval.remote.model_server import Answer, ModelServer, Raw, endpoint, one_after_another


def vector(text: str) -> list[float]:
    """Return a vector that tells texts of another length or first character apart."""
    return [float(len(text)), float(ord(text[0]) % 97), 1.0]


def rows(texts: Sequence[str]) -> dict[str, Any]:
    data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
    return {"object": "list", "data": data[::-1]}


def embeds(body: Any) -> Any:
    return rows(body["input"])


def expected(*texts: str) -> np.ndarray:
    raw = np.array([vector(text) for text in texts])
    return np.asarray(raw / np.linalg.norm(raw, axis=1, keepdims=True), np.float32)


def embedder(server: ModelServer, **options: Any) -> OpenAICompatibleEmbedder:
    return OpenAICompatibleEmbedder("m", endpoint(server.url()), **options)


def test_texts_are_sent_as_text_and_come_back_in_order() -> None:
    with ModelServer(embeds) as server:
        model = embedder(server)
        passages, question = model.embed_passages(["年假十天", "leave", "？"]), model.embed_query("年假")
    assert server.bodies[0] == {"model": "m", "encoding_format": "float", "input": ["年假十天", "leave", "？"]}
    assert passages == pytest.approx(expected("年假十天", "leave", "？"))
    assert question == pytest.approx(expected("年假")[0])
    assert (passages.dtype, question.dtype, question.shape) == (np.float32, np.float32, (3,))
    assert (model.model_id, model.dimension) == ("m", 3)


@pytest.mark.parametrize(
    ("most_texts", "taken", "largest"), [(10, 10, 10), (64, 10, 10), (64, 1, 1), (64, 1000, 37), (1, 1000, 1)]
)
def test_many_texts_are_sent_in_batches(most_texts: int, taken: int, largest: int) -> None:
    def answer(body: Any) -> Any:
        if len(body["input"]) > taken:
            return Raw(400, {"error": {"message": f"at most {taken} inputs per request"}})
        return embeds(body)

    texts = [chr(0x4E00 + place) * (place + 1) for place in range(37)]
    with ModelServer(answer) as server:
        model = embedder(server, most_texts=most_texts)
        assert model.embed_passages(texts) == pytest.approx(expected(*texts))
        accepted = [body["input"] for body in server.bodies if len(body["input"]) <= taken]
        assert sorted(text for batch in accepted for text in batch) == sorted(texts)
        assert max(map(len, accepted)) == largest
        server.bodies.clear()
        model.embed_passages(texts)
    # What the server refused once is not tried again.
    assert max(len(body["input"]) for body in server.bodies) <= taken


def within(limit: int, message: str) -> Answer:
    """Refuse a request with any input longer than the limit."""

    def answer(body: Any) -> Any:
        if max(map(len, body["input"])) > limit:
            return Raw(400, {"error": {"message": message}})
        return embeds(body)

    return answer


@pytest.mark.parametrize("prefix", ["", "passage: "])
def test_a_text_that_is_too_long_is_the_average_of_its_windows(prefix: str, caplog: pytest.LogCaptureFixture) -> None:
    text = "制" * 300 + "津" * 300
    with ModelServer(within(512, "the input length exceeds the context length")) as server:
        model = embedder(server, prefixes=Prefixes(passage=prefix))
        with caplog.at_level(logging.WARNING):
            found = model.embed_passages(["甲", text, "乙"])
        sent = server.bodies[-1]["input"]
        assert [piece.removeprefix(prefix)[0] for piece in sent if len(piece) > 20] == ["制", "津"]
        assert "".join(piece.removeprefix(prefix) for piece in sent) == f"甲{text}乙"
        refused = len(server.bodies)
        model.embed_passages([text])
        assert len(server.bodies) == refused + 1
    mean = expected(prefix + "制" * 300)[0] * 300 + expected(prefix + "津" * 300)[0] * 300
    if not prefix:
        assert found[1] == pytest.approx(mean / np.linalg.norm(mean))
        assert found[[0, 2]] == pytest.approx(expected("甲", "乙"))
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(3))
    assert len(caplog.records) == 1
    assert "exceeds the context length); longer texts are embedded in windows of about" in caplog.text


@pytest.mark.parametrize(
    "answer",
    [
        within(0, "the input length exceeds the context length"),
        within(0, "parameter encoding_format is unknown"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "前" * 200])
def test_a_refusal_that_stays_is_said(answer: Answer, prefix: str) -> None:
    with ModelServer(answer) as server, pytest.raises(FolioError, match=r"^the model 'm' at .+ refused the request \("):
        embedder(server, prefixes=Prefixes(prefix, prefix)).embed_passages(["年假。" * 400, "乙"])
    assert len(server.bodies) < 30


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"object": "list", "data": []}, "returned 0 vectors for 2 texts"),
        (rows(["甲", "乙", "丙"]), "returned 3 vectors for 2 texts"),
        (
            {"data": [{"index": 0, "embedding": [1]}] * 2},
            r"sent no list of vectors \(its texts are numbered \[0, 0\]\)",
        ),
        ({"vectors": []}, r"sent no list of vectors \('data'\); check FOLIO_X_URL"),
        ({"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}, "m returned vectors of different lengths"),
        ({"data": [{"embedding": "AAAA"}, {"embedding": "AAAA"}]}, "or of something else than numbers"),
        ({"data": [{"embedding": [0, 0]}, {"embedding": [1, 0]}]}, "m returned a vector of zeros"),
        ({"error": {"code": "1113", "message": "账户余额不足"}}, "sent no usable answer"),
        (Raw(404, {"error": {"message": "model ep-000 does not exist"}}), "check FOLIO_X_MODEL, and FOLIO_X_URL"),
    ],
)
def test_what_cannot_be_searched_with_is_refused(answer: Any, message: str) -> None:
    with ModelServer(one_after_another(answer)) as server, pytest.raises(FolioError, match=message) as refused:
        embedder(server).embed_passages(["甲", "乙"])
    assert "\n" not in str(refused.value)


def test_another_dimension_than_before_is_refused() -> None:
    wider = {"data": [{"embedding": [1, 2, 3, 4]}]}
    with ModelServer(one_after_another(rows(["甲"]), wider)) as server:
        model = embedder(server)
        model.embed_query("甲")
        with pytest.raises(FolioError, match="m returned 4 dimensions after 3 before"):
            model.embed_query("乙")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://a/v1//", "http://a/v1/embeddings"),
        ("http://a/v1/embeddings/", "http://a/v1/embeddings"),
        ("http://a/v1?api-version=2", "http://a/v1/embeddings?api-version=2"),
    ],
)
def test_the_path_is_added_where_it_lacks(address: str, expected: str) -> None:
    assert with_path(urlsplit(address)) == expected
