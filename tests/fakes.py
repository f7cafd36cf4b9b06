"""Predictable stand-ins for models: what they return can be worked out by hand."""

import os
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from preprocessing.document import Chunk
from retrieval.embed.embedder import Vectors
from retrieval.hit import Hit

CHARACTERS = 1024


class CharacterEmbedder:
    """Embeds by counting characters: texts that share characters are near, whatever their order.

    Dimension c of the vector counts the letters and digits whose code point is c modulo 1024, width and case folded.
    """

    model_id = "characters"
    dimension = CHARACTERS

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.stack([_count(text) for text in texts]) if texts else np.zeros((0, CHARACTERS), np.float32)

    def embed_query(self, text: str) -> Vectors:
        return _count(text)


def _count(text: str) -> Vectors:
    vector = np.zeros(CHARACTERS, np.float32)
    for character in unicodedata.normalize("NFKC", text).casefold():
        if character.isalnum():
            vector[ord(character) % CHARACTERS] += 1
    norm = np.linalg.norm(vector)
    return np.asarray(vector / norm if norm else np.eye(CHARACTERS)[0], np.float32)


class ScriptedChatModel(BaseChatModel):
    """Replies from a list, one a call, the last one for ever; keeps every prompt that it was sent."""

    replies: Sequence[str | Exception | Callable[[list[BaseMessage]], str]]
    prompts: list[list[BaseMessage]] = []  # noqa: RUF012  pydantic copies it for each instance
    stops: list[list[str] | None] = []  # noqa: RUF012

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self._next(messages, stop)))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._next(messages, stop)
        # Pieces of three characters, so that labels are split.
        for start in range(0, max(len(reply), 1), 3):
            yield ChatGenerationChunk(message=AIMessageChunk(reply[start : start + 3]))

    def _next(self, messages: list[BaseMessage], stop: list[str] | None) -> str:
        self.prompts.append(messages)
        self.stops.append(stop)
        reply = self.replies[min(len(self.prompts), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply(messages) if callable(reply) else reply


def make_chunk(text: str, chunk_id: str = "c1", **fields: Any) -> Chunk:
    """Return a chunk with plain values where none are given."""
    values: dict[str, Any] = {
        "doc_id": "d1",
        "revision": "r1",
        "index": 0,
        "section": (),
        "page": None,
        "source": "docs/a.md",
        "title": "",
        "doc_type": "md",
    }
    return Chunk(chunk_id=chunk_id, text=text, **(values | fields))


def make_hit(text: str, chunk_id: str = "c1", score: float = 1.0, **fields: Any) -> Hit:
    """Return a hit on such a chunk."""
    return Hit(make_chunk(text, chunk_id, **fields), score)


def copied(folder: Path, target: Path) -> Path:
    """Copy a folder with an index, whose files are mostly holes, without filling them."""
    return Path(shutil.copytree(folder, target, copy_function=_copied_with_holes, dirs_exist_ok=True))


def _copied_with_holes(source: str, target: str) -> None:
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
        end = os.fstat(old.fileno()).st_size
        new.truncate(end)
        place = 0
        while place < end:
            try:
                place = os.lseek(old.fileno(), place, os.SEEK_DATA)
            except OSError:
                break  # nothing but a hole is left
            hole = os.lseek(old.fileno(), place, os.SEEK_HOLE)
            os.pwrite(new.fileno(), os.pread(old.fileno(), hole - place, place), place)
            place = hole
    shutil.copymode(source, target)
