"""Tell which tool a name means, however it is spelt or wrapped, and which names mean none."""

import difflib
import re
import unicodedata

_NONE = frozenset({"none", "null", "nil", "na", "无", "没有"})
_NO_TOOL = re.compile(
    r"^(?:(?:none|null|nil|no|n/a|not (?:needed|required|applicable)|nothing)\b|无|没有|不需要|不用|空$)", re.I
)
_ANSWER_TOOLS = frozenset(
    {"finish", "finalanswer", "answer", "final", "respond", "最终答案", "最终回答", "回答", "结束"}
)


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
