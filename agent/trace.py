"""What the agent did for one question: each thought, tool call, observation, score and time, as one JSON record."""

import json
import logging
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from agent.memory import approximate_tokens
from preprocessing.errors import FolioError
from retrieval.hit import Hit

logger = logging.getLogger(__name__)

Event = dict[str, Any]
_CORRECTION = "_Exception"
"""Name under which LangChain sends a correction back to the model, as if a tool had been called."""
_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_THOUGHT = re.compile(
    r"\s*(?:Thought|思考)\s*[:：]\s*(.*?)(?=\n\s*(?:Action|行动|Final Answer|最终答案)\b|\n\s*(?:行动|最终答案)|\Z)",
    re.DOTALL,
)


class UnknownTrace(FolioError):
    """There is no trace of that id."""


class Trace(BaseCallbackHandler):
    """Collects the events of one question while it is answered; `listen` is called with each as it happens."""

    raise_error = True  # a defect here must not pass unseen
    run_inline = True

    def __init__(
        self,
        question: str,
        session: str,
        listen: Callable[[Event], None] | None = None,
        viewer: tuple[str, ...] = (),
    ) -> None:
        self.trace_id = uuid4().hex
        self.events: list[Event] = []
        self.llm_calls: list[dict[str, Any]] = []
        self._question = question
        self._session = session
        self._listen = listen
        self._viewer = viewer
        self._started_at = datetime.now(UTC)
        self._clock = time.perf_counter()
        self._began: dict[UUID, float] = {}
        self._prompts: dict[UUID, str] = {}
        self._hits: list[dict[str, Any]] = []
        self._tools: dict[UUID, str] = {}

    def usage(self) -> dict[str, int]:
        """Return model calls, tool calls and tokens so far."""
        return {
            "llm_calls": len(self.llm_calls),
            "tool_calls": sum(
                event["event"] == "observation" and event["tool"] != _CORRECTION for event in self.events
            ),
            "prompt_tokens": sum(call["prompt_tokens"] for call in self.llm_calls),
            "completion_tokens": sum(call["completion_tokens"] for call in self.llm_calls),
        }

    def add(self, event: str, **details: Any) -> None:
        """Record an event and tell the listener."""
        record = {"event": event, "at_seconds": round(time.perf_counter() - self._clock, 4), **details}
        self.events.append(record)
        if self._listen:
            self._listen(record)

    def record_hits(self, query: str, hits: list[Hit]) -> None:
        """Keep ranks and scores of a search, to be shown with the next observation."""
        self._hits += [
            {
                "query": query,
                "chunk_id": hit.chunk.chunk_id,
                "source": hit.chunk.source,
                "section": " > ".join(hit.chunk.section),
                "score": hit.score,
                "legs": {leg: {"rank": place.rank, "score": place.score} for leg, place in hit.legs.items()},
            }
            for hit in hits
        ]

    def write(self, folder: Path, *, model: str, answer: dict[str, Any] | None, error: str | None) -> None:
        """Write the record as `<trace id>.json`; called whether the question was answered or not.

        A folder that cannot be written costs the trace, with a warning, and never the answer.
        """
        path = folder / f"{self.trace_id}.json"
        record = {
            "trace_id": self.trace_id,
            "session": self._session,
            "question": self._question,
            "viewer": list(self._viewer),
            "model": model,
            "started_at": self._started_at.isoformat(timespec="milliseconds"),
            "seconds": round(time.perf_counter() - self._clock, 4),
            "events": self.events,
            "llm_calls": self.llm_calls,
            "usage": self.usage(),
            "answer": answer,
            "error": error,
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Half a surrogate pair has no UTF-8 form; the escape is what JSON calls it.
            path.write_text(
                json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8", errors="backslashreplace"
            )
        except OSError as problem:
            logger.warning("the trace was not written: %s", problem)

    # Callbacks of LangChain

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Note the prompt and the time."""
        self._began[run_id] = time.perf_counter()
        self._prompts[run_id] = "\n\n".join(f"[{message.type}]\n{message.text}" for message in messages[0])

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Note the reply with its tokens, counted approximately where the provider does not say."""
        generation = response.generations[0][0]
        usage = generation.message.usage_metadata if isinstance(generation, ChatGeneration) else None  # type: ignore[attr-defined]
        prompt = self._prompts.pop(run_id, "")
        self.llm_calls.append(
            {
                "prompt": prompt,
                "reply": generation.text,
                "seconds": round(time.perf_counter() - self._began.pop(run_id), 4),
                "prompt_tokens": usage["input_tokens"] if usage else approximate_tokens(prompt),
                "completion_tokens": usage["output_tokens"] if usage else approximate_tokens(generation.text),
            }
        )

    def on_agent_action(self, action: AgentAction, **kwargs: Any) -> None:
        """Note what the model decided."""
        thought = _THOUGHT.match(action.log)
        self.add(
            "action", thought=thought[1].strip() if thought else "", tool=action.tool, input=str(action.tool_input)
        )

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any) -> None:
        """Note the time."""
        self._began[run_id] = time.perf_counter()
        self._tools[run_id] = serialized["name"]
        self._hits = []

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what the tool brought."""
        seconds = round(time.perf_counter() - self._began.pop(run_id), 4)
        self.add("observation", tool=self._tools.pop(run_id), text=str(output), hits=self._hits, seconds=seconds)

    def on_agent_finish(self, finish: AgentFinish, **kwargs: Any) -> None:
        """Note why the model stopped."""
        thought = _THOUGHT.match(finish.log)
        self.add("finish", thought=thought[1].strip() if thought else "")


def read_trace(folder: Path, trace_id: str) -> dict[str, Any]:
    """Read a trace; raise UnknownTrace when there is none of that id, or one cut short by a crash."""
    path = folder / f"{trace_id}.json"
    if not _TRACE_ID.fullmatch(trace_id) or not path.is_file():
        raise UnknownTrace(f"there is no trace {trace_id!r} in {folder}; `folio ask` prints the id of each answer")
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise UnknownTrace(f"the trace {path} is damaged; ask the question again for a new one") from None
    return record
