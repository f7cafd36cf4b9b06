"""Text that some program before us decoded wrongly: found, reported, and kept out of the index."""

import re

from preprocessing.errors import LoadError

# What the replacement character and unset memory become in Chinese encodings.
_KNOWN = re.compile(r"\ufffd|锟斤拷|锟斤|斤拷|烫烫烫|屯屯屯")
_RUN = re.compile(r"[^\x00-\x7f\ufffd]+")
_CHINESE = re.compile(r"[\u2010-\u2030\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]+")
_WESTERN = re.compile(r"[\u00a0-\u024f\u2010-\u2122\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]+")
# What UTF-8 was taken for, and what it must turn out to be; the bytes of a few right words happen to be UTF-8 too.
_MISREAD_AS = {"cp1252": _WESTERN, "latin-1": _WESTERN, "gb18030": _CHINESE, "big5": _CHINESE}
_LEAST_MISREAD = 4
"""Characters in a line that must turn out to be UTF-8; right text of another encoding hardly ever does."""
_LONG = 10
"""Bytes of which one may be lost."""
_MOST_IN_LINE = 0.3
_MOST_IN_FILE = 0.1
_MOST_NAMED = 10
GAP = "[?]"
"""Stands where a character was lost; without it `1�0` would read as 10."""


def without_mojibake(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without wrong lines, lost characters marked as gaps, and warnings that name the lines.

    Raises LoadError when more than a tenth of the text is wrong.
    """
    if text.isascii():
        return text, ()
    lines = text.split("\n")
    bad = [_bad_characters(line) for line in lines]
    if sum(bad) > _MOST_IN_FILE * len("".join(text.split())):
        raise LoadError(
            f"the text is mojibake (decoded wrongly before it was saved) on {_named(bad)}; "
            "export it again as UTF-8 from the program that wrote it"
        )
    wrong = [count > _MOST_IN_LINE * max(len("".join(line.split())), 1) for count, line in zip(bad, lines, strict=True)]
    in_part = [count > 0 and not is_wrong for count, is_wrong in zip(bad, wrong, strict=True)]
    warnings = [f"mojibake left out: {_named(wrong)}"] if any(wrong) else []
    warnings += [f"mojibake or lost characters ({GAP}) in part of {_named(in_part)}"] if any(in_part) else []
    kept = ["" if left_out else re.sub("\ufffd+", GAP, line) for left_out, line in zip(wrong, lines, strict=True)]
    return "\n".join(kept), tuple(warnings)


def _bad_characters(line: str) -> int:
    if line.isascii():
        return 0
    known = sum(len(found[0]) for found in _KNOWN.finditer(line))
    misread = [run for run in _RUN.findall(line) if _is_utf8_misread(run)]
    characters = sum(map(len, misread))
    return known + (characters if characters >= _LEAST_MISREAD else 0)


def _is_utf8_misread(run: str) -> bool:
    for encoding, meant in _MISREAD_AS.items():
        try:
            data = run.encode(encoding)
        except UnicodeError:
            continue
        right = data.decode("utf-8", "ignore")  # a character or two may have been lost on the way
        lost = len(data) - len(right.encode("utf-8"))
        if meant.fullmatch(right) and lost <= len(data) // _LONG:
            return True
    return False


def _named(lines: list[int] | list[bool]) -> str:
    numbers = [number for number, is_named in enumerate(lines, start=1) if is_named]
    shown = ", ".join(map(str, numbers[:_MOST_NAMED]))
    return f"line{'s' * (len(numbers) > 1)} {shown}{' and more' * (len(numbers) > _MOST_NAMED)}"
