"""The assistant as a LangChain runnable: from a question to its cited answer, whole or while it is written."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import Any, cast

from langchain_core.runnables import Runnable, RunnableConfig

from agent.answer import CitedAnswer


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

    async def astream(
        self, input: str | Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AnswerPiece | CitedAnswer]:
        """Do as `stream` does, and leave the event loop to others meanwhile."""
        pieces = self.stream(input, config, **kwargs)
        try:
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                yield piece
        finally:
            await asyncio.to_thread(pieces.close)  # type: ignore[attr-defined]

    def _asked(self, input: str | Mapping[str, Any], **kwargs: Any) -> CitedAnswer:
        given = {"question": input} if isinstance(input, str) else dict(input)
        return self._ask(given.pop("question"), **given, **kwargs)


class _NobodyListens(Exception):
    """Ends a question whose stream was left."""
