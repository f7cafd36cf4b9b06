"""Answers, decisions and traces as text for a terminal."""

import re
import sys
from typing import TYPE_CHECKING, Any, TextIO

from agent.language import language_of
from agent.refusal import format_place

if TYPE_CHECKING:
    from agent.answer import CitedAnswer

_SHOWN_HITS = 5
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Return the text without control characters: neither a document nor a model may steer the terminal."""
    return _CONTROL.sub("", text)


def answer_text(question: str, answer: "CitedAnswer") -> str:
    """Return the answer with its sources under it."""
    if not answer.citations:
        return answer.answer
    chinese = language_of(question) == "zh"
    lines = [answer.answer, "", "来源：" if chinese else "Sources:"]
    for citation in answer.citations:
        place = format_place(citation.source, citation.section.replace(" > ", " › "), citation.page, chinese=chinese)
        lines.append(f"  [{citation.label}] {place}")
    return "\n".join(lines)


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
    """Return a whole trace."""
    usage = record["usage"]
    head = [
        f"question   {record['question']}",
        f"session    {record['session']}",
        f"model      {record['model']}",
        f"started    {record['started_at']}   {record['seconds']:.2f} s",
        f"usage      {usage['llm_calls']} model calls, {usage['tool_calls']} tool calls, "
        f"{usage['prompt_tokens']} + {usage['completion_tokens']} tokens",
        "",
    ]
    tail = ["", f"error      {record['error']}"] if record["error"] else ["", record["answer"]["answer"]]
    return "\n".join([*head, *map(event_text, record["events"]), *tail])


def print_answer(question: str, answer: "CitedAnswer", file: TextIO | None = None) -> None:
    """Write the answer with its sources, and the id of its trace."""
    file = file or sys.stdout
    file.write(printable(f"{answer_text(question, answer)}\n\ntrace {answer.trace_id}\n"))


def print_event(event: dict[str, Any]) -> None:
    """Write one decision to standard error."""
    sys.stderr.write(printable(event_text(event)) + "\n")
    sys.stderr.flush()


def print_trace(record: dict[str, Any]) -> None:
    """Write a whole trace."""
    sys.stdout.write(printable(trace_text(record)) + "\n")


def _hit_text(hit: dict[str, Any]) -> str:
    legs = "  ".join(f"{leg} #{place['rank']} ({place['score']:.4f})" for leg, place in hit["legs"].items())
    section = f" › {hit['section']}" if hit["section"] else ""
    return f"{hit['score']:.4f}  {hit['source']}{section}  {legs}"
