"""Take away what surrounds the text of a reply: thinking, control tokens, code fences, half an observation, circles."""

import re

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
