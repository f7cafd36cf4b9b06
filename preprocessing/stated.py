"""What the text of a document says about the document: version, dates, what it replaces."""

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from preprocessing.document import Block

_DIGITS_ZH = "〇一二三四五六七八九"
_MONTHS = "january february march april may june july august september october november december".split()
_NUMBER_ZH = "[〇零○一二三四五六七八九十]"
_DATE = (
    rf"(?:(?:\d{{4}}\s*[年./-]\s*\d{{1,2}}\s*[月./-]\s*\d{{1,2}}\s*日?)"
    rf"|(?:{_NUMBER_ZH}{{4}}年{_NUMBER_ZH}{{1,2}}月{_NUMBER_ZH}{{1,3}}日)"
    r"|(?:[A-Z][a-z]{2,8}\.?\s+\d{1,2},?\s+\d{4})|(?:\d{1,2}\s+[A-Z][a-z]{2,8}\.?\s+\d{4}))"
)
_FROM = (
    rf"自\s*(?P<a>{_DATE})\s*起\s*(?:正式|开始)?\s*(?:施行|实施|执行|生效|试行)",
    rf"(?:施行|实施|生效|执行)(?:日期|时间)\s*[:：]\s*(?P<b>{_DATE})",
    rf"(?i:\beffective\s+(?:from|as of|on|date\s*:?)|\btakes? effect on|\bcomes? into (?:force|effect) on)\s*"
    rf"(?P<c>{_DATE})",
)
_TO = (
    rf"有效期(?:截)?\s*(?:至|到)\s*(?P<a>{_DATE})",
    rf"(?:失效|截止|到期|废止)日期\s*[:：]\s*(?P<b>{_DATE})",
    rf"(?i:\bvalid (?:until|through|to)|\bexpires? on|\bexpiry date\s*:?)\s*(?P<c>{_DATE})",
)
_PUBLISHED = (
    rf"(?:发布|印发|更新|修订|公布)(?:日期|时间)\s*[:：]\s*(?P<a>{_DATE})",
    rf"(?i:\b(?:last )?(?:updated|revised|published)(?: on)?\s*:?)\s*(?P<b>{_DATE})",
)
_VERSION = (
    r"版本(?:号)?\s*[:：]\s*[Vv]?(?P<a>\d+(?:\.\d+)*)",
    r"\b(?i:version|revision)\s*:\s*[Vv]?(?P<b>\d+(?:\.\d+)*)",
)
_REPEALED = re.compile(
    r"(?P<names>(?:《[^》\n]{2,60}》(?:[（(][^）)\n]{0,40}[）)])?(?:[、，和及]|以及)?)+)\s*(?:同时|即行|予以)?\s*废止"
)
_REPLACED = re.compile(r"\b(?:supersedes|replaces)\s+(?:the\s+)?[\"“](?P<name>[^\"”\n]{2,80})[\"”]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stated:
    """What was found; nothing where the text says two different things."""

    version: str | None = None
    date: str | None = None
    """ISO 8601 date of publication or of the last change."""
    metadata: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """`effective_from` and `effective_to` (ISO 8601) and `supersedes` (titles)."""


def stated(blocks: Iterable[Block]) -> Stated:
    """Return what the text states about the document itself."""
    text = "\n".join(block.text for block in blocks if block.kind != "code")
    found = {
        "effective_from": _only(_dates(_FROM, text)),
        "effective_to": _only(_dates(_TO, text)),
        "supersedes": _superseded(text),
    }
    return Stated(
        version=_only(_matches(_VERSION, text)),
        date=_only(_dates(_PUBLISHED, text)),
        metadata={key: value for key, value in found.items() if value},
    )


def _matches(patterns: Sequence[str], text: str) -> list[str]:
    found = (match for pattern in patterns for match in re.finditer(pattern, text))
    return [next(group for group in match.groups() if group) for match in found]


def _dates(patterns: Sequence[str], text: str) -> list[str]:
    return [date for written in _matches(patterns, text) if (date := iso_date(written))]


def _only(values: Sequence[str]) -> str | None:
    """Return the value when there is exactly one: a second may be that of a document that is spoken of."""
    return values[0] if len(set(values)) == 1 else None


def _superseded(text: str) -> tuple[str, ...]:
    repealed = (name for found in _REPEALED.finditer(text) for name in re.findall("《([^》]+)》", found["names"]))
    return tuple(dict.fromkeys([*repealed, *(found["name"] for found in _REPLACED.finditer(text))]))


def iso_date(written: str) -> str | None:
    """Return a written date as ISO 8601, None for one that no calendar has."""
    year, month, day = _parts(written)
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return None


def _parts(written: str) -> tuple[int, int, int]:
    word = re.search(r"[A-Za-z]{3,}", written)
    if word:
        month = next((n for n, name in enumerate(_MONTHS, 1) if name.startswith(word[0].lower())), 0)
        numbers = [int(number) for number in re.findall(r"\d+", written)]
        return max(numbers), month, min(numbers)
    if "年" in written and not re.search(r"\d", written):
        year_zh, rest = written.split("年")
        month_zh, day_zh = rest.removesuffix("日").split("月")
        digits = "".join(str(_DIGITS_ZH.index(char)) for char in re.sub("[零○]", "〇", year_zh) if char in _DIGITS_ZH)
        return int(digits or 0), _number_zh(month_zh), _number_zh(day_zh)
    year, month_, day = (int(number) for number in re.findall(r"\d+", written))
    return year, month_, day


def _number_zh(number: str) -> int:
    tens, ten, unit = number.rpartition("十")
    return (_DIGITS_ZH.find(tens) if tens else 1) * 10 * bool(ten) + (_DIGITS_ZH.find(unit) if unit else 0)
