"""Passages without an answer."""

from fastapi import APIRouter, Depends

from agent.http.caller import Reader
from agent.http.door import AtDoor
from agent.http.media_types import takes_json
from agent.http.openapi import problems
from agent.http.replies import search_reply
from agent.http.shapes import SearchReply, SearchRequest
from retrieval.knowledge_base import NoDocuments

router = APIRouter(tags=["search"])


@router.post("/api/search", dependencies=[Depends(takes_json)], responses=problems(400, 413, 415, 422, 502))
def search(body: SearchRequest, at: AtDoor, caller: Reader) -> SearchReply:
    """Return the best passages that the caller may see, best first."""
    filters = body.checked_filters()
    try:
        hits = at.assistant.knowledge_base.search(
            body.query, body.top_k, body.mode, filters, caller.groups, body.rerank, body.as_of
        )
    except NoDocuments:
        hits = []
    return search_reply(body.query, hits)
