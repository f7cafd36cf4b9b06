"""The forms of a request for vectors: OpenAI's, which nearly everybody speaks, and Ark's for its multimodal models."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlunsplit


@dataclass(frozen=True, slots=True)
class EmbeddingForm:
    """How texts are sent, and where their vectors are in the answer."""

    path: str
    body: Callable[[Sequence[str]], dict[str, Any]]
    vectors: Callable[[Any], Any]
    """Returns one vector a text, in the order of the texts; raises ValueError, LookupError or TypeError."""
    most_texts: int | None = None
    """Texts that one request can hold; None where the provider decides."""


def _in_order(answer: Any) -> list[Any]:
    rows = answer["data"]
    if all("index" not in row for row in rows):
        return [row["embedding"] for row in rows]
    by_index = {row["index"]: row["embedding"] for row in rows}
    if sorted(by_index) != list(range(len(rows))):
        raise ValueError(f"its texts are numbered {[row['index'] for row in rows][:10]}")
    return [by_index[place] for place in range(len(rows))]


OPENAI = EmbeddingForm("embeddings", lambda texts: {"input": list(texts)}, _in_order)
# https://www.volcengine.com/docs/82379/1409290: one vector for all that a request holds.
ARK_MULTIMODAL = EmbeddingForm(
    "embeddings/multimodal",
    lambda texts: {"input": [{"type": "text", "text": text} for text in texts]},
    lambda answer: [answer["data"]["embedding"]],
    most_texts=1,
)


def form_of(address: SplitResult, model: str) -> EmbeddingForm:
    """Return the form that the address or the name of the model says."""
    of_ark = (address.hostname or "").endswith((".volces.com", ".bytepluses.com"))
    multimodal = address.path.rstrip("/").endswith("/multimodal") or (of_ark and "embedding-vision" in model)
    return ARK_MULTIMODAL if multimodal else OPENAI


def with_path(address: SplitResult, form: EmbeddingForm) -> str:
    """Return the address to post to; it may hold the path already."""
    base = re.sub(r"(/embeddings(/multimodal)?)?/*$", "", address.path)
    return urlunsplit(address._replace(path=f"{base}/{form.path}"))
