"""Read the tool call that a JSON value describes, whatever its keys are called."""

import json
from typing import Any

_INPUT_KEYS = (
    *("query", "input", "question", "text", "q", "search_query", "tool_input", "action_input"),
    *("查询", "问题", "输入"),
)
_NAME_KEYS = ("action", "name", "tool", "tool_name", "function", "行动", "动作", "工具")
_ARGUMENT_KEYS = (
    *("action_input", "arguments", "args", "parameters", "tool_input", "input", "query"),
    *("行动输入", "动作输入", "输入"),
)
_ANSWER_KEYS = ("final_answer", "Final Answer", "answer", "最终答案", "答案")
_NESTED_CALL_KEYS = ("tool_call", "tool_calls", "function_call", "function")
_DEEPEST = 8
"""Nesting of a JSON value beyond which it holds neither a call nor an input."""


def leading_call(text: str) -> tuple[str, Any] | None:
    """Return name and arguments of the tool call in the JSON that begins the text."""
    return _call_in(leading_json(text))


def leading_json(text: str) -> Any:
    """Return the JSON object or array that begins the text, else None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value


def text_of(value: Any, depth: int = 0) -> str:
    """Return the text that a JSON input means: `{"query": "…"}` is the query."""
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return " ".join(filter(None, (text_of(item, depth + 1) for item in value)))
    if isinstance(value, dict):
        chosen = next((value[key] for key in _INPUT_KEYS if value.get(key)), None)
        if chosen is None and len(value) != 1:
            return json.dumps(value, ensure_ascii=False) if value else ""
        return text_of(next(iter(value.values())) if chosen is None else chosen, depth + 1)
    return "" if value is None else str(value).strip()


def _call_in(value: Any, depth: int = 0) -> tuple[str, Any] | None:
    """Return name and arguments of the first tool call in a JSON value; an answer is a call of "Final Answer"."""
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    for key in _NESTED_CALL_KEYS:
        if isinstance(value.get(key), dict | list):
            return _call_in(value[key], depth + 1)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None:
        answer = next((value[key] for key in _ANSWER_KEYS if isinstance(value.get(key), str)), None)
        return None if answer is None else ("Final Answer", answer)
    return name, next((value[key] for key in _ARGUMENT_KEYS if key in value), "")
