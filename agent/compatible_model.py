"""A chat model behind any OpenAI-compatible address."""

from collections.abc import Iterator
from typing import Any

from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SkipValidation

from agent.chat_model import model_errors
from agent.settings import Settings


class CompatibleChatModel(ChatOpenAI):
    """ChatOpenAI whose every failure is a ModelError, whichever step of the agent called it."""

    settings: SkipValidation[Settings]

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with model_errors(self.settings):
            return super()._generate(*args, **kwargs)

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        with model_errors(self.settings):
            anything = False
            for chunk in super()._stream(*args, **kwargs):
                anything = True
                yield chunk
            if not anything:
                raise ValueError("an empty stream")
