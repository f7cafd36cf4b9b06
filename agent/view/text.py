"""Answers, decisions and traces as text for people."""

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

from agent.evidence import format_place
from agent.question import without_address
from retrieval.text.writing import Language, language_of

if TYPE_CHECKING:
    from agent.answer import Citation, CitedAnswer

SOURCES: Mapping[Language, str] = {"zh": "来源：", "en": "Sources:"}
_PROGRESS: Mapping[Language, Mapping[str, str]] = {
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
_SHOWN_HITS = 5
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Return the text without control characters: neither a document nor a model may steer the terminal."""
    return _CONTROL.sub("", text)


def answer_text(question: str, answer: "CitedAnswer") -> str:
    """Return the answer with its sources under it, and above it what a person should know of earlier answers."""
    if not answer.citations:
        return body_text(answer)
    language = language_of(without_address(question))
    sources = [source_line(citation, language) for citation in answer.citations]
    return "\n".join([body_text(answer), "", SOURCES[language], *sources])


def body_text(answer: "CitedAnswer") -> str:
    """Return the answer without its sources."""
    return "\n".join([*answer.notices, "", answer.answer] if answer.notices else [answer.answer])


def source_line(citation: "Citation", language: Language) -> str:
    """Return where a cited passage stands: source, section and page."""
    section = citation.section.replace(" > ", " › ")
    place = format_place(citation.source, section, citation.page, chinese=language == "zh")
    return f"  [{citation.label}] {place}"


def event_text(event: dict[str, Any]) -> str:
    """Return one decision or observation with its time."""
    at = f"[{event['at_seconds']:6.2f} s]"
    indent = "\n" + " " * (len(at) + 1)
    if event["event"] == "action":
        shown = event["input"].replace("\n", indent + " " * 14)
        return (
            f"{at} thought       {event['thought']}{indent}tool          {event['tool']}{indent}input         {shown}"
        )
    if event["event"] == "observation":
        hits = [_hit_text(hit) for hit in event["hits"][:_SHOWN_HITS]]
        body = indent.join(hits) if hits else event["text"].replace("\n", indent)
        return f"{at} observation   {event['seconds']:.3f} s{indent}{body}"
    return f"{at} finish        {event.get('thought', '')}"


def trace_text(record: dict[str, Any]) -> str:
    """Return a whole trace: what was asked, each decision, each reply of the model, and what became of each claim."""
    usage = record["usage"]
    head = [
        f"question   {record['question']}",
        f"session    {record['session']}{_before(record)}",
        f"model      {record['model']}",
        f"started    {record['started_at']}   {record['seconds']:.2f} s",
        f"usage      {usage['llm_calls']} model calls, {usage['tool_calls']} tool calls, "
        f"{usage['prompt_tokens']} + {usage['completion_tokens']} tokens",
        "",
    ]
    calls = [
        f"reply {number:<4} {call['seconds']:.2f} s   {call['prompt_tokens']} + {call['completion_tokens']} tokens"
        for number, call in enumerate(record["llm_calls"], start=1)
    ]
    calls += [f"no reply   after {one['after_calls']}: {one['text']}" for one in record.get("failed_calls", ())]
    if limit := record.get("limit"):
        calls.append(f"limit      {limit['limit']}")
    checks = [_check_text(check) for check in (record["answer"] or {}).get("checks", ())]
    parts = [*head, *map(event_text, record["events"])]
    for lines in (calls, checks):
        parts += ["", *lines] if lines else []
    parts += ["", f"error      {record['error']}"] if record["error"] else ["", record["answer"]["answer"]]
    return "\n".join(parts)


def _before(record: dict[str, Any]) -> str:
    history = record.get("history", [])
    # Folio 0.1 kept a summary beside the turns.
    turns = len(history["turns"] if isinstance(history, dict) else history)
    return f"   {turns} questions before" if turns else ""


def _check_text(check: dict[str, Any]) -> str:
    reason = f"   {check['reason']}" if check["reason"] else ""
    return f"{check['status']:<11} {' '.join(check['claim'].split())}{reason}"


def print_answer(question: str, answer: "CitedAnswer", file: TextIO | None = None) -> None:
    """Write the answer with its sources, and the id of its trace."""
    file = file or sys.stdout
    file.write(printable(f"{answer_text(question, answer)}\n\ntrace {answer.trace_id}\n"))


def print_event(event: dict[str, Any]) -> None:
    """Write one decision to standard error."""
    sys.stderr.write(printable(event_text(event)) + "\n")
    sys.stderr.flush()


def _hit_text(hit: dict[str, Any]) -> str:
    legs = "  ".join(f"{leg} #{place['rank']} ({place['score']:.4f})" for leg, place in hit["legs"].items())
    section = f" › {hit['section']}" if hit["section"] else ""
    return f"{hit['score']:.4f}  {hit['source']}{section}  {legs}"


def progress_text(event: Mapping[str, Any], language: Language) -> str:
    """Return what an event of a trace means for the progress of the answer, in one line."""
    words = _PROGRESS[language]
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
    return _PROGRESS[language]["writing" if writes else "thinking"]
