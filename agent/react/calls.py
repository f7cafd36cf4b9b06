"""Read a call of a tool, however it is written: which tool a name means, what its JSON says, the text of its input."""

import difflib
import json
import re
import unicodedata
from typing import Any

from agent.react.labels import before_observation, closing, unfenced, without_half_stop, without_stray_fence

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
_QUOTES = (*zip("\"'`“‘「『", "\"'`”’」』", strict=True), ("**", "**"))
_ONE_PAIR = re.compile(r"^\{\s*['\"]?(\w+)['\"]?\s*[:：]\s*['\"](.*?)['\"]?\s*\}?$", re.DOTALL)
_NAMED_ARGUMENT = re.compile(r"^(?:query|search_query|input|q)\s*[=:：]\s*(?=\S)", re.IGNORECASE)
_NONE = frozenset({"none", "null", "nil", "na", "无", "没有"})
_NO_TOOL = re.compile(
    r"^(?:(?:none|null|nil|no|n/a|not (?:needed|required|applicable)|nothing)\b|无|没有|不需要|不用|空$)", re.I
)
_ANSWER_TOOLS = frozenset(
    {"finish", "finalanswer", "answer", "final", "respond", "最终答案", "最终回答", "回答", "结束"}
)


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


def input_text(value: str, opened: str = "") -> str:
    """Return the plain text of an Action Input, without fence, JSON, quotes or an invented observation.

    `opened` holds the marks that its label left open.
    """
    value = before_observation(value)
    value = unfenced(without_stray_fence(without_half_stop(value, 1)))
    if opened:
        value = value.removesuffix(closing(opened)).strip()
    if value.startswith("`") and (bare := _unquoted(value)).startswith(("{", "[")):
        value = bare
    return before_observation(_unwrapped(value))


def _unwrapped(value: str) -> str:
    """Return the text in JSON, in the broken JSON of one pair, in `query="…"`, or in quotes."""
    if (loaded := leading_json(value)) is not None:
        return text_of(loaded)
    if pair := _ONE_PAIR.match(value):
        return pair[2].strip()
    return _unquoted(_NAMED_ARGUMENT.sub("", _unquoted(value)))


def _unquoted(text: str) -> str:
    """Strip quotes that wrap the whole text; a quote that belongs to the text stays."""
    for opening, closing_quote in _QUOTES:
        inner = text[len(opening) : -len(closing_quote)]
        if len(text) > len(opening + closing_quote) and text.startswith(opening) and text.endswith(closing_quote):
            if opening not in inner and closing_quote not in inner:
                return _unquoted(inner.strip())
            if opening == '"' and (loaded := _json_string(text)) is not None:
                return loaded.strip()
    return text


def _json_string(text: str) -> str | None:
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def resolve(name: str, tool_names: tuple[str, ...]) -> str | None:
    """Return the registered tool that a name means."""
    by_key = {_key(tool): tool for tool in tool_names}
    key = _key(name)
    bare = re.sub(r"^(?:use|call|使用|调用)|(?:tool|工具)$", "", key)
    word = re.match(r"\W*([\w.-]+)", name)
    # As in functions.knowledge_search and default_api:knowledge_search.
    spaced = re.split(r"[.:/]", name.strip(" *`\"'[](){}<>"))[-1]
    candidates = [name.strip(), key, bare, word[1] if word else "", spaced]
    return next((by_key[_key(item)] for item in candidates if item and _key(item) in by_key), None)


def nearest(name: str, tool_names: tuple[str, ...]) -> str | None:
    """Return the registered tool whose name looks most like this one, if any does."""
    by_key = {_key(tool): tool for tool in tool_names}
    close = difflib.get_close_matches(_key(name), by_key, n=1, cutoff=0.4)
    return by_key[close[0]] if close else None


def means_no_tool(name: str) -> bool:
    """Tell whether a name asks for no tool, as "None needed" does, or for the answer."""
    return bool(_NO_TOOL.match(name.strip(" *`\"'[]【】()<>"))) or _key(name) in _ANSWER_TOOLS


def says_none(text: str) -> bool:
    """Tell whether the text is a word for nothing, such as "None" or 无."""
    return _key(text) in _NONE


def says_nothing(text: str) -> bool:
    """Tell whether the text is empty, punctuation alone, or a word for nothing."""
    return not _key(text) or says_none(text)


def _key(name: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char.isalnum())
