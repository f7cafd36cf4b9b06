"""The answer while it is being written: drafts that nobody has checked yet, then the answer that was."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from agent.ending import is_not_found
from agent.react.final_answer import AnswerStream
from agent.refusal import NOT_FOUND

OnDraft = Callable[[int, str], None]


class Drafts(BaseCallbackHandler):
    """Calls `tell` with the number of a draft, from 1, and the next piece of its text.

    Nothing is told before the first search: an answer without evidence is none. A draft is void as soon as another
    begins: a reply that fails the checks is written anew. The pieces of the last draft, joined, are the answer.
    """

    raise_error = True  # whoever listens may end the question by raising
    run_inline = True

    def __init__(self, tell: OnDraft | None) -> None:
        self._tell = tell
        self._number = 0
        self._text = ""
        self._held = ""
        self._begins = True
        self._has_searched = False
        self._writing: UUID | None = None
        self._streams: dict[UUID, AnswerStream] = {}
        self._heard: set[UUID] = set()

    def settle(self, answer: str) -> None:
        """Make the last draft be the answer."""
        if self._begins or self._text != answer:
            self._begins = True
            self._release(answer)

    def _feed(self, run_id: UUID, piece: str) -> None:
        if not piece or not self._has_searched:
            return
        if self._writing != run_id:
            self._writing, self._begins, self._held = run_id, True, ""
        self._held += piece
        # The agreed word for a refusal is no text for people.
        if not self._begins or not _may_refuse(self._held):
            self._release(self._held)

    def _release(self, text: str) -> None:
        if self._begins:
            self._number, self._begins, self._text = self._number + 1, False, ""
        self._held = ""
        self._text += text
        if self._tell:
            self._tell(self._number, text)

    # Callbacks of LangChain

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, **kwargs: Any) -> None:
        """Note that something was searched for."""
        self._has_searched |= serialized["name"] == "knowledge_search"

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Read another reply."""
        self._streams[run_id] = AnswerStream()

    def on_llm_new_token(self, token: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Pass on what the piece adds to an answer."""
        if isinstance(token, str):
            self._feed(run_id, self._streams[run_id].feed(token))
            self._heard.add(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Pass on the rest, or all of it from a model that does not write piece by piece."""
        stream = self._streams[run_id]
        if run_id not in self._heard:
            self._feed(run_id, stream.feed(response.generations[0][0].text))
        self._feed(run_id, stream.finish())


def _may_refuse(text: str) -> bool:
    bare = text.strip().strip("*`\"'“”").upper().replace(" ", "_")
    return NOT_FOUND.startswith(bare) or is_not_found(text)
