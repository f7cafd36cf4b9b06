"""The settings say which embedder it is, and which settings contradict each other."""

from typing import Any

import pytest

from preprocessing.errors import FolioError
from retrieval.embed import open_embedder
from retrieval.embed.embedder import Prefixes, usual_prefixes
from retrieval.settings import RetrievalSettings
from tests.retrieval.remote.model_server import ModelServer, Raw, one_after_another

ROW = {"data": [{"index": 0, "embedding": [3, 4]}]}


def settings(**values: Any) -> RetrievalSettings:
    return RetrievalSettings(_env_file=None, **values)


@pytest.mark.parametrize(
    ("values", "model_id"),
    [
        ({"embed_model": "intfloat/multilingual-e5-small"}, "intfloat/multilingual-e5-small"),
        ({"embed_model": "a/b", "embed_query_prefix": "Q: "}, "a/b (query prefix 'Q: ')"),
        ({"embed_model": "m", "embed_base_url": "http://a/v1"}, "m"),
        ({"embed_model": "m", "embed_base_url": "http://b/v1", "embed_api_key": "k", "embed_batch": 4}, "m"),
        (
            {"embed_model": "intfloat/multilingual-e5-small", "embed_base_url": "http://a/v1"},
            "intfloat/multilingual-e5-small (query prefix 'query: ', passage prefix 'passage: ')",
        ),
        (
            {"embed_model": "e5", "embed_base_url": "http://a/v1", "embed_query_prefix": " "},
            "e5 (passage prefix 'passage: ')",
        ),
        ({"embed_model": "m", "embed_base_url": "http://a/v1", "embed_dimensions": 512}, "m (512 dimensions)"),
    ],
)
def test_identity(values: dict[str, Any], model_id: str) -> None:
    assert open_embedder(settings(**values)).model_id == model_id


INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("models/E5-base-v2/", "query: ", "passage: "),
        ("e5:large", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"{INSTRUCT} ", ""),
        ("intfloat/e5-mistral-7b-instruct", f"{INSTRUCT} ", ""),
        ("Qwen/Qwen3-Embedding-0.6B", INSTRUCT, ""),
        *((other, "", "") for other in ("BAAI/bge-m3", "text-embedding-3-small", "me5-tuned", "e5/mine")),
    ],
)
def test_families_that_need_a_prefix_get_it(model: str, query: str, passage: str) -> None:
    assert usual_prefixes(model) == Prefixes(query, passage)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"embed_base_url": "http://a/v1"},
            "FOLIO_EMBED_BASE_URL is set but FOLIO_EMBED_MODEL is not; set it to an embedding model that server has",
        ),
        (
            {"embed_base_url": "a/v1", "embed_model": "m"},
            "FOLIO_EMBED_BASE_URL must be a whole address, such as http://localhost:8000/v1",
        ),
        (
            {"embed_base_url": "http://a/v1", "embed_model": "m", "embed_api_key": "密"},
            "FOLIO_EMBED_API_KEY must be the key alone, in plain letters, digits and signs",
        ),
        *(
            (
                {name: value, "embed_model": "m"},
                f"FOLIO_{name.upper()} is set but FOLIO_EMBED_BASE_URL is not; set it to the address of the embedding "
                "model, such as https://api.openai.com/v1",
            )
            for name, value in {
                "embed_api_key": "k",
                "embed_dimensions": 2,
                "embed_batch": 2,
                "embed_max_tokens": 64,
            }.items()
        ),
        (
            {"embed_passage_prefix": "passage: "},
            "the bundled embedding model has its own prefixes: leave out FOLIO_EMBED_QUERY_PREFIX and "
            "FOLIO_EMBED_PASSAGE_PREFIX, or set FOLIO_EMBED_MODEL to the model that they are for",
        ),
    ],
)
def test_settings_that_contradict_each_other(values: dict[str, Any], message: str) -> None:
    with pytest.raises(FolioError) as wrong:
        open_embedder(settings(**values))
    assert str(wrong.value) == message


@pytest.mark.parametrize("end", ["", "/", "/embeddings", " "])
def test_a_question_is_asked_once_at_the_address(end: str) -> None:
    with ModelServer(one_after_another(ROW)) as server:
        model = open_embedder(
            settings(embed_model=" m ", embed_base_url=f" {server.url('/v1')}{end}", embed_api_key=" k ", embed_batch=1)
        )
        for _ in range(3):
            assert model.embed_query("年假").tolist() == pytest.approx([0.6, 0.8])
    assert server.paths == ["/v1/embeddings"]
    assert server.headers[0]["Authorization"] == "Bearer k"
    assert server.bodies[0]["model"] == "m"


def test_an_address_without_its_version_says_what_was_tried() -> None:
    with ModelServer(one_after_another(Raw(404, {"detail": "Not Found"}))) as server:
        model = open_embedder(settings(embed_model="ep-000", embed_base_url=server.url(""), embed_api_key="k"))
        with pytest.raises(FolioError) as lost:
            _ = model.dimension
    assert str(lost.value) == (
        f"the embedding model 'ep-000' at {server.host} was not found (Not Found): check FOLIO_EMBED_MODEL, and "
        f"FOLIO_EMBED_BASE_URL, which often ends in /v1 (asked http://{server.host}/embeddings)"
    )
