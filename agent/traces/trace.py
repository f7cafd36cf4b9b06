"""What the agent did for one question: each thought, tool call, observation, score and time, as one JSON record."""

import re
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from agent.traces.observed import SecretValues
from prompts import approximate_tokens
from retrieval.hit import Hit
from retrieval.remote.address import EndpointBusy
from retrieval.search import SearchError

Event = dict[str, Any]
_CORRECTION = "_Exception"
"""Name under which LangChain sends a correction back to the model, as if a tool had been called."""
TOLD = (SearchError, EndpointBusy, TimeoutError, ConnectionError)
"""Failures of a search after which a question goes on."""
TOOL_CALLS = ("tool_calls", "invalid_tool_calls")
"""What a reply may hold beside its text, of a model with native tool calls."""
_KEPT = (
    *("trace_id", "session", "question", "viewer", "started_at", "run", "history"),
    *("events", "llm_calls", "failed_calls", "searches", "limit"),
)
_THOUGHT = re.compile(
    r"\s*(?:Thought|思考)\s*[:：]\s*(.*?)(?=\n\s*(?:Action|行动|Final Answer|最终答案)\b|\n\s*(?:行动|最终答案)|\Z)",
    re.DOTALL,
)


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
        hidden: SecretValues | None = None,
    ) -> None:
        self.trace_id = uuid4().hex
        self.session = session
        self.question = question
        self.viewer = viewer
        self.started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.events: list[Event] = []
        self.llm_calls: list[dict[str, Any]] = []
        self.failed_calls: list[dict[str, Any]] = []
        self.searches: list[dict[str, Any]] = []
        self.limit: dict[str, Any] | None = None
        self.run: dict[str, Any] = {}
        """With which settings the question was asked."""
        self.history: list[dict[str, Any]] = []
        """The turns before it."""
        self._hidden = hidden or SecretValues()
        self._listen = listen
        self._clock = time.perf_counter()
        self._running: dict[UUID, tuple[float, str]] = {}
        """When each call began, and its prompt or the name of its tool."""
        self._hits: list[dict[str, Any]] = []

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
        record = {"event": event, "at_seconds": self._since(self._clock), **self._hidden.mask(details)}
        self.events.append(record)
        if self._listen:
            self._listen(record)

    def record_search(self, query: str, look: Callable[[str], list[Hit]]) -> list[Hit]:
        """Search; ranks and scores are shown with the next observation."""
        try:
            hits = look(query)
        except Exception as error:
            failure = self._failure(error)
            self.searches.append({"query": query, "error": failure})
            if isinstance(error, TOLD) and failure["text"] != str(error):
                # The model is told of it, and must not see a secret either.
                raise SearchError(failure["text"]) from error
            raise
        self.searches.append({"query": query, "hits": len(hits)})
        self._hits += [
            {
                "query": query,
                "chunk_id": hit.chunk.chunk_id,
                "source": hit.chunk.source,
                "section": " > ".join(hit.chunk.section),
                "score": hit.score,
                "legs": {leg: asdict(place) for leg, place in hit.legs.items()},
            }
            for hit in hits
        ]
        return hits

    def record_limit(self, limit: str) -> None:
        """Note which limit was reached, and when."""
        self.limit = {"limit": limit, "after_calls": len(self.llm_calls)}

    def record(self, *, model: str, answer: dict[str, Any] | None, error: str | None) -> dict[str, Any]:
        """Return what is kept, without secrets; made whether the question was answered or not."""
        whole = {
            **{name: getattr(self, name) for name in _KEPT},
            "model": model,
            "seconds": self._since(self._clock),
            "usage": self.usage(),
            "answer": answer,
            "error": error if error is None else self._hidden.mask_error(error),
        }
        return dict(self._hidden.mask(whole))

    # Callbacks of LangChain

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Note the prompt and the time."""
        prompt = "\n\n".join(f"[{message.type}]\n{message.text}" for message in messages[0])
        self._running[run_id] = time.perf_counter(), prompt

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Note the reply with its tokens, counted approximately where the provider does not say."""
        generation = response.generations[0][0]
        message = getattr(generation, "message", None)
        usage = getattr(message, "usage_metadata", None)
        began, prompt = self._running.pop(run_id)
        calls = {name: called for name in TOOL_CALLS if (called := getattr(message, name, None))}
        self.llm_calls.append(
            {
                "prompt": prompt,
                "reply": generation.text,
                "seconds": self._since(began),
                "prompt_tokens": usage["input_tokens"] if usage else approximate_tokens(prompt),
                "completion_tokens": usage["output_tokens"] if usage else approximate_tokens(generation.text),
                **calls,
            }
        )

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Note a reply that did not come, and after how many that did."""
        self.failed_calls.append({"after_calls": len(self.llm_calls), **self._failure(error)})

    def on_agent_action(self, action: AgentAction, **kwargs: Any) -> None:
        """Note what the model decided."""
        self.add("action", thought=_thought(action.log), tool=action.tool, input=str(action.tool_input))

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any) -> None:
        """Note the time."""
        self._running[run_id] = time.perf_counter(), serialized["name"]
        self._hits = []

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what the tool brought."""
        began, tool = self._running.pop(run_id)
        self.add("observation", tool=tool, text=str(output), hits=self._hits, seconds=self._since(began))

    def on_agent_finish(self, finish: AgentFinish, **kwargs: Any) -> None:
        """Note why the model stopped."""
        self.add("finish", thought=_thought(finish.log))

    def _since(self, began: float) -> float:
        return round(time.perf_counter() - began, 4)

    def _failure(self, error: BaseException) -> dict[str, str]:
        return {"type": type(error).__name__, "text": self._hidden.mask_error(str(error))}


def _thought(log: str) -> str:
    thought = _THOUGHT.match(log)
    return thought[1].strip() if thought else ""
