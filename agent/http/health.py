"""Whether all is well."""

import logging
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, Literal, TypeVar

import sqlalchemy as sa
from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from agent.http.door import AtDoor, identified
from agent.http.keys import Caller
from agent.http.problems import Refused, problems
from preprocessing.errors import FolioError
from retrieval.documents.database import DatabaseAway
from retrieval.knowledge_base import KnowledgeBase

logger = logging.getLogger(__name__)

T = TypeVar("T")

_LOOKS = 3
"""Times that the legs are counted: another process may change them between two counts."""

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

    status: Literal["ok", "degraded"]
    version: str
    model: str | None = Field(None, description="The model that answers; `offline` is the built-in one.")
    counts: Counts | None = None
    legs: dict[Literal["vector", "keyword", "rerank"], Leg]


@router.get("/health", response_model_exclude_none=True, responses={**problems()})
def health(at: AtDoor, caller: Annotated[Caller | None, Depends(identified)]) -> Health:
    """Say whether the server can answer. Needs no key, and says more with one.

    When it cannot, `down` of the problem details names what is away: `database`, `store` or both.
    """
    knowledge_base = at.assistant.knowledge_base
    engine = knowledge_base.engine
    asking = _Asking()
    for part in (knowledge_base.is_empty, at.assistant.sessions.check, at.owners.check):
        asking.ask(part)
    in_step = asking.ask(lambda: _in_step(knowledge_base))
    # Counting what a caller may see takes longer than a probe every few seconds should.
    seen = (asking.ask(lambda: knowledge_base.health(caller.listed_for)) if caller else None) or {}
    if asking.down or in_step is None:
        raise asking.refusal(in_full=caller is not None)
    problem = getattr(engine.reranker, "problem", None)
    legs: dict[Any, Leg] = {
        "vector": Leg(ok=in_step, chunks=seen.get("chunks"), model=seen.get("embed_model")),
        "keyword": Leg(ok=in_step, chunks=seen.get("keyword_chunks")),
        "rerank": Leg(ok=problem is None, model=seen.get("rerank_model"), problem=problem if seen else None),
    }
    return Health(
        status="ok" if all(leg.ok for leg in legs.values()) else "degraded",
        version=version("folio"),
        model=at.assistant.settings.chat_model_name if caller else None,
        counts=Counts(documents=seen["documents"], chunks=seen["chunks"], uploads_waiting=at.uploads.waiting)
        if seen
        else None,
        legs=legs,
    )


def _in_step(base: KnowledgeBase) -> bool:
    """Say whether the legs hold the same chunks, or are about to."""
    return any(
        base.engine.store.count() == base.engine.store.count_keyword() or base.is_changing for _ in range(_LOOKS)
    )


class _Asking:
    """Asks each part, and keeps what those say that cannot answer."""

    def __init__(self) -> None:
        self.down: dict[Literal["database", "store"], str] = {}

    def ask(self, question: Callable[[], T]) -> T | None:
        """Return the answer, None from a part that is away."""
        try:
            return question()
        except (DatabaseAway, sa.exc.TimeoutError) as error:
            self._note("database", "the database cannot be used now", error)
        except FolioError as error:
            self._note("store", f"the store cannot be asked: {error}", error)
        return None

    def refusal(self, *, in_full: bool) -> Refused:
        """Return what is said then; why is for callers with a key."""
        said = [text if in_full else text.partition(":")[0] for text in self.down.values()]
        return Refused(503, "; ".join(said), down=list(self.down))

    def _note(self, part: Literal["database", "store"], text: str, error: Exception) -> None:
        if part not in self.down:
            logger.error("%s is down: %s", part, " ".join(str(error).split()))
            self.down[part] = text
