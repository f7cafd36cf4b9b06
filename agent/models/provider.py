"""What providers do otherwise than OpenAI: parts of a request that they refuse, and odd forms of a reply."""

import json
import re
from typing import Any

import openai
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from agent.models.failures import is_overflow

THOUGHT = "reasoning_content"
"""Under this name, what a model thought stands beside its reply; it is never part of the answer."""
_THOUGHT_FIELDS = (THOUGHT, "reasoning")

_OPTIONAL = {
    "stop": r"stop(?:_sequences?|[ _]words?)?",
    "stream_options": r"stream_options|include_usage",
    "temperature": r"temperature",
    "parallel_tool_calls": r"parallel_tool_calls",
    "tools": r"tools?|tool[ _]?(?:calls?|calling|choice|use)|function[ _]?calling",
    "system": r"system(?:[ _](?:role|message|prompt|instruction)s?)?|developer",
    "stream": r"stream(?:ing)?",
}
"""What may be left out, and how errors name it; `system` is the role, whose text then goes before the person's."""
_REFUSED = re.compile(
    r"support|requires?|unknown|unrecogni[sz]ed|unexpected|allow|permit|extra|invalid|must be|only|cannot|can't"
    r"|not implemented|不支持|未知|非法|无效|不允许|不能|仅",
    re.IGNORECASE,
)
_STATUSES = frozenset((400, 415, 422, 501))
_STATUSES_OF_TOOLS = _STATUSES | {404, 500}
"""Where no host of a model takes tools, OpenRouter finds none, and llama.cpp fails without its --jinja."""
_PARAMETERS = {"tool_choice": "tools", "functions": "tools", "function_call": "tools"}
"""Names under which an error speaks of the same part."""


def refused_part(error: openai.APIStatusError, left_out: frozenset[str], *, has_tools: bool) -> str | None:
    """Return the part of a request that the error is about, if the request can do without it and still had it."""
    if is_overflow(error):
        return None
    candidates = [
        name
        for name in _OPTIONAL
        if name not in left_out
        and (name != "tools" or has_tools)
        and error.status_code in (_STATUSES_OF_TOOLS if name == "tools" else _STATUSES)
    ]
    body = error.body if isinstance(error.body, dict) else {}
    param = re.split(r"[.\[]", str(body.get("param") or ""))[0]
    part = _PARAMETERS.get(param, param)
    if part in candidates:
        return part
    words = " ".join(str(error).split())
    if not _REFUSED.search(words):
        return None
    return next(
        (one for one in candidates if re.search(rf"(?<![\w-])(?:{_OPTIONAL[one]})(?![\w-])", words, re.I)), None
    )


def without_system(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Put the system text before the first words of the person."""
    system = "\n\n".join(str(message.text) for message in messages if isinstance(message, SystemMessage))
    others = [message for message in messages if not isinstance(message, SystemMessage)]
    if others and isinstance(others[0], HumanMessage):
        return [HumanMessage(f"{system}\n\n{others[0].text}".strip()), *others[1:]]
    return [HumanMessage(system), *others] if system else others


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
