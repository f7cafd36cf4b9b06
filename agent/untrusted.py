"""Text of documents on its way to a model and back: data, never part of the conversation."""

import re
from collections.abc import Iterator

from agent.react.labels import COMMON_WORDS, find_labels
from preprocessing.load.hidden_text import ZERO_WIDTH, tags_of

JOINER = "\u2060"
"""Word joiner: it breaks up a word for a program, and shows nothing to a reader."""
CUT = "(cut to fit)"

_CITATION = re.compile(r"([\[［【(（])(?=\s*[SsＳｓ]\s*[\d０-９])")
_JOINED_CITATION = re.compile(
    rf"[\[［【(（]{JOINER}\s*([SsＳｓ]\s*[\d０-９]+(?:\s*[,，、;；/&–-]\s*[SsＳｓ]?\s*[\d０-９]+)*)\s*[\]］】)）]"
)
_FORMAT_MARK = re.compile(
    r"[<＜](?=[|｜/]?\s*(?:passages?|tool_calls?|function_calls?|think|system|assistant|user|im_start|im_end)\b)"
    r"|[<＜](?=[|｜])|\[(?=/?(?:INST|TOOL_CALLS)\])"
    r"|[{｛](?=\s*[\"'“](?:action|tool|name|function|tool_call|final_answer|行动|工具)[\"'”]\s*[:：])",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")
_ROLE = re.compile(r"^(\W*)(?=(?:system|assistant|user|human|developer|系统|用户|助手)\W{0,3}[:：])", re.I | re.M)


def harmless(text: str) -> str:
    """Return a text of a document as a model is shown it; a reader sees no difference.

    Labels of the agent's format, tool calls, citation labels and marks of chat templates are broken up by a character
    that does not show. No word is taken out: what a document says is evidence, whomever it speaks to.
    """
    return _without_format(_visible(text))


def harmless_turns(history: str) -> str:
    """Return a conversation in which nothing begins like the agent's format but its own `User:` and `Assistant:`."""
    lines: list[str] = []
    for line in history.split("\n"):
        own = re.match(r"(?:User|Assistant): |", line)
        begin = own.end() if own else 0
        lines.append(line[:begin] + (_without_format(line[begin:])))
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return words that came back from a model without joiners; a document's own `[S1]` cites nothing, as `S1`."""
    return _JOINED_CITATION.sub(r"\1", text).replace(JOINER, "")


def supporting(text: str) -> str:
    """Return a document's text as an answer may rest on it: what shows, in which a label of its own cites nothing."""
    return plain(_CITATION.sub(rf"\1{JOINER}", _visible(text))).strip("\n")


def fenced(text: str, mark: str) -> str:
    """Return passages between two lines with the mark of this question, which no document can know."""
    return f"<passages {mark}>\n{text.replace(mark, '')}\n</passages {mark}>"


def _without_format(text: str) -> str:
    shown = _CITATION.sub(rf"\1{JOINER}", text)
    shown = _FORMAT_MARK.sub(rf"\g<0>{JOINER}", shown)
    return _ROLE.sub(rf"\1{JOINER}", _without_labels(shown))


def _visible(text: str) -> str:
    """Return the text without characters that show nothing."""
    return ZERO_WIDTH.sub("", text.translate(dict.fromkeys(map(ord, tags_of(text)))))


def _without_labels(text: str) -> str:
    """Break up the labels that a reply could begin a step with; words such as "Answer:" are too common to mean one."""
    pieces, done = [], 0
    for place in _label_words(text):
        pieces += [text[done : place + 1], JOINER]
        done = place + 1
    return "".join([*pieces, text[done:]])


def _label_words(text: str) -> Iterator[int]:
    """Yield where the words of labels begin."""
    for label in find_labels(text):
        word = _WORD.search(text, label.start, label.end)
        said = text[label.start : label.end].strip(" \t*#>-:：").lower()
        if word and label.kind not in ("question", "call") and said not in (*COMMON_WORDS, "input", "输入", "参数"):
            yield word.start()
