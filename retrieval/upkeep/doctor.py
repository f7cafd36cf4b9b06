"""The health of each leg: passages of every language and type must be found by their own words and by their meaning."""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from preprocessing.document import Chunk
from preprocessing.errors import FolioError
from preprocessing.visibility import KEY
from retrieval.documents.catalogue import Catalogue
from retrieval.embed.embedder import Embedder, Vectors
from retrieval.filters import Filter, values_of
from retrieval.hit import Hit
from retrieval.rerank.rerank import OrFusedOrder
from retrieval.search import Engine
from retrieval.text.writing import Language, language_of, runs_of

logger = logging.getLogger(__name__)

Kind = tuple[Language, str]
"""Language of the text, and `doc_type`."""
Part = Literal["store", "vector", "keyword", "rerank"]
Finds = Callable[[Engine, Chunk, Filter], bool]
"""Says whether a leg finds a passage that stands in the store."""

SAMPLES = 5
"""Passages of each language and type."""
WITHIN = 10
"""Rank down to which a passage must be found."""
_SAME = 0.9999
"""Cosine from which an embedder says the same of two texts."""

_UNRELATED: Mapping[Language, tuple[str, ...]] = {
    "zh": ("年假一共有多少天？", "服务器的日志放在哪个目录？", "发票丢失以后怎么报销？"),
    "en": ("How many days of leave are there?", "In which folder is the log of the server?", "Who repairs the lift?"),
}


@dataclass(frozen=True, slots=True)
class Probe:
    """How many passages of one kind a leg was asked for, and found."""

    leg: Part
    language: Language
    doc_type: str
    asked: int
    found: int


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a leg; language and type where it is with these alone."""

    leg: Part
    text: str
    language: Language | None = None
    doc_type: str | None = None


@dataclass(slots=True)
class Examination:
    """What was found out."""

    documents: int = 0
    chunks: dict[str, int] = field(default_factory=dict)
    """Chunks by the count of the catalogue, the store and the keyword leg."""
    probes: list[Probe] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def examine(engine: Engine, catalogue: Catalogue) -> Examination:
    """Ask every leg for passages that it must find, and compare what the parts say that they hold."""
    done, held, hidden = Examination(), Counter[str](), catalogue.hidden_revisions()

    def counted() -> Iterator[Chunk]:
        for chunk in engine.store.scan():
            held[chunk.revision] += 1
            if chunk.revision not in hidden:
                yield chunk

    samples = sample_by_kind(counted(), SAMPLES)
    _compare_counts(engine, catalogue, held, done)
    blind = {language for language in get_args(Language) if _is_blind(engine, language, samples, done)}
    legs: dict[Part, Finds] = {"keyword": _finds_by_keyword, "vector": _finds_by_vector}
    if engine.reranker is not None:
        legs["rerank"] = _reranks
    for kind, of_kind in samples.items():
        for leg, finds in legs.items():
            is_blind = leg == "vector" and kind[0] in blind
            _probe(leg, kind, of_kind, hidden, _finds_nothing if is_blind else finds, engine, done)
    return done


def _compare_counts(engine: Engine, catalogue: Catalogue, held: Mapping[str, int], done: Examination) -> None:
    """Compare what the catalogue knows of with what the legs hold, in all and document by document."""
    documents = catalogue.documents()
    records = [record for record in documents if not record.same_as]
    expected = sum(record.chunks for record in records)
    done.documents = len(documents)
    done.chunks = {"catalogue": expected, "store": engine.store.count(), "keyword": engine.store.count_keyword()}
    for record in records:
        if held[record.revision] != record.chunks:
            told = f"{record.source} has {record.chunks} chunks, of which the store holds {held[record.revision]}"
            done.problems.append(Problem("store", f"{told}; ingest it again"))
    # On a shared server another process may be writing a revision, or removing one.
    known = {*(record.revision for record in records), *catalogue.leftovers()}
    if strange := sum(count for revision, count in held.items() if revision not in known):
        done.problems.append(Problem("store", f"it holds {strange} chunks that belong to no document"))
    if (by_keyword := done.chunks["keyword"]) != done.chunks["store"]:
        told = f"it holds {by_keyword} chunks and the store {done.chunks['store']}"
        done.problems.append(Problem("keyword", f"{told}; run folio reindex"))


def _probe(
    leg: Part,
    kind: Kind,
    samples: Sequence[Chunk],
    hidden: frozenset[str],
    finds: Finds,
    engine: Engine,
    done: Examination,
) -> None:
    found = 0
    try:
        for sample in samples:
            where = Filter(viewer=frozenset(values_of(sample, KEY)), exclude_revisions=hidden)
            found += finds(engine, sample, where)
    except Exception as error:
        # A leg that raises is dead; the other ones are still to be looked at.
        logger.debug("the %s leg failed", leg, exc_info=True)
        done.problems.append(Problem(leg, f"it fails: {' '.join(str(error).split())}", *kind))
    else:
        # One passage in two may be unlucky, among many that are nearly the same.
        if 2 * found < len(samples):
            done.problems.append(Problem(leg, f"it finds {found} of {len(samples)} passages by their own text", *kind))
    done.probes.append(Probe(leg, *kind, asked=len(samples), found=found))


def _words(sample: Chunk) -> str:
    """Return the words of the passage's language alone: one number could find it where the language cannot."""
    return " ".join(runs_of(sample.text, language_of(sample.text)))


def _finds_by_keyword(engine: Engine, sample: Chunk, where: Filter) -> bool:
    found = [chunk_id for chunk_id, _ in engine.store.search_keyword(_words(sample), WITHIN, where)]
    return any(chunk.text == sample.text for chunk in engine.store.get(found))


def _finds_nothing(_engine: Engine, _sample: Chunk, _where: Filter) -> bool:
    return False


def _finds_by_vector(engine: Engine, sample: Chunk, where: Filter) -> bool:
    hits = engine.store.search(engine.embedder.embed_query(sample.search_text), WITHIN, where)
    texts = {hit.chunk.search_text for hit in hits}
    if len(texts) > 1 and hits[0].score - hits[-1].score < 1e-6:
        return False  # where all passages are equally near, being among them is chance
    return sample.search_text in texts


def _reranks(engine: Engine, sample: Chunk, _where: Filter) -> bool:
    assert engine.reranker is not None
    (hit,) = engine.reranker.rerank(_words(sample), [Hit(sample, 0.0)])
    if "rerank" not in hit.legs and isinstance(engine.reranker, OrFusedOrder) and engine.reranker.problem:
        raise FolioError(engine.reranker.problem)
    return "rerank" in hit.legs


def _is_blind(engine: Engine, language: Language, samples: dict[Kind, list[Chunk]], done: Examination) -> bool:
    """Say whether the embedder cannot tell texts of the language apart."""
    if not any(kind[0] == language for kind in samples):
        return False
    if fault := fault_of(engine.embedder, language):
        done.problems.append(Problem("vector", f"the embedder {engine.embedder.model_id} {fault}", language))
    return bool(fault)


def fault_of(embedder: Embedder, language: Language) -> str:
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


def sample_by_kind(chunks: Iterable[Chunk], size: int) -> dict[Kind, list[Chunk]]:
    """Return up to `size` passages of each language and type of document; the same ones each time."""
    kept: dict[Kind, list[tuple[bytes, Chunk]]] = {}
    for chunk in chunks:
        language = language_of(chunk.text)
        if not runs_of(chunk.text, language):
            continue
        of_kind = kept.setdefault((language, chunk.doc_type), [])
        of_kind.append((hashlib.blake2b(chunk.chunk_id.encode(), digest_size=8).digest(), chunk))
        if len(of_kind) > 20 * size:
            of_kind[:] = _smallest(of_kind, size)
    return {kind: [chunk for _, chunk in _smallest(of_kind, size)] for kind, of_kind in sorted(kept.items())}


def _smallest(of_kind: list[tuple[bytes, Chunk]], size: int) -> list[tuple[bytes, Chunk]]:
    return sorted(of_kind, key=lambda one: one[0])[:size]
