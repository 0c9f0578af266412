"""Times to the picosecond are read, rounded and written without a loss."""

from __future__ import annotations

import pytest

from sqe.types.exact_times import (
    Moment,
    date_text,
    ordinal,
    read_time,
    read_timestamp,
    rounded,
    to_python,
    write,
)


def read(text: str) -> Moment:
    return read_timestamp(text) if "-" in text[1:5] else read_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "01:02:03.123456789012",
        "01:02:03+05:30",
        "23:59:59.9-14:00",
        "2001-08-22 03:04:05.321123456789",
        "0000-02-29 00:00:00",
        "2001-08-22 03:04:05.321123456789 Asia/Oral",
        "0001-01-01 00:00:00.1 Asia/Kolkata",
        "9999-12-31 23:59:59.9 America/New_York",
    ],
)
def test_what_is_written_is_read(text: str) -> None:
    assert write(read(text)) == text


@pytest.mark.parametrize("text", ["-0400-12-31 23:59:59 Asia/Kolkata", "+12000-07-05 01:23:45 US/Eastern"])
def test_years_that_python_does_not_have(text: str) -> None:
    moment = read_timestamp(text)
    assert write(moment) == text
    assert to_python(moment) is None


@pytest.mark.parametrize(
    ("text", "precision", "result"),
    [
        ("23:59:59.999999999999", 9, "00:00:00.000000000"),
        ("23:59:59.9995+05:30", 3, "00:00:00.000+05:30"),
        ("01:02:03", 3, "01:02:03.000"),
        ("1960-12-31 23:59:59.0000000005", 9, "1960-12-31 23:59:59.000000001"),
        ("1960-12-31 23:59:59.000499999999", 3, "1960-12-31 23:59:59.000"),
        # The clocks are put forward, and back.
        ("2022-03-27 01:59:59.9995 Europe/Brussels", 3, "2022-03-27 03:00:00.000 Europe/Brussels"),
        ("2022-10-30 02:59:59.9995 Europe/Brussels", 3, "2022-10-30 02:00:00.000 Europe/Brussels"),
    ],
)
def test_half_is_rounded_up(text: str, precision: int, result: str) -> None:
    assert write(rounded(read(text), precision)) == result


@pytest.mark.parametrize(
    "text",
    [
        "",
        "24:00:00",
        "1:2:60",
        "01:02:03 +14:01",
        "01:02:03 UTC",
        "2001-02-30 00:00:00",
        "2001-08-22 03:04:05 +5:30",
        "2001-08-22 03:04:05 Nowhere",
        "2022-03-27 02:30:00 Europe/Brussels",
        "294248-01-01 00:00:00",
        "73327-01-01 00:00:00 UTC",
    ],
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        read(text)


def test_what_clocks_never_showed_is_as_much_later() -> None:
    moment = read_timestamp("2022-03-27 02:30:00 Europe/Brussels", skipped=True)
    assert write(moment) == "2022-03-27 03:30:00 Europe/Brussels"


def test_zones_do_not_matter_to_the_order() -> None:
    assert ordinal(read("01:00:00+00:00")) == ordinal(read("02:00:00+01:00"))
    assert ordinal(read("00:30:00+01:00")) > ordinal(read("23:00:00+00:00"))
    assert ordinal(read("2001-08-22 03:00:00 UTC")) == ordinal(read("2001-08-22 08:30:00 Asia/Kolkata"))


def test_dates_of_any_year() -> None:
    assert [date_text(days) for days in (0, -719_528, -719_529, 2_932_897)] == [
        "1970-01-01",
        "0000-01-01",
        "-0001-12-31",
        "+10000-01-01",
    ]
