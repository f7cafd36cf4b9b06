"""What the trace of an answer says beyond it: the question as it was searched, the nearest passage, where time went."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STAGES = ("rewrite", "search", "model", "ask")
"""`model` is all its replies, also those inside the rewriting tool; `ask` is everything."""
_STAGE_OF = {"query_rewrite": "rewrite", "knowledge_search": "search"}


@dataclass(frozen=True, slots=True)
class AnswerTrace:
    """What is scored of a trace."""

    searched: str = ""
    """First query that was searched; empty when there was none."""
    similarity: float | None = None
    """Highest vector score of any hit."""
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    """Stage → time, all its calls together."""


def read_answer_trace(record: Mapping[str, Any]) -> AnswerTrace:
    """Read a trace as the agent writes it."""
    seconds: dict[str, float] = defaultdict(float)
    hits: list[Mapping[str, Any]] = []
    for event in record["events"]:
        if event["event"] == "observation":
            hits += event["hits"]
            if event["tool"] in _STAGE_OF:
                seconds[_STAGE_OF[event["tool"]]] += event["seconds"]
    for call in record["llm_calls"]:
        seconds["model"] += call["seconds"]
    scores = [hit["legs"]["vector"]["score"] for hit in hits if "vector" in hit["legs"]]
    return AnswerTrace(
        searched=str(hits[0]["query"]) if hits else "",
        similarity=max(scores, default=None),
        milliseconds={stage: some * 1000 for stage, some in seconds.items()},
    )
