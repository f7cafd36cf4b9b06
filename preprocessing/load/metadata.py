"""What a document says about itself, in its properties, name and text: title, version, dates, what it replaces."""

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from preprocessing.document import Block

Metadata = Mapping[str, str | tuple[str, ...]]

_VERSION = re.compile(
    r"(?:^|[_\-\s.（(【\[])[vV](?:er(?:sion)?)?[ ._]?(?P<number>\d+(?:\.\d+)*)(?=$|[_\-\s）)】\]])"
    r"|[（(【\[_\-](?P<edition>\d{4}\s*(?:年)?\s*(?:修订|修正)?版|\d{4}年?(?:修订|修正)|第[0-9一二三四五六七八九十]+版)(?:$|[）)】\]_\-])"
)
# Titles that programs write by themselves: place-holders, file names, names of the program.
_POOR_TITLE = re.compile(
    r"^(?:untitled|无标题|未命名|title|document\s*\d*|文档\s*\d*|word document|microsoft (?:word|powerpoint|excel)\b.*|"
    r"幻灯片\s*\d*|powerpoint .*|.*\.(?:docx?|pdf|txt|md|pptx?|xlsx?|wps|rtf|tex|dvi|indd|html?)|[\W\d_]*)$",
    re.IGNORECASE,
)
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
_STATED_VERSION = (
    r"版本(?:号)?\s*[:：]\s*[Vv]?(?P<a>\d+(?:\.\d+)*)",
    r"\b(?i:version|revision)\s*:\s*[Vv]?(?P<b>\d+(?:\.\d+)*)",
)
_REPEALED = re.compile(
    r"(?P<names>(?:《[^》\n]{2,60}》(?:[（(][^）)\n]{0,40}[）)])?(?:[、，和及]|以及)?)+)\s*(?:同时|即行|予以)?\s*废止"
)
_REPLACED = re.compile(r"\b(?:supersedes|replaces)\s+(?:the\s+)?[\"“](?P<name>[^\"”\n]{2,80})[\"”]", re.IGNORECASE)


def first_text(value: str | tuple[str, ...] | None) -> str | None:
    """Return a metadata value as one text, None when there is nothing in it."""
    if isinstance(value, tuple):
        value = ", ".join(value)
    return value or None


def first_heading(blocks: Iterable[Block]) -> str | None:
    """Return the first level-1 heading."""
    return next((block.text for block in blocks if block.kind == "heading" and block.level == 1), None)


def sensible_title(title: str | None) -> str | None:
    """Return a title from file properties unless a program wrote it by itself."""
    title = " ".join((title or "").split())
    return None if not title or _POOR_TITLE.match(title) or "\ufffd" in title else title


def version_from_name(stem: str) -> str | None:
    """Return the version in a file name: `_V2` → `2`, `-v2.1` → `2.1`, `（2024版）` → `2024版`."""
    found = _VERSION.search(stem)
    return (found["number"] or found["edition"]) if found else None


def modification_time(path: Path) -> str:
    """Return when the file was last written, ISO 8601 in UTC to the second."""
    written = datetime.datetime.fromtimestamp(path.stat().st_mtime, tz=datetime.UTC)
    return written.isoformat(timespec="seconds")


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
        version=_only(_matches(_STATED_VERSION, text)),
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
