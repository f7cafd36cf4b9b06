"""Whether all is well."""

from importlib.metadata import version
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from agent.http.caller import Caller, identified
from agent.http.door import AtDoor
from agent.http.openapi import problems
from agent.http.problems import Refused
from preprocessing.errors import FolioError

router = APIRouter(tags=["server"])


class Leg(BaseModel):
    """One leg of the search."""

    ok: bool
    chunks: int | None = None
    model: str | None = None
    problem: str | None = None


class Counts(BaseModel):
    """What the caller may see."""

    documents: int
    chunks: int
    uploads_waiting: int


class Health(BaseModel):
    """Whether every leg is alive; counts and models are for callers with a key."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "status": "ok",
                    "version": "0.1.0",
                    "model": "offline",
                    "counts": {"documents": 12, "chunks": 130, "uploads_waiting": 0},
                    "legs": {
                        "vector": {"ok": True, "chunks": 130, "model": "multilingual-e5-small"},
                        "keyword": {"ok": True, "chunks": 130},
                        "rerank": {"ok": True, "model": "token"},
                    },
                }
            ]
        }
    )

    status: Literal["ok", "degraded"]
    version: str
    model: str | None = Field(None, description="The model that answers; `offline` is the built-in one.")
    counts: Counts | None = None
    legs: dict[Literal["vector", "keyword", "rerank"], Leg]


@router.get("/health", response_model_exclude_none=True, responses={**problems(503)})
def health(at: AtDoor, caller: Annotated[Caller | None, Depends(identified)]) -> Health:
    """Say whether the server can answer. Needs no key, and says more with one."""
    knowledge_base = at.assistant.knowledge_base
    engine = knowledge_base.engine
    try:
        vectors, words = engine.store.count(), len(engine.keyword)
        # Counting what a caller may see takes longer than a probe every few seconds should.
        seen = knowledge_base.health(caller.listed_for) if caller else {}
    except FolioError as error:
        raise Refused(503, f"the store cannot be asked: {error}" if caller else "the store cannot be asked") from error
    problem = getattr(engine.reranker, "problem", None)
    legs: dict[Any, Leg] = {
        "vector": Leg(ok=vectors == words),
        "keyword": Leg(ok=vectors == words),
        "rerank": Leg(ok=problem is None),
    }
    if caller:
        legs["vector"] = Leg(ok=vectors == words, chunks=seen["chunks"], model=seen["embed_model"])
        legs["keyword"] = Leg(ok=vectors == words, chunks=seen["keyword_chunks"])
        legs["rerank"] = Leg(ok=problem is None, model=seen["rerank_model"], problem=problem)
    return Health(
        status="ok" if all(leg.ok for leg in legs.values()) else "degraded",
        version=version("folio"),
        model=at.assistant.settings.chat_model_name if caller else None,
        counts=Counts(documents=seen["documents"], chunks=seen["chunks"], uploads_waiting=at.uploads.waiting)
        if caller
        else None,
        legs=legs,
    )
