"""A local model is asked in its own way, reads texts whole, and says what is wrong with the setting."""

from pathlib import Path

import numpy as np
import pytest

from retrieval.embed.sentence_transformers import SentenceTransformersEmbedder
from retrieval.models.local import ModelError
from tests.retrieval.tiny_models import LIMIT, save_model

pytestmark = pytest.mark.models
TEXTS = ["年假满一年十天。", "津贴三百元。"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers")
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def plain(folder: Path) -> str:
    return save_model(folder / "plain", "BertModel")


@pytest.fixture(scope="module")
def e5(folder: Path) -> str:
    return save_model(folder / "multilingual-e5-tiny", "BertModel")


@pytest.fixture(scope="module")
def prompted(folder: Path, e5: str) -> str:
    from sentence_transformers import SentenceTransformer

    path = folder / "my-e5-prompted"
    SentenceTransformer(e5, prompts={"query": "多少:", "document": "说明:"}).save(str(path))
    return str(path)


def _mean_of_tokens(name: str, *texts: str) -> np.ndarray:
    """Return unit vectors by transformers alone: the mean of the last layer."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name)
    with torch.no_grad():
        rows = [model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0).numpy() for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows])


@pytest.mark.parametrize(
    ("model", "asked", "query", "passage", "marks"),
    [
        ("plain", (None, None), "", "", ""),
        ("e5", (None, None), "query: ", "passage: ", ""),
        ("prompted", (None, None), "多少:", "说明:", ""),
        ("plain", ("多少:", None), "多少:", "", " (query prefix '多少:')"),
        ("e5", (None, "说明:"), "query: ", "说明:", " (passage prefix '说明:')"),
        ("prompted", (" ", "passage: "), "", "passage: ", " (query prefix ' ', passage prefix 'passage: ')"),
    ],
)
def test_prompts(
    request: pytest.FixtureRequest,
    model: str,
    asked: tuple[str | None, str | None],
    query: str,
    passage: str,
    marks: str,
) -> None:
    name = request.getfixturevalue(model)
    embedder = SentenceTransformersEmbedder(name, *asked)
    passages, question = embedder.embed_passages(TEXTS), embedder.embed_query("年假多少天")
    assert (passages.shape, passages.dtype, embedder.dimension) == ((2, 16), np.float32, 16)
    assert passages == pytest.approx(_mean_of_tokens(name, *(passage + text for text in TEXTS)), abs=1e-5)
    assert question == pytest.approx(_mean_of_tokens(name, query + "年假多少天")[0], abs=1e-5)
    assert embedder.model_id == name + marks


def test_a_long_text_is_the_average_of_its_windows(plain: str) -> None:
    # 64 tokens, less 2 about a text and 2 to spare, leave 60 characters a window: 67 need two, which are made equal.
    text = "背景说明。" * 12 + "津贴是三百元。"
    assert len(text) > LIMIT
    first, second = _mean_of_tokens(plain, text[:34], text[34:])
    average = first * 34 + second * 33
    found = SentenceTransformersEmbedder(plain).embed_passages([text, TEXTS[0]])
    assert found[0] == pytest.approx(average / np.linalg.norm(average), abs=1e-5)
    assert found[1] == pytest.approx(_mean_of_tokens(plain, TEXTS[0])[0], abs=1e-5)


def test_a_reranker_is_refused(folder: Path) -> None:
    name = save_model(folder / "reranker", "BertForSequenceClassification", num_labels=1)
    with pytest.raises(ModelError) as refused:
        SentenceTransformersEmbedder(name).embed_query("年假")
    assert str(refused.value) == (
        f"FOLIO_EMBED_MODEL={name} is a reranker, not an embedding model: it belongs in FOLIO_RERANK_MODEL"
    )
