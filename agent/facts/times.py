"""Read times of day: `15:00`, 下午3点, 9点30分, `3 p.m.`."""

import re

from agent.facts.fact import NUMBER_START, Fact, Reader
from agent.facts.number_words import ONE, WORD

UNMARKED = "unmarked"
"""Unit of a time that may be in the morning or in the afternoon, such as 3:00."""

_TIME = re.compile(
    rf"(?P<part>凌晨|早上|上午|中午|下午|傍晚|晚上|晚)?\s*{NUMBER_START}[{ONE}{WORD}]?(?:(?P<h>\d{{1,2}}):(?P<min>\d\d)(?::\d\d)?(?!\d)"
    r"|(?P<zh>\d{1,2})\s*(?:点钟?|时)(?:(?P<half>半)|(?P<zmin>\d{1,2})分?)?(?!间|\d)|(?P<bare>\d{1,2})(?=\s*[ap]\.?m\b))"
    r"\s*(?P<half_day>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:以下|如下|下列|这|共|有|注意|几)\s*$")


def _read_time(match: re.Match[str]) -> list[Fact] | None:
    part, marker = match["part"] or "", (match["half_day"] or "").lower()
    hour = int(match["h"] or match["zh"] or match["bare"])
    minute = 30 if match["half"] else int(match["min"] or match["zmin"] or 0)
    if hour > 24 or minute > 59 or _is_count_of_points(match):
        return None
    if hour < 12 and _is_afternoon(hour, part, marker):
        hour += 12
    elif hour == 12 and marker.startswith("a"):
        hour = 0
    return [Fact(f"{hour:02}:{minute:02}", "time", unit="" if part or marker or hour >= 12 else UNMARKED)]


def _is_afternoon(hour: int, part: str, marker: str) -> bool:
    return part in ("下午", "傍晚", "晚上", "晚") or marker.startswith("p") or (part == "中午" and hour < 10)


def _is_count_of_points(match: re.Match[str]) -> bool:
    """Tell 以下3点 or 3点: before a list from three o'clock."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return match[0].endswith("点") and not match["part"] and bool(_LISTED.search(before) or after.startswith(":"))


TIME = Reader(_TIME, _read_time)
