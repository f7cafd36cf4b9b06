"""Whether an embedder can tell texts of a language apart."""

import logging
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from retrieval.embed.base import Embedder, Vectors
from retrieval.text_language import TextLanguage

logger = logging.getLogger(__name__)

_SAME = 0.9999
"""Cosine from which an embedder says the same of two texts."""

_UNRELATED: Mapping[TextLanguage, tuple[str, ...]] = {
    "zh": ("年假一共有多少天？", "服务器的日志放在哪个目录？", "发票丢失以后怎么报销？"),
    "en": ("How many days of leave are there?", "In which folder is the log of the server?", "Who repairs the lift?"),
}


def fault_of(embedder: Embedder, language: TextLanguage) -> str:
    """Return what is wrong with the vectors of texts that have nothing in common; empty when nothing is."""
    texts = _UNRELATED[language]
    try:
        passages = np.asarray(embedder.embed_passages(texts))
        questions = np.stack([embedder.embed_query(text) for text in texts])
        return _fault(passages) or _fault(questions)
    except Exception as error:
        logger.debug("the embedder failed", exc_info=True)
        return f"fails: {' '.join(str(error).split())}"


def _fault(vectors: Vectors) -> str:
    if not np.isfinite(vectors).all():
        return "gives vectors with NaN or infinity"
    lengths = np.linalg.norm(vectors, axis=1)
    if not lengths.all():
        return "gives vectors of zeros"
    unit = vectors / lengths[:, None]
    if any(float(unit[one] @ unit[other]) > _SAME for one, other in combinations(range(len(unit)), 2)):
        return "gives the same vector to different texts"
    return ""
