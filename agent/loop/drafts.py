"""The answer while it is being written: drafts that nobody has checked yet, then the answer that was."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import Any, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langchain_core.runnables import Runnable, RunnableConfig

from agent.answer import CitedAnswer
from agent.ending import NOT_FOUND, is_not_found
from agent.react.parser import AnswerStream

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


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of an answer while it is written, which nobody has checked yet."""

    draft: int
    """A draft is void as soon as another begins."""
    text: str

    def __add__(self, following: "AnswerPiece | CitedAnswer") -> "AnswerPiece | CitedAnswer":
        """Return the draft so far, a later draft, or the answer."""
        if isinstance(following, AnswerPiece) and following.draft == self.draft:
            return AnswerPiece(self.draft, self.text + following.text)
        return following


class AskRunnable(Runnable[str | Mapping[str, Any], AnswerPiece | CitedAnswer]):
    """Asks a question, a text or a mapping of `question` and of what `Assistant.ask` takes by name.

    `invoke` returns the answer. `stream` yields its pieces as they are written, and last the answer; added up they
    are the answer.
    """

    def __init__(self, ask: Callable[..., CitedAnswer]) -> None:
        self._ask = ask

    def invoke(
        self, input: str | Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> CitedAnswer:
        """Return the answer; raises what asking raises."""
        return cast("CitedAnswer", self._call_with_config(self._asked, input, config, **kwargs))

    def stream(
        self, input: str | Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[AnswerPiece | CitedAnswer]:
        """Yield the pieces of the answer, then the answer; who stops early ends the question."""
        pieces: SimpleQueue[AnswerPiece | None] = SimpleQueue()
        left = Event()

        def tell(draft: int, text: str) -> None:
            if left.is_set():
                raise _NobodyListens
            pieces.put(AnswerPiece(draft, text))

        def ask() -> CitedAnswer:
            try:
                return self.invoke(input, config, on_draft=tell, **kwargs)
            finally:
                pieces.put(None)

        with ThreadPoolExecutor(1) as thread:
            answer = thread.submit(ask)
            try:
                yield from iter(pieces.get, None)
                yield answer.result()
            finally:
                left.set()

    def _asked(self, input: str | Mapping[str, Any], **kwargs: Any) -> CitedAnswer:
        given = {"question": input} if isinstance(input, str) else dict(input)
        return self._ask(given.pop("question"), **given, **kwargs)


class _NobodyListens(Exception):
    """Ends a question whose stream was left."""
