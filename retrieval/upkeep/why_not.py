"""Why a document is not among the hits for a question: the stage at which it was lost, and by how much."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from preprocessing.document import Chunk
from preprocessing.visibility import groups_of
from retrieval.documents.catalogue import Catalogue, UnknownDocument
from retrieval.documents.other_documents import names_a_version, with_originals
from retrieval.documents.schema import DocumentRecord
from retrieval.documents.versions import Versions
from retrieval.filters import OPERATORS, Filter, Filters, values_of
from retrieval.hit import Hit, Leg
from retrieval.search import Engine, Gathered, check, gather

Stage = Literal[
    "found", "duplicate", "not_ingested", "failed", "not_visible", "version", "filter", "recall", "fusion", "rerank"
]

DEEPEST = 10_000
"""Rank down to which a document is looked for in a leg."""


@dataclass(frozen=True, slots=True)
class Placing:
    """Where the best passage of the document stands in one stage, and the last one that went on from there."""

    rank: int | None
    """From 1; None when it is not there, or below DEEPEST."""
    score: float | None
    """On the scale of the stage; None when the document shares no word with the question."""
    last_rank: int
    last_score: float | None
    """None when nothing was found at all."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the document."""

    stage: Stage
    name: str
    """As it was asked for."""
    record: DocumentRecord | None = None
    """None for one that is not there, or that the viewer must not know of."""
    rank: int | None = None
    """Place among the hits, of the document or of what says the same."""
    placings: dict[Leg, Placing] = field(default_factory=dict)
    by: str | None = None
    """Source of the document that has its place: the version in force, or the one that says the same."""
    condition: str | None = None
    """The filter that leaves it out; None when each alone would not."""
    values: tuple[str, ...] = ()
    """What it has under that filter; or the groups that may see it."""
    error: str | None = None
    """Why the last try to bring it in failed; an earlier revision may be in."""


def why_not(
    question: str,
    name: str,
    catalogue: Catalogue,
    engine: Engine,
    *,
    k: int,
    filters: Filters,
    viewer: Sequence[str] | None,
    as_of: date | None,
) -> Verdict:
    """Say at which stage of a hybrid search the document of that id or source was lost.

    A viewer learns of a document without the right to see it what they learn of one that is not there. None is the
    owner of the knowledge base, who is told, and whose search is that of somebody in no group.
    """
    check(question, k, "hybrid")
    error = catalogue.failure_of(name) if viewer is None else None
    try:
        record = catalogue.find(name)
    except UnknownDocument:
        return Verdict("failed" if error else "not_ingested", name, error=error)
    groups = frozenset(groups_of(viewer or ()))
    if record.visible_to and groups.isdisjoint(record.visible_to):
        if viewer is None:
            return Verdict("not_visible", name, record, values=record.visible_to, error=error)
        return Verdict("not_ingested", name)
    lost = Verdict(
        "recall", name, record, error=error or catalogue.failure_of(record.source) if viewer is None else None
    )
    holder = catalogue.current(record.same_as) or record if record.same_as else record
    by_name = as_of is None and names_a_version(filters)
    hidden = catalogue.hidden_revisions(as_of, superseded_too=by_name)
    if holder.revision in hidden:
        versions, day = Versions(catalogue.documents()), as_of or date.today()
        return replace(lost, stage="version", by=versions.superseded_by(record, day, strictly=as_of is not None))
    where = Filter.of(with_originals(filters, catalogue), groups, hidden)
    chunks, _ = engine.store.read_revision(holder.revision)
    if not any(map(where.allows, chunks)):
        condition, values = _left_out_by(filters, catalogue, groups, chunks)
        return replace(lost, stage="filter", condition=condition, values=values)
    return _lost_in_search(question, holder, lost, engine, where, k)


def _lost_in_search(
    question: str, holder: DocumentRecord, lost: Verdict, engine: Engine, where: Filter, k: int
) -> Verdict:
    gathered = gather(question, engine, where, k=k, mode="hybrid")
    ranked = list(gathered.distinct)
    if engine.reranker is not None:
        ranked = engine.reranker.rerank(question, ranked)
    lost = replace(lost, placings=_placings_of(holder.doc_id, question, engine, where, gathered))
    own = _first(ranked, lambda hit: hit.chunk.doc_id == holder.doc_id)
    same = _first(ranked, lambda hit: holder.source in hit.also_in)
    if own is not None and own < k:
        return replace(lost, stage="found", rank=own + 1)
    if same is not None and same < k:
        return replace(lost, stage="duplicate", rank=same + 1, by=ranked[same].chunk.source)
    shown = min((place for place in (own, same) if place is not None), default=None)
    if shown is not None:
        is_reranked = "rerank" in ranked[shown].legs
        leg: Leg = "rerank" if is_reranked else "fused"
        final = Placing(shown + 1, ranked[shown].score, k, ranked[k - 1].score)
        return replace(lost, stage="rerank" if is_reranked else "fusion", placings={**lost.placings, leg: final})
    fused = _first(gathered.fused, lambda hit: hit.chunk.doc_id == holder.doc_id)
    if fused is None:
        return lost
    last = gathered.distinct[-1]
    cut = Placing(fused + 1, gathered.fused[fused].score, last.legs["fused"].rank, last.legs["fused"].score)
    return replace(lost, stage="fusion", placings={**lost.placings, "fused": cut})


def _placings_of(doc_id: str, question: str, engine: Engine, where: Filter, gathered: Gathered) -> dict[Leg, Placing]:
    """Return the place of the best passage of the document in each leg."""
    vector = engine.embedder.embed_query(question)

    def by_vector(k: int, where: Filter) -> list[tuple[str, float]]:
        return [(hit.chunk.chunk_id, hit.score) for hit in engine.store.search(vector, k, where)]

    def by_keyword(k: int, where: Filter) -> list[tuple[str, float]]:
        return engine.store.search_keyword(question, k, where)

    own = replace(where, equals={**where.equals, "doc_id": (doc_id,)})
    return {
        "vector": _placing(by_vector, own, where, gathered.legs["vector"]),
        "keyword": _placing(by_keyword, own, where, gathered.legs["keyword"]),
    }


def _placing(
    ask: Callable[[int, Filter], list[tuple[str, float]]], own: Filter, where: Filter, made_it: Sequence[Hit]
) -> Placing:
    last = len(made_it), made_it[-1].score if made_it else None
    best = ask(1, own)
    if not best:
        return Placing(None, None, *last)
    depth = max(last[0], 1)
    while True:
        found = ask(depth, where)
        rank = next((rank for rank, (chunk_id, _) in enumerate(found, start=1) if chunk_id == best[0][0]), None)
        if rank is not None or len(found) < depth or depth >= DEEPEST:
            return Placing(rank, best[0][1], *last)
        depth = min(4 * depth, DEEPEST)


def _left_out_by(
    filters: Filters, catalogue: Catalogue, viewer: frozenset[str], chunks: Sequence[Chunk]
) -> tuple[str | None, tuple[str, ...]]:
    """Return the first condition that no chunk meets, as a person writes it, and what the chunks have under its key."""
    for name, values in filters.items():
        alone = Filter.of(with_originals({name: values}, catalogue), viewer)
        if not any(map(alone.allows, chunks)):
            operator = next((operator for operator in OPERATORS if name.endswith(operator)), "=")
            key = name.removesuffix(operator)
            return f"{key}{operator}{' | '.join(values)}", _values(chunks, key)
    return None, ()


def _values(chunks: Iterable[Chunk], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for chunk in chunks for value in values_of(chunk, key)))


def _first(hits: Sequence[Hit], is_it: Callable[[Hit], bool]) -> int | None:
    return next((place for place, hit in enumerate(hits) if is_it(hit)), None)
