"""Dates, timestamps and intervals in DuckDB's SQL.

What it does with a zoned timestamp goes through ICU, which costs much: everything is computed on a timestamp
without zone, and brought back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqe.engine.duckdb.functions.casts import duck_cast
from sqe.engine.duckdb.functions.datetime_formats import (
    ReadBy,
    joda_to_read,
    joda_to_strftime,
    mysql_to_read,
    mysql_to_strftime,
)
from sqe.engine.duckdb.functions.text import give_up, refuse, share, string
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.templates import fill
from sqe.errors import NotSupported
from sqe.functions.constants import constant, constant_text, invalid
from sqe.tree.expressions import Call
from sqe.types.sql_types import DATE, Time, Timestamp, TimestampTz, Type, is_interval

Texts = Sequence[str]
_DATE_UNITS = ("day", "week", "month", "quarter", "year")
_MICROS = {
    "millisecond": 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_FIRST, _END = "TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '10000-01-01 00:00:00'"
_ODD_YEAR = give_up("text of a year outside 1 to 9999")


def clock(t: Type, text: str) -> str:
    """What a clock in UTC shows: a timestamp without zone; a date stays one."""
    return f"make_timestamp(epoch_us({text}))" if isinstance(t, TimestampTz) else text


def at(t: Type, text: str) -> str:
    """The value of a type for what a clock in UTC shows."""
    if isinstance(t, TimestampTz):
        return f"make_timestamptz(epoch_us({text}))"
    return f"CAST({text} AS DATE)" if t == DATE else text


def _unit(call: Call, moment: Type) -> str:
    unit = (constant_text(call, 0, "the unit") or "").lower()
    kind = "DATE" if moment == DATE else "Timestamp"
    if not (unit in _DATE_UNITS or (moment != DATE and unit in _MICROS)):
        raise invalid(call, f"'{unit}' is not a valid {kind} field")
    return unit


def trunc(call: Call, texts: Texts) -> str:
    moment = call.arguments[1].type
    unit = _unit(call, moment)
    if moment == DATE and unit == "day":
        return texts[1]
    return at(moment, f"date_trunc('{unit}', {clock(moment, texts[1])})")


def add(call: Call, texts: Texts) -> str:
    moment = call.arguments[2].type
    unit = _unit(call, moment)
    if unit in _MONTHS:
        months = f"to_months({_times(f'CAST({texts[1]} AS INTEGER)', _MONTHS[unit])})"
        return at(moment, f"({clock(moment, texts[2])} + {months})")
    if moment == DATE:
        return f"({texts[2]} + {_times(f'CAST({texts[1]} AS INTEGER)', 7 if unit == 'week' else 1)})"
    assert isinstance(moment, (Time, Timestamp, TimestampTz))
    micros = f"(epoch_us({texts[2]}) + {_MICROS[unit]} * {texts[1]})"
    if unit == "millisecond" and moment.precision < 3:
        micros = _rounded(micros, moment.precision)
    return f"{'make_timestamptz' if isinstance(moment, TimestampTz) else 'make_timestamp'}({micros})"


def _times(count: str, factor: int) -> str:
    return count if factor == 1 else f"{factor} * {count}"


def _rounded(micros: str, precision: int) -> str:
    """Microseconds, rounded to fewer digits of a second, a half up."""
    step = 10 ** (6 - precision)
    half = f"({{0}} + {step // 2})"
    return share(f"({half} - (({half} % {step}) + {step}) % {step})", (micros,))


def in_millis(t: Type, text: str) -> str:
    """What a clock in UTC shows, rounded as Trino's formatters do it, which know milliseconds only."""
    assert isinstance(t, (Timestamp, TimestampTz))
    if t.precision <= 3:
        return clock(t, text)
    return f"make_timestamp({_rounded(f'epoch_us({text})', 3)})"


def diff(call: Call, texts: Texts) -> str:
    """Complete units from the first to the second, toward zero. DuckDB's date_sub counts those too; its
    date_diff counts boundaries."""
    moment = call.arguments[1].type
    unit = _unit(call, moment)
    start, end = texts[1:]
    if unit in _MONTHS:
        months = f"date_sub('month', {clock(moment, start)}, {clock(moment, end)})"
        return months if unit == "month" else f"({months} // {_MONTHS[unit]})"
    if moment == DATE:
        days = f"({end} - {start})"
        return days if unit == "day" else f"({days} // 7)"
    # Trino counts in milliseconds, each side rounded down to them.
    clocks = [a.type for a in call.arguments[1:] if isinstance(a.type, (Time, Timestamp, TimestampTz))]
    fine = any(t.precision > 3 for t in clocks)
    micros = [_down(f"epoch_us({text})") if fine else f"epoch_us({text})" for text in (start, end)]
    return f"(({micros[1]} - {micros[0]}) // {_MICROS[unit]})"


def _down(micros: str) -> str:
    return share("({0} - (({0} % 1000) + 1000) % 1000)", (micros,))


def field(name: str, duck: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        t = call.arguments[0].type
        if isinstance(t, Time):
            raise NotSupported(f"the fast lane has no {name} of {t}")
        if not is_interval(t):
            return fill(duck, (clock(t, texts[0]),))
        if name in ("year", "month"):
            return f"datepart('{name}', {texts[0]})"
        size = _MICROS["day" if name == "day_of_month" else name]
        whole = f"(epoch_us({texts[0]}) // {size})"
        rest = {"hour": 24, "minute": 60, "second": 60, "millisecond": 1000}.get(name)
        return f"({whole} % {rest})" if rest else whole

    return render


def to_date(call: Call, texts: Texts) -> str:
    return duck_cast(texts[0], call.arguments[0].type, DATE, safe=False)


def last_day(call: Call, texts: Texts) -> str:
    return f"last_day({clock(call.arguments[0].type, texts[0])})"


def printed(read: Callable[[Call, str], list[tuple[str, bool]]]) -> Renderer:
    """In a format that `read` makes parts of: formats of strftime, and SQL."""

    def render(call: Call, texts: Texts) -> str:
        pattern = constant_text(call, 1, "the format")
        if pattern is None:
            return "CAST(NULL AS VARCHAR)"
        parts = [
            f"strftime({{0}}, {string(text)})" if is_format else text
            for text, is_format in read(call, pattern)
        ]
        template = " || ".join(parts) if parts else "CASE WHEN {0} IS NOT NULL THEN '' END"
        return _in_known_years(template, in_millis(call.arguments[0].type, texts[0]))

    return render


def _in_known_years(template: str, moment: str) -> str:
    return share(
        f"(CASE WHEN {{0}} < {_FIRST} OR {{0}} >= {_END} THEN {_ODD_YEAR} ELSE {template} END)", (moment,)
    )


date_format = printed(mysql_to_strftime)
format_datetime = printed(joda_to_strftime)


def to_iso8601(call: Call, texts: Texts) -> str:
    t = call.arguments[0].type
    if t == DATE:
        return _in_known_years("CAST({0} AS VARCHAR)", texts[0])
    assert isinstance(t, (Timestamp, TimestampTz))
    zone = "Z" if isinstance(t, TimestampTz) else ""
    template = "strftime({0}, '%Y-%m-%dT%H:%M:%S')"
    if t.precision:
        template += f" || '.' || left(strftime({{0}}, '%f'), {t.precision})"
    return _in_known_years(template + (f" || '{zone}'" if zone else ""), clock(t, texts[0]))


_UNREAD = give_up("text that is not plainly of its format")


def _read(by: ReadBy, text: str) -> str:
    """What is plainly of the format; Spark says of the rest whether it is a value or an error."""
    parsed = f"try_strptime({{0}}, {string(by.strptime)})"
    if by.has_fraction:
        parsed = f"date_trunc('millisecond', {parsed})"
    return _plain_only(f"regexp_full_match({{0}}, {string(by.pattern)})", parsed, text)


def _plain_only(test: str, value: str, text: str) -> str:
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN NOT {test} OR {value} IS NULL THEN {_UNREAD}"
        f" ELSE {value} END)",
        (text,),
    )


def date_parse(call: Call, texts: Texts) -> str:
    pattern = constant_text(call, 1, "the format")
    if pattern is None:
        return "CAST(NULL AS TIMESTAMP)"
    return _read(mysql_to_read(call, pattern), texts[0])


def parse_datetime(call: Call, texts: Texts) -> str:
    pattern = constant_text(call, 1, "the format")
    if pattern is None:
        return "CAST(NULL AS TIMESTAMPTZ)"
    return at(call.type, _read(joda_to_read(call, pattern), texts[0]))


_YEAR = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_ISO_DATE = string(f"{_YEAR}-[0-9]{{2}}-[0-9]{{2}}")
_ISO_TIMESTAMP = string(
    f"{_YEAR}-[0-9]{{2}}-[0-9]{{2}}(T([01][0-9]|2[0-3])(:[0-5][0-9]){{2}}([.][0-9]{{1,3}})?Z?)?"
)


def from_iso8601_date(call: Call, texts: Texts) -> str:
    return _plain_only(f"regexp_full_match({{0}}, {_ISO_DATE})", "TRY_CAST({0} AS DATE)", texts[0])


def from_iso8601_timestamp(call: Call, texts: Texts) -> str:
    """A zone other than UTC is part of the type, and known only of a constant."""
    assert isinstance(call.type, TimestampTz)
    if isinstance(constant(call.arguments[0]), str) and call.type.zone != "UTC":
        raise NotSupported("from_iso8601_timestamp in a zone", position=call.position)
    value = "TRY_CAST(rtrim({0}, 'Z') AS TIMESTAMP)"
    return at(call.type, _plain_only(f"regexp_full_match({{0}}, {_ISO_TIMESTAMP})", value, texts[0]))


def from_unixtime(call: Call, texts: Texts) -> str:
    """As Math.round does it: a half goes up, below zero too, and NaN is 0."""
    return share(_FROM_UNIXTIME, texts)


_FROM_UNIXTIME = (
    "make_timestamptz(1000 * CAST(CASE WHEN isnan({0}) THEN 0"
    " ELSE floor({0} * 1000e0 + 0.5e0) END AS BIGINT))"
)


def human_readable(call: Call, texts: Texts) -> str:
    """1 week, 2 days, …: without what is zero, unless all is."""
    seconds = "CAST(floor(abs({0}) + 0.5e0) AS BIGINT)"
    parts, rest = [], seconds
    for unit, size in (("week", 604800), ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count = f"(({rest}) // {size})"
        parts.append(f"CASE {count} WHEN 0 THEN NULL WHEN 1 THEN '1 {unit}' ELSE {count} || ' {unit}s' END")
        rest = f"{seconds} % {size}"
    return share(
        "(CASE WHEN NOT isfinite({0}) THEN "
        + refuse("Invalid argument found")
        + f" WHEN abs({{0}}) >= 9.2e18 THEN {give_up('words for so many seconds')}"
        + f" WHEN {seconds} = 0 THEN '0 seconds' WHEN {{0}} IS NOT NULL"
        + f" THEN concat_ws(', ', {', '.join(parts)}) END)",
        texts,
    )


RENDERINGS: dict[str, Rendering] = {
    "date": to_date,
    "last_day_of_month": last_day,
    "date_trunc": trunc,
    "date_add": add,
    "date_diff": diff,
    "date_format": date_format,
    "date_parse": date_parse,
    "format_datetime": format_datetime,
    "parse_datetime": parse_datetime,
    "human_readable_seconds": human_readable,
    "to_iso8601": to_iso8601,
    "from_iso8601_date": from_iso8601_date,
    "from_iso8601_timestamp": from_iso8601_timestamp,
    "from_unixtime": from_unixtime,
    "to_unixtime": "(epoch_us({0}) / 1000000e0)",
    "to_milliseconds": "(epoch_us({0}) // 1000)",
    "year": field("year", "year({0})"),
    "quarter": field("quarter", "quarter({0})"),
    "month": field("month", "month({0})"),
    "week": field("week", "week({0})"),
    "week_of_year": field("week_of_year", "week({0})"),
    "year_of_week": field("year_of_week", "isoyear({0})"),
    "yow": field("yow", "isoyear({0})"),
    "day": field("day", "day({0})"),
    "day_of_month": field("day_of_month", "day({0})"),
    "day_of_week": field("day_of_week", "isodow({0})"),
    "dow": field("dow", "isodow({0})"),
    "day_of_year": field("day_of_year", "dayofyear({0})"),
    "doy": field("doy", "dayofyear({0})"),
    "hour": field("hour", "hour({0})"),
    "minute": field("minute", "minute({0})"),
    "second": field("second", "second({0})"),
    "millisecond": field("millisecond", "(millisecond({0}) % 1000)"),
}
