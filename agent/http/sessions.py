"""Conversations of the caller, and how each answer came about."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from agent.http.door import AtDoor, Reader
from agent.http.keys import Caller
from agent.http.problems import Refused, problems
from agent.traces.kept import UnknownTrace
from agent.view.bodies import SessionName

router = APIRouter(tags=["sessions"])

TITLED = 50
"""Sessions whose questions are looked up for a list."""


class SessionList(BaseModel):
    """Names of sessions, the latest used first."""

    sessions: list[str]
    titles: dict[str, str] = Field(description=f"The first question of each of the latest {TITLED}.")


class ShownTurn(BaseModel):
    """One question and its answer."""

    model_config = ConfigDict(from_attributes=True)

    question: str
    answer: str
    refused: bool
    citations: list[dict[str, Any]]
    trace_id: str


class Conversation(BaseModel):
    """The latest turns of a session, oldest first."""

    session: str
    turns: list[ShownTurn]


class ShownTrace(BaseModel):
    """Each thought, tool call, observation, score and time of one question."""

    model_config = ConfigDict(extra="allow")

    trace_id: str
    session: str
    question: str
    model: str
    started_at: str
    seconds: float
    events: list[dict[str, Any]]
    llm_calls: list[dict[str, Any]]
    usage: dict[str, int]
    answer: dict[str, Any] | None
    error: str | None


@router.get("/api/sessions", responses=problems())
def list_sessions(at: AtDoor, caller: Reader) -> SessionList:
    """List the sessions that the caller began."""
    names, store = at.owners.sessions_of(caller.id), at.assistant.sessions
    turns = {name: store.turns(name, caller.groups) for name in names[:TITLED]}
    return SessionList(sessions=names, titles={name: of[0].question for name, of in turns.items() if of})


@router.get("/api/sessions/{session}", responses=problems(404, 422))
def show_session(session: Annotated[SessionName, Path()], at: AtDoor, caller: Reader) -> Conversation:
    """Show the latest turns of a session."""
    turns = at.assistant.sessions.turns(session, caller.groups) if at.owners.owns(session, caller.id) else []
    if not turns:
        raise Refused(404, f"there is no session {session!r}")
    return Conversation(session=session, turns=[ShownTurn.model_validate(turn) for turn in turns])


@router.delete("/api/sessions/{session}", status_code=204, responses=problems(404, 422))
def delete_session(session: Annotated[SessionName, Path()], at: AtDoor, caller: Reader) -> None:
    """Forget a session with its questions and answers, and how they came about."""
    if not at.owners.owns(session, caller.id) or not at.assistant.sessions.turns(session):
        raise Refused(404, f"there is no session {session!r}")
    at.assistant.forget(session)


@router.get("/api/traces/{trace_id}", responses=problems(404, 422))
def show_trace(
    trace_id: Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", examples=["5f0c1f6f0f0b4a43a1b2c3d4e5f60718"])],
    at: AtDoor,
    caller: Reader,
) -> ShownTrace:
    """Show how an answer of the caller came about."""
    unknown = Refused(404, f"there is no trace {trace_id!r}")
    try:
        record = at.assistant.traces.read(trace_id)
    except UnknownTrace:
        raise unknown from None
    if not _is_for(record, at, caller):
        raise unknown
    return ShownTrace(**record)


def _is_for(record: dict[str, Any], at: AtDoor, caller: Caller) -> bool:
    # A trace holds passages; one that does not say on whose behalf they were found is shown to nobody.
    groups = record.get("viewer")
    return groups is not None and set(groups) <= set(caller.groups) and at.owners.owns(record["session"], caller.id)
