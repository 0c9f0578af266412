"""Dates, timestamps and intervals. The engine's zone is UTC: a zoned timestamp is an instant there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.errors import NotSupported
from sqe.functions.casts import round_timestamp
from sqe.functions.datetime_formats import joda_to_spark, mysql_parts, mysql_to_parse
from sqe.functions.function import Renderer, scalar
from sqe.functions.spark_text import constant, constant_text, invalid, refuse, share, shared, string
from sqe.tree.types import DATE, Timestamp, TimestampTz, Type, Varchar, is_interval

Texts = Sequence[str]

_DATES = ("(date) -> bigint", "(timestamp(p)) -> bigint", "(timestamp(p) with time zone) -> bigint")
_CLOCKS = ("(timestamp(p)) -> bigint", "(timestamp(p) with time zone) -> bigint")
_DAY_SECOND = "(interval day to second) -> bigint"
_YEAR_MONTH = "(interval year to month) -> bigint"
_MOMENTS = ("(varchar(x), {0}date) -> date", "(varchar(x), {0}timestamp(p)) -> timestamp(p)")
_ZONED = "(varchar(x), {0}timestamp(p) with time zone) -> timestamp(p) with time zone"

_DATE_UNITS = ("day", "week", "month", "quarter", "year")
_MILLIS = {
    "millisecond": 1,
    "second": 1000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 604_800_000,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def _unit(call: Any, moment: Type) -> str:
    unit = (constant_text(call, 0, "the unit") or "").lower()
    kind = "DATE" if moment == DATE else "Timestamp"
    known = unit in _DATE_UNITS or (moment != DATE and unit in _MILLIS)
    if not known:
        raise invalid(call, f"'{unit}' is not a valid {kind} field")
    return unit


def _ntz(t: Type, text: str) -> str:
    """As a timestamp without zone; Spark counts months in the session's zone otherwise."""
    return text if isinstance(t, Timestamp) else f"CAST({text} AS TIMESTAMP_NTZ)"


def _same_type(t: Type, text: str) -> str:
    """Spark's date_trunc makes a zoned timestamp of any."""
    return text if isinstance(t, TimestampTz) else f"CAST({text} AS TIMESTAMP_NTZ)"


def _trunc(call: Any, texts: Texts) -> str:
    moment = call.arguments[1].type
    unit = _unit(call, moment)
    if moment == DATE:
        return texts[1] if unit == "day" else f"trunc({texts[1]}, '{unit}')"
    return _same_type(moment, f"date_trunc('{unit}', {texts[1]})")


def _add(call: Any, texts: Texts) -> str:
    moment = call.arguments[2].type
    unit = _unit(call, moment)
    count = f"CAST({texts[1]} AS INT)"
    if moment == DATE:
        if unit in _MONTHS:
            return f"add_months({texts[2]}, {_times(count, _MONTHS[unit])})"
        return f"date_add({texts[2]}, {_times(count, 7 if unit == 'week' else 1)})"
    if unit == "millisecond":
        added = f"timestampadd(MICROSECOND, {texts[1]} * 1000, {texts[2]})"
    else:
        added = f"timestampadd({unit.upper()}, {texts[1]}, {texts[2]})"
    return (
        round_timestamp(added, moment.precision) if unit == "millisecond" and moment.precision < 3 else added
    )


def _times(count: str, factor: int) -> str:
    return count if factor == 1 else f"{factor} * {count}"


def _diff(call: Any, texts: Texts) -> str:
    """Complete units from the first to the second, toward zero."""
    moment = call.arguments[1].type
    unit = _unit(call, moment)
    pair = texts[1:]
    if unit in _MONTHS:
        months = _months_between(moment, pair)
        return months if unit == "month" else f"({months} div {_MONTHS[unit]})"
    if moment == DATE:
        days = f"datediff({pair[1]}, {pair[0]})"
        return f"CAST({days} AS BIGINT)" if unit == "day" else f"CAST(({days} div 7) AS BIGINT)"
    # Trino counts in milliseconds, each side rounded down to them.
    millis = [f"unix_millis(CAST({text} AS TIMESTAMP))" for text in pair]
    return f"(({millis[1]} - {millis[0]}) div {_MILLIS[unit]})"


_MONTH = "(year({0}) * 12 + month({0}))"


def _months_between(moment: Type, pair: Texts) -> str:
    """A month is complete where adding it does not pass the end: 31 January to 29 February is one."""
    add = "add_months({0}, {1})" if moment == DATE else "timestampadd(MONTH, {1}, {0})"
    texts = [text if moment == DATE else _ntz(moment, text) for text in pair]

    def complete(start: str, end: str) -> str:
        count = f"({_MONTH.replace('{0}', end)} - {_MONTH.replace('{0}', start)})"
        reached = add.replace("{0}", start).replace("{1}", count)
        return f"({count} - if({reached} > {end}, 1, 0))"

    template = (
        f"CAST(CASE WHEN {{1}} >= {{0}} THEN {complete('[0]', '[1]')}"
        f" ELSE - {complete('[1]', '[0]')} END AS BIGINT)"
    )
    return share(template.replace("[0]", "{0}").replace("[1]", "{1}"), texts)


def _format(call: Any, texts: Texts) -> str:
    pattern = constant_text(call, 1, "the format")
    if pattern is None:
        return "CAST(NULL AS STRING)"
    parts = []
    for spark, is_pattern in mysql_parts(call, pattern):
        parts.append(f"date_format({{0}}, {string(spark)})" if is_pattern else spark)
    template = (
        parts[0]
        if len(parts) == 1
        else f"concat({', '.join(parts)})"
        if parts
        else "if({0} IS NULL, NULL, '')"
    )
    return share(template, (_in_millis(call.arguments[0].type, texts[0]),))


def _format_joda(call: Any, texts: Texts) -> str:
    pattern = constant_text(call, 1, "the format")
    if pattern is None:
        return "CAST(NULL AS STRING)"
    return (
        f"date_format({_in_millis(call.arguments[0].type, texts[0])}, {string(joda_to_spark(call, pattern))})"
    )


def _in_millis(t: Type, text: str) -> str:
    """Trino's formatters know milliseconds only."""
    assert isinstance(t, (Timestamp, TimestampTz))
    return round_timestamp(text, 3) if t.precision > 3 else text


def _parse(call: Any, texts: Texts) -> str:
    pattern = constant_text(call, 1, "the format")
    if pattern is None:
        return "CAST(NULL AS TIMESTAMP_NTZ)"
    return f"to_timestamp_ntz({texts[0]}, {string(mysql_to_parse(call, pattern))})"


def _iso_length(zone: int) -> Any:
    def rule(parameters: tuple[Type, ...]) -> Type:
        t = parameters[0]
        assert isinstance(t, (Timestamp, TimestampTz))
        return Varchar(22 + (t.precision + 1 if t.precision else 0) + zone)

    return rule


def _to_iso8601(call: Any, texts: Texts) -> str:
    t = call.arguments[0].type
    if t == DATE:
        return f"CAST({texts[0]} AS STRING)"
    fraction = "." + "S" * t.precision if t.precision else ""
    zone = "\\'Z\\'" if isinstance(t, TimestampTz) else ""
    return f"date_format({texts[0]}, 'yyyy-MM-dd\\'T\\'HH:mm:ss{fraction}{zone}')"


def _checked(pattern: str, kind: str) -> Renderer:
    return shared(
        f"(CASE WHEN {{0}} RLIKE {string(pattern)} THEN CAST({{0}} AS {kind})"
        " WHEN {0} IS NOT NULL THEN " + refuse("Invalid format") + " END)"
    )


def _from_iso8601_timestamp(call: Any, texts: Texts) -> str:
    # The zone is part of the type: a text that only a row knows can be in none but UTC.
    known = isinstance(constant(call.arguments[0]), str)
    pattern = _ISO_TIMESTAMP if known else _ISO_TIMESTAMP.replace("[+-][0-9]{2}:[0-9]{2}", "[+-]00:00")
    return round_timestamp(_checked(pattern, "TIMESTAMP")(call, texts), 3)


_ISO_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_ISO_TIMESTAMP = (
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"
)


def _field(name: str, spark: str, help: str, *signatures: str) -> Any:
    """A part of a date or timestamp; of an interval where Trino has it."""

    def render(call: Any, texts: Texts) -> str:
        if is_interval(call.arguments[0].type):
            if name == "millisecond":
                raise NotSupported("millisecond of an interval", position=call.position)
            unit = {"day_of_month": "DAY"}.get(name, name.upper())
            # extract gives seconds with their fraction.
            return f"CAST(extract({unit} FROM {texts[0]}) AS BIGINT)"
        return f"CAST({spark.replace('{0}', texts[0])} AS BIGINT)"

    return scalar(name, *signatures, spark=render, help=help)


def _to_date(call: Any, texts: Texts) -> str:
    from sqe.functions.casts import spark_cast

    return spark_cast(texts[0], call.arguments[0].type, DATE, safe=False)


_WEEKDAY = "(weekday({0}) + 1)"
_ISO_YEAR = "extract(YEAROFWEEK FROM {0})"

FUNCTIONS = (
    _field("year", "year({0})", "The year", *_DATES, _YEAR_MONTH),
    _field("quarter", "quarter({0})", "The quarter, from 1", *_DATES),
    _field("month", "month({0})", "The month, from 1", *_DATES, _YEAR_MONTH),
    _field("week", "weekofyear({0})", "The week of the ISO year", *_DATES),
    _field("week_of_year", "weekofyear({0})", "The week of the ISO year", *_DATES),
    _field("year_of_week", _ISO_YEAR, "The ISO year, that of the week", *_DATES),
    _field("yow", _ISO_YEAR, "The ISO year, that of the week", *_DATES),
    _field("day", "day({0})", "The day of the month", *_DATES, _DAY_SECOND),
    _field("day_of_month", "day({0})", "The day of the month", *_DATES, _DAY_SECOND),
    _field("day_of_week", _WEEKDAY, "The day of the week, from 1 for Monday", *_DATES),
    _field("dow", _WEEKDAY, "The day of the week, from 1 for Monday", *_DATES),
    _field("day_of_year", "dayofyear({0})", "The day of the year, from 1", *_DATES),
    _field("doy", "dayofyear({0})", "The day of the year, from 1", *_DATES),
    _field("hour", "hour({0})", "The hour", *_CLOCKS, _DAY_SECOND),
    _field("minute", "minute({0})", "The minute", *_CLOCKS, _DAY_SECOND),
    _field("second", "second({0})", "The second", *_CLOCKS, _DAY_SECOND),
    _field("millisecond", "date_format({0}, 'SSS')", "The millisecond of the second", *_CLOCKS),
    scalar(
        "date",
        "(varchar(x)) -> date",
        "(timestamp(p)) -> date",
        "(timestamp(p) with time zone) -> date",
        "(date) -> date",
        spark=_to_date,
        help="The date of a timestamp or a text",
        raises=True,
    ),
    scalar(
        "last_day_of_month",
        "(date) -> date",
        "(timestamp(p)) -> date",
        "(timestamp(p) with time zone) -> date",
        spark="last_day({0})",
        help="The last day of the month",
    ),
    scalar(
        "date_trunc",
        *(text.replace("{0}", "") for text in (*_MOMENTS, _ZONED)),
        spark=_trunc,
        help="Cut down to a unit",
    ),
    scalar(
        "date_add",
        *(text.replace("{0}", "bigint, ") for text in (*_MOMENTS, _ZONED)),
        spark=_add,
        help="So many units later, or earlier if negative",
        raises=True,
    ),
    scalar(
        "date_diff",
        "(varchar(x), date, date) -> bigint",
        "(varchar(x), timestamp(p), timestamp(p)) -> bigint",
        "(varchar(x), timestamp(p) with time zone, timestamp(p) with time zone) -> bigint",
        spark=_diff,
        help="Complete units from the first to the second",
    ),
    scalar(
        "date_format",
        "(timestamp(p), varchar(x)) -> varchar",
        "(timestamp(p) with time zone, varchar(x)) -> varchar",
        spark=_format,
        help="As text, in a format of %Y, %m, %d, … as MySQL has them",
    ),
    scalar(
        "date_parse",
        "(varchar(x), varchar(y)) -> timestamp(3)",
        spark=_parse,
        help="A timestamp from text, in a format of %Y, %m, %d, … as MySQL has them",
        raises=True,
    ),
    scalar(
        "format_datetime",
        "(timestamp(p), varchar(x)) -> varchar",
        "(timestamp(p) with time zone, varchar(x)) -> varchar",
        spark=_format_joda,
        help="As text, in a format of yyyy, MM, dd, … as Java has them",
    ),
    scalar(
        "to_iso8601",
        "(date) -> varchar(16)",
        ("(timestamp(p)) -> ?", _iso_length(0)),
        ("(timestamp(p) with time zone) -> ?", _iso_length(6)),
        spark=_to_iso8601,
        help="As text of ISO 8601",
    ),
    scalar(
        "from_iso8601_date",
        "(varchar(x)) -> date",
        spark=_checked(_ISO_DATE, "DATE"),
        help="A date from text of ISO 8601",
        raises=True,
    ),
    scalar(
        "from_iso8601_timestamp",
        "(varchar(x)) -> timestamp(3) with time zone",
        spark=_from_iso8601_timestamp,
        help="A timestamp from text of ISO 8601",
        raises=True,
    ),
    scalar(
        "from_unixtime",
        "(double) -> timestamp(3) with time zone",
        "(double, varchar(x)) -> timestamp(3) with time zone",
        "(double, bigint, bigint) -> timestamp(3) with time zone",
        # As Math.round does it: a half goes up, below zero too.
        spark="timestamp_millis(floor({0} * 1000D + 0.5D))",
        help="The timestamp of seconds since 1970",
        raises=True,
    ),
    scalar(
        "to_unixtime",
        "(timestamp(p) with time zone) -> double",
        spark="(unix_micros({0}) / 1000000D)",
        help="The seconds since 1970",
    ),
    scalar(
        "to_milliseconds",
        _DAY_SECOND,
        spark="unix_millis(timestamp_millis(0) + {0})",
        help="The milliseconds of an interval",
    ),
)
