"""What the agent is doing, in one short line for people who wait."""

from collections.abc import Mapping
from typing import Any

from agent.language import Language

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "zh": {
        "knowledge_search": "搜索：{input}",
        "query_rewrite": "理解问题：{input}",
        "found": "找到 {count} 段相关内容",
        "again": "核对后重写回答",
        "thinking": "思考中",
        "writing": "正在写，尚未核对",
        "finish": "核对回答",
    },
    "en": {
        "knowledge_search": "searching: {input}",
        "query_rewrite": "working out: {input}",
        "found": "{count} passages found",
        "again": "checked; writing it anew",
        "thinking": "thinking",
        "writing": "writing, not checked yet",
        "finish": "checking the answer",
    },
}


def progress_text(event: Mapping[str, Any], language: Language) -> str:
    """Return what an event of a trace means for the progress of the answer, in one line."""
    words = _WORDS[language]
    match event["event"]:
        case "action":
            wanted = " ".join(str(event["input"]).split())
            return words.get(event["tool"], words["again"]).format(input=wanted)
        case "observation":
            return words["found"].format(count=len(event["hits"])) if event["hits"] else words["thinking"]
        case _:
            return words["finish"]


def waiting_text(language: Language, *, writes: bool) -> str:
    """Return what the model does between events: it thinks, or writes a draft."""
    return _WORDS[language]["writing" if writes else "thinking"]
