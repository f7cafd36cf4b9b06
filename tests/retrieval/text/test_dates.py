from datetime import date

import pytest

from retrieval.text.dates import DateError, day_of, period_of, read_day


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("2024-03-01", "2024-03-01", "2024-03-01"),
        ("2024-03-01T23:59:59+08:00", "2024-03-01", "2024-03-01"),
        ("2024-03-01 10:00", "2024-03-01", "2024-03-01"),
        ("２０２４年３月１日", "2024-03-01", "2024-03-01"),
        (" 2024/3/1 ", "2024-03-01", "2024-03-01"),
        ("2024.12.31", "2024-12-31", "2024-12-31"),
        ("1 March 2024", "2024-03-01", "2024-03-01"),
        ("Mar 1, 2024", "2024-03-01", "2024-03-01"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2023年2月", "2023-02-01", "2023-02-28"),
        ("2024-12", "2024-12-01", "2024-12-31"),
        ("2024", "2024-01-01", "2024-12-31"),
        ("2024年", "2024-01-01", "2024-12-31"),
        ("9999-12", "9999-12-01", "9999-12-31"),
    ],
)
def test_a_date_is_the_days_that_it_covers(written: str, first: str, last: str) -> None:
    period = period_of(written)
    assert period is not None
    assert (period.first, period.last) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "written", ["", "soon", "2024-02-30", "2024-13", "0000", "12", "20240301", "Foo 1, 2024", "v2024"]
)
def test_what_is_no_date_is_none(written: str) -> None:
    assert period_of(written) is None


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [("2024-02", date(2024, 2, 1), date(2024, 2, 29)), ("soon", None, None), ("", None, None), (None, None, None)],
)
def test_the_first_and_the_last_day(written: str | None, first: date | None, last: date | None) -> None:
    assert (day_of(written, first=True), day_of(written, first=False)) == (first, last)


def test_an_option_takes_one_day() -> None:
    assert read_day("2024年3月1日", "--as-of") == read_day("20240301", "--as-of") == date(2024, 3, 1)
    for written in ("2024", "2024-03", "yesterday"):
        with pytest.raises(DateError, match=f"--as-of '{written}' is not a day; a right one is --as-of 2024-01-31"):
            read_day(written, "--as-of")
