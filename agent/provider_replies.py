"""Read the odd forms in which providers write a reply or a piece of one."""

import json
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

THOUGHT = "reasoning_content"
"""Under this name, what a model thought stands beside its reply; it is never part of the answer."""
_THOUGHT_FIELDS = (THOUGHT, "reasoning")


def readable_piece(piece: dict[str, Any]) -> dict[str, Any] | None:
    """Return a piece of a stream in the usual form; None where it says nothing at all.

    Its choices may be null, its delta null or called `message`, its role that of the person or missing, its content a
    list of parts.
    """
    choices = [choice for choice in piece.get("choices") or () if isinstance(choice, dict)]
    if not choices:
        return {**piece, "choices": []} if piece.get("usage") else None
    delta = choices[0].get("delta") or choices[0].get("message") or {}
    delta = {**delta, "role": "assistant", "content": text_of(delta.get("content"))}
    return {**piece, "choices": [{**choices[0], "delta": delta}]}


def text_of(content: Any) -> str:
    """Return the text of a content; some providers send a list of parts, thinking among them."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type", "text") == "text")
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def note_thought(message: BaseMessage, raw: dict[str, Any]) -> None:
    """Keep what a model thought beside its reply."""
    thought = next((raw[name] for name in _THOUGHT_FIELDS if isinstance(raw.get(name), str) and raw[name]), "")
    if thought:
        message.additional_kwargs[THOUGHT] = thought


def as_piece(result: ChatResult) -> ChatGenerationChunk:
    """Return a whole reply as the only piece of a stream."""
    generation = result.generations[0]
    message = generation.message
    assert isinstance(message, AIMessage)
    calls: list[Any] = [
        {
            "name": call["name"],
            "args": json.dumps(call["args"], ensure_ascii=False),
            "id": call["id"],
            "index": index,
            "type": "tool_call_chunk",
        }
        for index, call in enumerate(message.tool_calls)
    ]
    return ChatGenerationChunk(
        message=AIMessageChunk(
            content=text_of(message.content),
            additional_kwargs={THOUGHT: message.additional_kwargs.get(THOUGHT, "")},
            tool_call_chunks=calls,
            usage_metadata=message.usage_metadata,
        ),
        generation_info=generation.generation_info,
    )
