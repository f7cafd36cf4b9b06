"""Numbers that Word writes in front of paragraphs and headings, which stand nowhere in the text (ISO 29500-1, 17.9)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from preprocessing.load.word.text import W, is_on

_DIGITS_ZH = "〇一二三四五六七八九"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
          (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip
_TOO_LARGE = 10_000
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    text: str
    start: int
    is_legal: bool = False
    """Whether the numbers of the levels above are shown in digits, whatever their own format."""
    restart: int | None = None
    """Depth, from 1, of the levels that let this one begin anew: any above where None is given, none where it is 0."""


class Numbering:
    """Counts the numbered paragraphs of a document in the order in which they are asked for."""

    def __init__(self, part: Any | None) -> None:
        """`part` is the root of the numbering part, None for a document without one."""
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        if part is not None:
            self._read(part)

    def label(self, number_id: str, depth: int) -> str | None:
        """Return the label of the next paragraph in a list, `""` for a bullet, None when there is no such list."""
        levels = self._levels.get(number_id, {})
        if depth not in levels:
            return None
        counts = self._counts.setdefault(self._lists[number_id], {})
        for above in [level for level in levels if level < depth]:
            counts.setdefault(above, levels[above].start)  # a level that is skipped counts as begun
        counts[depth] = counts.get(depth, levels[depth].start - 1) + 1
        for deeper in [level for level in counts if level > depth and _begins_anew(levels[level], depth)]:
            del counts[deeper]
        if levels[depth].format in ("bullet", "none"):
            return "" if levels[depth].format == "bullet" else _PLACE.sub("", levels[depth].text).strip()

        def counted(place: re.Match[str]) -> str:
            level = int(place[1]) - 1
            known = levels.get(level, levels[depth])
            return number_in(counts.get(level, known.start), "decimal" if levels[depth].is_legal else known.format)

        return _PLACE.sub(counted, levels[depth].text).strip()

    def _read(self, part: Any) -> None:
        abstract = {found.get(f"{W}abstractNumId"): found for found in part.iter(f"{W}abstractNum")}
        for number in part.iter(f"{W}num"):
            number_id, reference = number.get(f"{W}numId"), number.find(f"{W}abstractNumId")
            definition = abstract.get(reference.get(f"{W}val")) if reference is not None else None
            if definition is None:
                continue
            levels = {int(level.get(f"{W}ilvl")): _level(level) for level in definition.iter(f"{W}lvl")}
            overrides = list(number.iter(f"{W}lvlOverride"))
            for override in overrides:
                depth = int(override.get(f"{W}ilvl"))
                changed, start = override.find(f"{W}lvl"), override.find(f"{W}startOverride")
                if changed is not None:
                    levels[depth] = _level(changed)
                if start is not None and depth in levels:
                    levels[depth] = replace(levels[depth], start=int(start.get(f"{W}val")))
            self._levels[number_id] = levels
            # Lists of one definition count on, unless one of them begins anew.
            self._lists[number_id] = f"own {number_id}" if overrides else reference.get(f"{W}val")


def _level(element: Any) -> _Level:
    def value(name: str, otherwise: str) -> str:
        found = element.find(f"{W}{name}")
        return otherwise if found is None else found.get(f"{W}val") or ""

    restart = value("lvlRestart", "")
    return _Level(
        value("numFmt", "decimal"),
        value("lvlText", ""),
        int(value("start", "1")),
        is_on(element.find(f"{W}isLgl")),
        int(restart) if restart.isdigit() else None,
    )


def _begins_anew(level: _Level, depth: int) -> bool:
    return level.restart is None or depth < level.restart


def number_in(number: int, form: str) -> str:
    """Return a number in one of Word's formats; in digits where the format is not known, or has no such number."""
    return _FORMS.get(form, str)(number) if 0 < number < _TOO_LARGE else str(number)


def _chinese(number: int) -> str:
    if number >= 100:
        rest = number % 100
        middle = "" if not rest else f"零{_DIGITS_ZH[rest]}" if rest < 10 else _tens(rest, one="一")
        return f"{_chinese(number // 100)}百{middle}"
    return _tens(number, one="")


def _tens(number: int, one: str) -> str:
    tens, unit = divmod(number, 10)
    if not tens:
        return _DIGITS_ZH[unit]
    return f"{one if tens == 1 else _DIGITS_ZH[tens]}十{_DIGITS_ZH[unit] if unit else ''}"


def _roman(number: int) -> str:
    parts = []
    for value, letters in _ROMAN:
        parts.append(letters * (number // value))
        number %= value
    return "".join(parts)


def _letter(number: int) -> str:
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if 1 <= number <= 20 else str(number)


_FORMS: Mapping[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02d}",
    "upperRoman": _roman,
    "lowerRoman": lambda number: _roman(number).lower(),
    "upperLetter": lambda number: _letter(number).upper(),
    "lowerLetter": _letter,
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "ideographTraditional": lambda number: _STEMS[(number - 1) % 10],
    "ideographZodiac": lambda number: _BRANCHES[(number - 1) % 12],
    "ideographDigital": lambda number: "".join(_DIGITS_ZH[int(digit)] for digit in str(number)),
    **dict.fromkeys(
        ["chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting",
         "taiwaneseCountingThousand"], _chinese),
}  # fmt: skip
