"""Dates, timestamps and intervals."""

from __future__ import annotations

from sqe.functions.function import Function, ResultRule, scalar
from sqe.types.sql_types import Timestamp, TimestampTz, Type, Varchar

_DATES = ("(date) -> bigint", "(timestamp(p)) -> bigint", "(timestamp(p) with time zone) -> bigint")
_CLOCKS = (
    "(timestamp(p)) -> bigint",
    "(timestamp(p) with time zone) -> bigint",
    "(time(p)) -> bigint",
)
_DAY_SECOND = "(interval day to second) -> bigint"
_YEAR_MONTH = "(interval year to month) -> bigint"
_MOMENTS = ("(varchar(x), {0}date) -> date", "(varchar(x), {0}timestamp(p)) -> timestamp(p)")
_ZONED = "(varchar(x), {0}timestamp(p) with time zone) -> timestamp(p) with time zone"
_TIMES = "(varchar(x), {0}time(p)) -> time(p)"


def _iso_length(zone: int) -> ResultRule:
    def rule(parameters: tuple[Type, ...]) -> Type:
        t = parameters[0]
        assert isinstance(t, (Timestamp, TimestampTz))
        return Varchar(22 + (t.precision + 1 if t.precision else 0) + zone)

    return rule


def _field(name: str, help: str, *signatures: str) -> Function:
    """A part of a date or timestamp; of an interval where Trino has it."""
    return scalar(name, *signatures, help=help)


FUNCTIONS = (
    _field("year", "The year", *_DATES, _YEAR_MONTH),
    _field("quarter", "The quarter, from 1", *_DATES),
    _field("month", "The month, from 1", *_DATES, _YEAR_MONTH),
    _field("week", "The week of the ISO year", *_DATES),
    _field("week_of_year", "The week of the ISO year", *_DATES),
    _field("year_of_week", "The ISO year, that of the week", *_DATES),
    _field("yow", "The ISO year, that of the week", *_DATES),
    _field("day", "The day of the month", *_DATES, _DAY_SECOND),
    _field("day_of_month", "The day of the month", *_DATES, _DAY_SECOND),
    _field("day_of_week", "The day of the week, from 1 for Monday", *_DATES),
    _field("dow", "The day of the week, from 1 for Monday", *_DATES),
    _field("day_of_year", "The day of the year, from 1", *_DATES),
    _field("doy", "The day of the year, from 1", *_DATES),
    _field("hour", "The hour", *_CLOCKS, _DAY_SECOND),
    _field("minute", "The minute", *_CLOCKS, _DAY_SECOND),
    _field("second", "The second", *_CLOCKS, _DAY_SECOND),
    _field("millisecond", "The millisecond of the second", *_CLOCKS, _DAY_SECOND),
    scalar(
        "date",
        "(varchar(x)) -> date",
        "(timestamp(p)) -> date",
        "(timestamp(p) with time zone) -> date",
        "(date) -> date",
        help="The date of a timestamp or a text",
        raises="a text that is no date",
    ),
    scalar(
        "last_day_of_month",
        "(date) -> date",
        "(timestamp(p)) -> date",
        "(timestamp(p) with time zone) -> date",
        help="The last day of the month",
    ),
    scalar(
        "date_trunc",
        *(text.replace("{0}", "") for text in (*_MOMENTS, _ZONED, _TIMES)),
        help="Cut down to a unit",
    ),
    scalar(
        "date_add",
        *(text.replace("{0}", "bigint, ") for text in (*_MOMENTS, _ZONED, _TIMES)),
        help="So many units later, or earlier if negative",
        raises="a result outside the calendar",
    ),
    scalar(
        "date_diff",
        "(varchar(x), date, date) -> bigint",
        "(varchar(x), timestamp(p), timestamp(p)) -> bigint",
        "(varchar(x), timestamp(p) with time zone, timestamp(p) with time zone) -> bigint",
        "(varchar(x), time(p), time(p)) -> bigint",
        help="Complete units from the first to the second",
    ),
    scalar(
        "date_format",
        "(timestamp(p), varchar(x)) -> varchar",
        "(timestamp(p) with time zone, varchar(x)) -> varchar",
        help="As text, in a format of %Y, %m, %d, … as MySQL has them",
    ),
    scalar(
        "date_parse",
        "(varchar(x), varchar(y)) -> timestamp(3)",
        help="A timestamp from text, in a format of %Y, %m, %d, … as MySQL has them",
        raises="a text that is not of the format",
    ),
    scalar(
        "format_datetime",
        "(timestamp(p), varchar(x)) -> varchar",
        "(timestamp(p) with time zone, varchar(x)) -> varchar",
        help="As text, in a format of yyyy, MM, dd, … as Java has them",
    ),
    scalar(
        "parse_datetime",
        "(varchar(x), varchar(y)) -> timestamp(3) with time zone",
        help="A timestamp from text, in a format of yyyy, MM, dd, … as Java has them",
        raises="a text that is not of the format",
    ),
    scalar(
        "parse_duration",
        "(varchar(x)) -> interval day to second",
        help="The interval of a text such as 1.5h, of ns, us, ms, s, m, h or d",
        raises="a text that is no duration",
    ),
    scalar(
        "human_readable_seconds",
        "(double) -> varchar",
        help="Seconds in words: 1 minute, 36 seconds",
        raises="NaN and infinity",
    ),
    scalar(
        "to_iso8601",
        "(date) -> varchar(16)",
        ("(timestamp(p)) -> ?", _iso_length(0)),
        ("(timestamp(p) with time zone) -> ?", _iso_length(6)),
        help="As text of ISO 8601",
    ),
    scalar(
        "from_iso8601_date",
        "(varchar(x)) -> date",
        help="A date from text of ISO 8601",
        raises="a text that is no date",
    ),
    scalar(
        "from_iso8601_timestamp",
        "(varchar(x)) -> timestamp(3) with time zone",
        help="A timestamp from text of ISO 8601",
        raises="a text that is no timestamp",
    ),
    scalar(
        "from_unixtime",
        "(double) -> timestamp(3) with time zone",
        "(double, varchar(x)) -> timestamp(3) with time zone",
        "(double, bigint, bigint) -> timestamp(3) with time zone",
        help="The timestamp of seconds since 1970",
        raises="a number outside the calendar",
    ),
    scalar(
        "to_unixtime",
        "(timestamp(p)) -> double",
        "(timestamp(p) with time zone) -> double",
        help="The seconds since 1970, of a timestamp without a zone as if it were in UTC",
    ),
    scalar("to_milliseconds", _DAY_SECOND, help="The milliseconds of an interval"),
)
