"""Dates as documents and people write them, as the days that they cover."""

import datetime
import re
import unicodedata
from calendar import monthrange
from dataclasses import dataclass

from preprocessing.errors import FolioError
from preprocessing.load.metadata import iso_date

_PERIOD = re.compile(
    r"(?P<year>\d{4})(?:\s*[-/.年]\s*(?P<month>\d{1,2})(?:\s*[-/.月]\s*(?P<day>\d{1,2})\s*日?|\s*月)?|\s*年)?"
)
_BASIC = re.compile(r"(\d{4})(\d{2})(\d{2})")
"""A date without hyphens, which ISO 8601 has too: a number, except where nothing but a date can stand."""
_ISO_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}.*")
_ENGLISH = re.compile(r"[A-Z][a-z]{2,8}\.?\s+\d{1,2},?\s+\d{4}|\d{1,2}\s+[A-Z][a-z]{2,8}\.?\s+\d{4}")


class DateError(FolioError):
    """A date could not be read; the message shows a right one."""


@dataclass(frozen=True, slots=True)
class Period:
    """A day, a month or a year, as its first and its last day."""

    first: datetime.date
    last: datetime.date


def period_of(written: str) -> Period | None:
    """Return the days of a written date, such as 2024-03-01, 2024-03, 2024, 2024年3月1日 or 1 March 2024.

    The time of day is left out. None for text that is no date, or one that no calendar has.
    """
    text = unicodedata.normalize("NFKC", written).strip()
    if with_time := _ISO_TIME.fullmatch(text):
        text = with_time[1]
    if _ENGLISH.fullmatch(text):
        day = iso_date(text)
        return Period(*[datetime.date.fromisoformat(day)] * 2) if day else None
    found = _PERIOD.fullmatch(text)
    if not found:
        return None
    year, month, day_ = (int(found[name]) if found[name] else None for name in ("year", "month", "day"))
    try:
        first = datetime.date(year or 0, month or 1, day_ or 1)
        last = first if day_ else datetime.date(first.year, month or 12, monthrange(first.year, month or 12)[1])
    except ValueError:
        return None
    return Period(first, last)


def day_of(written: str | None, *, first: bool) -> datetime.date | None:
    """Return the first or the last day of what is written for a date; None for nothing, and for what is no date."""
    period = _expected(written) if written else None
    if period is None:
        return None
    return period.first if first else period.last


def read_day(written: str, name: str) -> datetime.date:
    """Return the one day that is written; `name` is the option that it was given to. Raises DateError."""
    period = _expected(written)
    if period is None or period.first != period.last:
        raise DateError(f"{name} {written!r} is not a day; a right one is {name} 2024-01-31")
    return period.first


def _expected(written: str) -> Period | None:
    return period_of(_BASIC.sub(r"\1-\2-\3", written) if _BASIC.fullmatch(written.strip()) else written)
