"""Read a reply into its text and its labels, such as `Action:`, `**Final Answer:**` or 【行动】.

What surrounds the text is taken away: thinking, control tokens, code fences, half an observation, circles.
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["thought", "action", "input", "observation", "question", "final", "call"]

WORDS: dict[Kind, tuple[str, ...]] = {
    "input": (
        *("action input", "action arguments", "action args", "tool input", "input"),
        *("行动输入", "动作输入", "操作输入", "工具输入", "行动参数", "动作参数"),
        *("输入参数", "输入内容", "输入", "参数"),
    ),
    "final": (
        *("final answer", "final response", "final reply", "answer"),
        *("最终答案", "最终回答", "最终答复", "最终回复", "最终结论", "最后答案", "最后回答", "答案", "回答", "答复"),
    ),
    "observation": ("observations", "observation", "观察结果", "观测结果", "工具返回", "观察", "观测"),
    "question": ("new question", "question", "用户问题", "新问题", "问题"),
    "thought": ("thoughts", "thought", "思考过程", "思考", "想法"),
    "action": ("action", "行动", "动作", "调用工具", "工具调用"),
    "call": ("<tool_calls>", "<tool_call>", "<function_call>", "<|tool_call|>", "[TOOL_CALLS]"),
}
"""In each kind, a word before its own beginning."""
COMMON_WORDS = frozenset({"answer", "答案", "回答", "答复"})
"""They open a final answer, but are too common inside one to mean a new turn there."""


def any_of(words: tuple[str, ...]) -> str:
    """Return a pattern of these words; a space in one may be absent, or written as `_` or `-`."""
    return "|".join(re.escape(word).replace(r"\ ", r"[ \t_-]*") for word in words)


# One character for one character, so that a position in the folded text is the position in the text.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20} | dict.fromkeys(map(ord, "﹕∶꞉"), 0x3A)
OPENING_MARKS = "*_`\"'“‘「『【[("
CLOSING_MARKS = "*_`\"'”’」』】])"
_CLOSING = str.maketrans(OPENING_MARKS, CLOSING_MARKS)
_LEAD = rf"(?:[^\S\n]|[\u200b\ufeff#>{re.escape(OPENING_MARKS)}]|[-•+](?=[ \t*])|\d{{1,2}}[.)、])*"

_LABEL = re.compile(
    rf"^(?P<lead>{_LEAD})(?:(?P<call>{any_of(WORDS['call'])})|(?P<word>"
    + "|".join(f"(?P<{kind}>{any_of(words)})" for kind, words in WORDS.items() if kind != "call")
    + r")[ \t]*\d{0,2}[ \t]*(?P<close>[*_`\"'”’」』】\])]*)[ \t]*(?P<colon>:?))",
    re.IGNORECASE | re.MULTILINE,
)
_BEGINNINGS = frozenset(
    compact[:size]
    for words in WORDS.values()
    for compact in (re.sub(r"[ _-]", "", word.lower()) for word in words)
    for size in range(len(compact) + 1)
)


_THINK = r"(?:think|thinking|thought|reasoning)"
_OPEN_THINK = re.compile(rf"(?<!`)(?:<\s*{_THINK}\s*>|◁think▷|\[THINK\])", re.IGNORECASE)
_CLOSE_THINK = re.compile(rf"(?<!`)(?:<\s*/\s*{_THINK}\s*>|◁/think▷|\[/THINK\])", re.IGNORECASE)
_CONTROL_TOKENS = re.compile(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end|end_of_text|eom_id)\|>|</s>|</(?:tool_calls?|function_call)>|</?answer>|<｜end▁of▁sentence｜>"
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*$", re.MULTILINE)
_HALF_STOP = re.compile(
    r"(?:^|\n)[ \t#>*_`]*(o(?:b(?:s(?:e(?:r(?:v(?:a(?:t(?:i(?:o(?:n)?)?)?)?)?)?)?)?)?)?|观察?)[ \t*]*$", re.I
)
_OBSERVATION = re.compile(r"Observations?\s*[:：]|(?<!\w)观察(?:结果)?\s*[:：]")
LOOKED_AT = 600
"""Characters at the end of a text that must repeat; no answer to a person does so for as long."""
LONGEST = 150
"""Characters of what is repeated."""
_SENTENCE_END = re.compile(r"[。！？.!?](?!\s*\[)|\n")


@dataclass(frozen=True, slots=True)
class Label:
    """A label at the start of a line."""

    kind: Kind
    start: int
    end: int
    """Where its value begins."""
    opened: str
    """Marks opened before the label and still open at its end, as in `**Action: name**`."""
    new_turn: bool
    """Ends a final answer that it stands in."""
    colon: bool = True


def read_reply(text: str, *, complete: bool = True) -> tuple[str, list[Label]]:
    """Return the reply and its labels without thinking and without anything from an invented observation on."""
    reply = spoken(text)
    labels = find_labels(reply, complete=complete)
    answered = False
    for index, label in enumerate(labels):
        answered = answered or label.kind == "final"
        if label.kind == "observation" and (label.new_turn or not answered):
            return reply[: label.start].rstrip(), labels[:index]
    return reply, labels


def next_start(labels: list[Label], reply: str) -> int:
    """Return where the first of the labels starts, or the end of the reply."""
    return labels[0].start if labels else len(reply)


def find_labels(text: str, *, complete: bool = True) -> list[Label]:
    """Return the labels of a reply in reading order; of an incomplete one, without a last whose colon may yet come."""
    folded = text.translate(_FOLD)
    found = (_label_at(folded, match) for match in _LABEL.finditer(folded))
    labels = [label for label in found if label]
    if not complete and labels and not labels[-1].colon and not text[labels[-1].end :].strip(" \t"):
        labels.pop()
    return labels


def closing(opened: str) -> str:
    """Return the marks that close these opening ones: `】**` for `**【`."""
    return opened[::-1].translate(_CLOSING)


def may_become_label(line: str) -> bool:
    """Tell whether the beginning of a line may turn out to be a label when the rest arrives."""
    folded = line.translate(_FOLD)
    lead = re.match(_LEAD, folded)
    word = re.sub(r"[\s_-]", "", folded[lead.end() if lead else 0 :]).lower()
    return word.rstrip("0123456789" + CLOSING_MARKS) in _BEGINNINGS


def _label_at(folded: str, match: re.Match[str]) -> Label | None:
    lead, end = match["lead"], match.end()
    if match["call"]:
        return Label("call", match.start(), end, "", new_turn=True)
    kind: Kind = next(kind for kind in WORDS if kind != "call" and match[kind])
    opened = "".join(re.findall(f"[{re.escape(OPENING_MARKS)}]+", lead))
    if not match["colon"] and not _stands_alone(folded, match, kind, opened):
        return None
    if match["close"]:
        if '"' in opened and folded.count("{", 0, end) > folded.count("}", 0, end):
            return None  # a key of a JSON object
        opened = ""
    elif opened and folded.startswith(closers := closing(opened), end):
        end, opened = end + len(closers), ""
    listed = re.search(r"[-•+\d]", lead)
    asked = kind == "question" and lead.strip()  # a marked "Question:" is a heading of the answer
    common = kind == "input" or match["word"].lower() in COMMON_WORDS
    colon = bool(match["colon"])
    return Label(kind, match.start(), end, opened, colon and not (listed or asked or common), colon)


def _stands_alone(folded: str, match: re.Match[str], kind: Kind, opened: str) -> bool:
    """Tell whether a label without a colon is one: a heading, `【行动】name`, or a line of its own."""
    end = folded.find("\n", match.end())
    rest = folded[match.end() : end if end >= 0 else len(folded)].strip()
    boxed = any(mark in opened and closing(mark) in match["close"] for mark in "【[(")
    if boxed:
        return not rest.startswith("(")  # a Markdown link
    headed = opened or "#" in match["lead"]
    telling = " " in match["word"] or match["word"].startswith(("最终", "行动", "动作"))
    return not rest and bool(headed or telling or kind in ("action", "observation"))


def spoken(text: str) -> str:
    """Return what a reply says: without thinking, control tokens, carriage returns and going round in circles."""
    return said_once(_CONTROL_TOKENS.sub("", strip_thinking(text.replace("\r", ""))).strip())


def strip_thinking(text: str) -> str:
    """Remove reasoning blocks; an unclosed one goes to the end, a lone closing tag from the beginning.

    A tag directly after a back-tick is a mention of the tag, not the tag.
    """
    kept: list[str] = []
    position = 0
    while opening := _OPEN_THINK.search(text, position):
        kept.append(text[position : opening.start()])
        closing = _CLOSE_THINK.search(text, opening.end())
        if not closing:
            position = len(text)
            break
        position = closing.end()
    visible = "".join(kept) + text[position:]
    lone_closings = list(_CLOSE_THINK.finditer(visible))
    return visible[lone_closings[-1].end() :] if lone_closings else visible


def before_observation(text: str) -> str:
    """Return the text up to an observation that the model invented in it."""
    return _OBSERVATION.split(text, maxsplit=1)[0].strip()


def without_half_stop(text: str, shortest: int) -> str:
    """Cut the first letters of "Observation", at least `shortest`, that a late stop left on the last line."""
    half = _HALF_STOP.search(text)
    if half and (len(half[1]) >= shortest or not half[1].isascii()):
        return text[: half.start()].rstrip()
    return text


def without_stray_fence(text: str) -> str:
    """Cut a last line that is a fence without a partner, as a wholly fenced turn leaves it."""
    fences = list(_FENCE.finditer(text))
    if len(fences) % 2 and not text[fences[-1].end() :].strip():
        return text[: fences[-1].start()].rstrip()
    return text


def without_fences(text: str) -> str:
    """Remove the lines that open or close code fences, and keep what stands between them."""
    return _FENCE.sub("", text).strip()


def unfenced(text: str) -> str:
    """Return what stands in a code fence at the beginning of the text, else the text."""
    text = text.strip()
    opening = _FENCE.match(text)
    if not opening:
        return text
    closing = _FENCE.search(text, opening.end())
    return text[opening.end() : closing.start() if closing else len(text)].strip()


def is_one_fence(text: str) -> bool:
    """Tell whether the text is one code fence from its first line to its last."""
    fences = len(_FENCE.findall(text))
    return bool(_FENCE.match(text) and fences == 2 and _FENCE.search(text.rsplit("\n", 1)[-1]))


def goes_round(text: str) -> bool:
    """Tell whether the last 600 characters are one piece of at most 150, said again and again."""
    return _period(text) > 0


def said_once(text: str) -> str:
    """Return the text with what it goes round in at its end said once."""
    period = _period(text)
    if not period:
        return text
    start = len(text) - LOOKED_AT
    while start and text[start - 1] == text[start - 1 + period]:
        start -= 1
    # It may have met the end of the sentence before, such as the same label, which belongs to that one.
    ended = start == 0 or _SENTENCE_END.match(text, start - 1)
    end = None if ended else _SENTENCE_END.search(text, start, start + period - 1)
    return text[: (end.end() if end else start) + period].rstrip()


def _period(text: str) -> int:
    """Return the length of the piece; 0 where nothing is repeated."""
    tail = text[-LOOKED_AT:]
    if len(tail) < LOOKED_AT:
        return 0
    return next((length for length in range(1, LONGEST + 1) if tail[length:] == tail[:-length]), 0)
