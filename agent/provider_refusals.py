"""What a provider refuses of a request that can do without it."""

import re

import openai
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from agent.chat_model import is_overflow

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
