"""Dates, timestamps and intervals in Spark SQL. Its zone is UTC: a zoned timestamp is an instant there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.casts import round_timestamp
from sqe.engine.spark.functions.datetime_formats import joda_parts, joda_to_parse, mysql_parts, mysql_to_parse
from sqe.engine.spark.functions.text import refuse, share, shared, string
from sqe.engine.spark.functions.times import by_unit
from sqe.functions.constants import constant, constant_text, invalid
from sqe.tree.expressions import Call
from sqe.types.sql_types import DATE, Time, Timestamp, TimestampTz, Type, is_interval

Texts = Sequence[str]
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


def _unit(call: Call, moment: Type) -> str:
    unit = (constant_text(call, 0, "the unit") or "").lower()
    kind = "DATE" if moment == DATE else "Timestamp"
    is_unit = unit in _DATE_UNITS or (moment != DATE and unit in _MILLIS)
    if not is_unit:
        raise invalid(call, f"'{unit}' is not a valid {kind} field")
    return unit


def _ntz(t: Type, text: str) -> str:
    """As a timestamp without zone; Spark counts months in the session's zone otherwise."""
    return text if isinstance(t, Timestamp) else f"CAST({text} AS TIMESTAMP_NTZ)"


def _same_type(t: Type, text: str) -> str:
    """Spark's date_trunc makes a zoned timestamp of any."""
    return text if isinstance(t, TimestampTz) else f"CAST({text} AS TIMESTAMP_NTZ)"


def _trunc(call: Call, texts: Texts) -> str:
    moment = call.arguments[1].type
    unit = _unit(call, moment)
    if moment == DATE:
        return texts[1] if unit == "day" else f"trunc({texts[1]}, '{unit}')"
    return _same_type(moment, f"date_trunc('{unit}', {texts[1]})")


def _add(call: Call, texts: Texts) -> str:
    moment = call.arguments[2].type
    unit = _unit(call, moment)
    count = f"CAST({texts[1]} AS INT)"
    if moment == DATE:
        if unit in _MONTHS:
            return f"add_months({texts[2]}, {_times(count, _MONTHS[unit])})"
        return f"date_add({texts[2]}, {_times(count, 7 if unit == 'week' else 1)})"
    assert isinstance(moment, (Timestamp, TimestampTz))
    if unit == "millisecond":
        added = f"timestampadd(MICROSECOND, {texts[1]} * 1000, {texts[2]})"
    else:
        added = f"timestampadd({unit.upper()}, {texts[1]}, {texts[2]})"
    return (
        round_timestamp(added, moment.precision) if unit == "millisecond" and moment.precision < 3 else added
    )


def _times(count: str, factor: int) -> str:
    return count if factor == 1 else f"{factor} * {count}"


def _diff(call: Call, texts: Texts) -> str:
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


def _printed(read: Callable[[Call, str], list[tuple[str, bool]]]) -> Renderer:
    """In a format that `read` makes parts of: patterns of Spark's, and SQL."""

    def render(call: Call, texts: Texts) -> str:
        pattern = constant_text(call, 1, "the format")
        if pattern is None:
            return "CAST(NULL AS STRING)"
        parts = []
        for spark, is_pattern in read(call, pattern):
            parts.append(f"date_format({{0}}, {string(spark)})" if is_pattern else spark)
        if not parts:
            template = "if({0} IS NULL, NULL, '')"
        else:
            template = parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"
        return share(template, (_in_millis(call.arguments[0].type, texts[0]),))

    return render


def _in_millis(t: Type, text: str) -> str:
    """Trino's formatters know milliseconds only."""
    assert isinstance(t, (Timestamp, TimestampTz))
    return round_timestamp(text, 3) if t.precision > 3 else text


def _parse(call: Call, texts: Texts) -> str:
    pattern = constant_text(call, 1, "the format")
    if pattern is None:
        return "CAST(NULL AS TIMESTAMP_NTZ)"
    spark = mysql_to_parse(call, pattern)
    text = _with_large_letters(spark, texts[0])
    if spark.endswith("SSSSSS"):
        # As many digits as there are; Spark wants six.
        text = share(
            "concat(regexp_replace({0}, '[0-9]{1,9}$', ''),"
            " rpad(left(regexp_extract({0}, '([0-9]{1,9})$', 1), 6), 6, '0'))",
            (text,),
        )
    read = f"to_timestamp_ntz({text}, {string(spark)})"
    if spark.endswith("SSSSSS"):
        read = f"CAST(date_trunc('millisecond', {read}) AS TIMESTAMP_NTZ)"
    if "yy" in spark.replace("yyyy", ""):
        # 69 is 2069, and 70 is 1970.
        read = share("if(year({0}) >= 2070, timestampadd(YEAR, -100, {0}), {0})", (read,))
    return read


def _with_large_letters(spark: str, text: str) -> str:
    """Spark reads no am and pm; names of months would be lost."""
    return f"upper({text})" if "a" in spark and "MMM" not in spark and "'" not in spark else text


def _parse_joda(call: Call, texts: Texts) -> str:
    pattern = constant_text(call, 1, "the format")
    if pattern is None:
        return "CAST(NULL AS TIMESTAMP)"
    spark = joda_to_parse(call, pattern)
    return f"to_timestamp({_with_large_letters(spark, texts[0])}, {string(spark)})"


_UNITS = {"ns": "1E-6", "us": "1E-3", "ms": "1E0", "s": "1E3", "m": "6E4", "h": "3.6E6", "d": "8.64E7"}
_DURATION = string(r"^\s*([0-9]+(?:[.][0-9]+)?)\s*([a-zA-Z]+)\s*$")
_FACTOR = (
    f"CASE regexp_extract({{0}}, {_DURATION}, 2) "
    + " ".join(f"WHEN '{unit}' THEN {factor}D" for unit, factor in _UNITS.items())
    + " END"
)
_PARSE_DURATION = (
    f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN NOT ({{0}} RLIKE {_DURATION}) OR {_FACTOR} IS NULL THEN "
    + refuse("duration is not a valid data duration string")
    + f" ELSE timestamp_millis(CAST(floor(CAST(regexp_extract({{0}}, {_DURATION}, 1) AS DOUBLE) * {_FACTOR}"
    " + 0.5D) AS BIGINT)) - timestamp_millis(0) END)"
)


def _human_readable(call: Call, texts: Texts) -> str:
    """1 week, 2 days, …: without what is zero, unless all is."""
    seconds = "CAST(floor(abs({0}) + 0.5D) AS BIGINT)"
    parts, rest = [], seconds
    for unit, size in (("week", 604800), ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count = f"(({rest}) div {size})"
        parts.append(f"if({count} = 0, NULL, concat({count}, ' {unit}', if({count} = 1, '', 's')))")
        rest = f"{seconds} % {size}"
    return share(
        "(CASE WHEN isnan({0}) OR abs({0}) = double('Infinity') THEN "
        + refuse("Invalid argument found")
        + f" WHEN {seconds} = 0 THEN '0 seconds' WHEN {{0}} IS NOT NULL"
        + f" THEN concat_ws(', ', {', '.join(parts)}) END)",
        texts,
    )


def _to_iso8601(call: Call, texts: Texts) -> str:
    t = call.arguments[0].type
    if t == DATE:
        return f"CAST({texts[0]} AS STRING)"
    assert isinstance(t, (Timestamp, TimestampTz))
    fraction = "." + "S" * t.precision if t.precision else ""
    zone = "\\'Z\\'" if isinstance(t, TimestampTz) else ""
    return f"date_format({texts[0]}, 'yyyy-MM-dd\\'T\\'HH:mm:ss{fraction}{zone}')"


def _checked(pattern: str, kind: str) -> Renderer:
    return shared(
        f"(CASE WHEN {{0}} RLIKE {string(pattern)} THEN CAST({{0}} AS {kind})"
        " WHEN {0} IS NOT NULL THEN " + refuse("Invalid format") + " END)"
    )


def _from_iso8601_timestamp(call: Call, texts: Texts) -> str:
    # The zone is part of the type: a text that only a row knows can be in none but UTC.
    is_constant = isinstance(constant(call.arguments[0]), str)
    pattern = _ISO_TIMESTAMP if is_constant else _ISO_TIMESTAMP.replace("[+-][0-9]{2}:[0-9]{2}", "[+-]00:00")
    return round_timestamp(_checked(pattern, "TIMESTAMP")(call, texts), 3)


_ISO_DATE = string("^[0-9]{4}(-[0-9]{1,2}(-[0-9]{1,2})?)?$")
_ISO_ORDINAL = string("^([0-9]{4})-([0-9]{3})$")
_ISO_WEEK = string("^([0-9]{4})-W([0-9]{1,2})(?:-([1-7]))?$")


def _iso_part(pattern: str, group: int) -> str:
    return f"CAST(regexp_extract({{0}}, {pattern}, {group}) AS INT)"


_YEAR_OF_ORDINAL = f"make_date({_iso_part(_ISO_ORDINAL, 1)}, 1, 1)"
_ORDINAL = f"date_add({_YEAR_OF_ORDINAL}, {_iso_part(_ISO_ORDINAL, 2)} - 1)"
# The fourth of January is in the first week.
_FIRST_WEEK = f"trunc(make_date({_iso_part(_ISO_WEEK, 1)}, 1, 4), 'week')"
_WEEKDAY_OF_TEXT = f"coalesce(CAST(nullif(regexp_extract({{0}}, {_ISO_WEEK}, 3), '') AS INT), 1)"
_WEEK = f"date_add({_FIRST_WEEK}, ({_iso_part(_ISO_WEEK, 2)} - 1) * 7 + {_WEEKDAY_OF_TEXT} - 1)"
_BAD_DATE = refuse("Invalid format")
# Fewer digits, and nothing but a year.
_ISO_SHORT = "'^([0-9]{1,4})(-([0-9]{1,2}))?(-([0-9]{1,2}))?$'"
_SHORT = (
    "concat_ws('-', "
    + ", ".join(
        f"lpad(coalesce(nullif(regexp_extract({{0}}, {_ISO_SHORT}, {group}), ''), '1'), {size}, '0')"
        for group, size in ((1, 4), (3, 2), (5, 2))
    )
    + ")"
)
_ISO_FAR = "'^([+-][0-9]+|[0-9]{5,})(-.*)?$'"
_FAR_DATE = refuse("a year that has a sign or five digits", code="NOT_SUPPORTED")
_FROM_ISO_DATE = (
    f"(CASE WHEN {{0}} RLIKE {_ISO_DATE} THEN coalesce(try_cast({{0}} AS DATE), {_BAD_DATE})"
    f" WHEN {{0}} RLIKE {_ISO_ORDINAL} THEN"
    f" if(dayofyear({_ORDINAL}) = {_iso_part(_ISO_ORDINAL, 2)}, {_ORDINAL}, {_BAD_DATE})"
    f" WHEN {{0}} RLIKE {_ISO_WEEK} THEN"
    f" if(weekofyear({_WEEK}) = {_iso_part(_ISO_WEEK, 2)}, {_WEEK}, {_BAD_DATE})"
    f" WHEN {{0}} RLIKE {_ISO_SHORT} THEN coalesce(try_cast({_SHORT} AS DATE), {_BAD_DATE})"
    f" WHEN {{0}} RLIKE {_ISO_FAR} THEN {_FAR_DATE}"
    f" WHEN {{0}} IS NOT NULL THEN {_BAD_DATE} END)"
)
_ISO_TIMESTAMP = (
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"
)


def _part(name: str, spark: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        if is_interval(call.arguments[0].type):
            if name == "millisecond":
                return f"(unix_millis(timestamp_millis(0) + {texts[0]}) % 1000)"
            unit = {"day_of_month": "DAY"}.get(name, name.upper())
            # extract gives seconds with their fraction.
            return f"CAST(extract({unit} FROM {texts[0]}) AS BIGINT)"
        if name == "millisecond" and isinstance(call.arguments[0].type, Time):
            return f"(CAST(extract(SECOND FROM {texts[0]}) * 1000 AS BIGINT) % 1000)"
        return f"CAST({spark.replace('{0}', texts[0])} AS BIGINT)"

    return render


def _to_date(call: Call, texts: Texts) -> str:
    from sqe.engine.spark.functions.casts import spark_cast

    return spark_cast(texts[0], call.arguments[0].type, DATE, safe=False)


_WEEKDAY = "(weekday({0}) + 1)"
_ISO_YEAR = "extract(YEAROFWEEK FROM {0})"


RENDERINGS: dict[str, Rendering] = {
    "date": _to_date,
    "last_day_of_month": "last_day({0})",
    "date_trunc": by_unit(_trunc),
    "date_add": by_unit(_add),
    "date_diff": by_unit(_diff),
    "date_format": _printed(mysql_parts),
    "date_parse": _parse,
    "format_datetime": _printed(joda_parts),
    "parse_datetime": _parse_joda,
    "parse_duration": shared(_PARSE_DURATION),
    "human_readable_seconds": _human_readable,
    "to_iso8601": _to_iso8601,
    "from_iso8601_date": shared(_FROM_ISO_DATE),
    "from_iso8601_timestamp": _from_iso8601_timestamp,
    # As Math.round does it: a half goes up, below zero too.
    "from_unixtime": "timestamp_millis(floor({0} * 1000D + 0.5D))",
    "to_unixtime": "(unix_micros(CAST({0} AS TIMESTAMP)) / 1000000D)",
    "to_milliseconds": "unix_millis(timestamp_millis(0) + {0})",
    "year": _part("year", "year({0})"),
    "quarter": _part("quarter", "quarter({0})"),
    "month": _part("month", "month({0})"),
    "week": _part("week", "weekofyear({0})"),
    "week_of_year": _part("week_of_year", "weekofyear({0})"),
    "year_of_week": _part("year_of_week", _ISO_YEAR),
    "yow": _part("yow", _ISO_YEAR),
    "day": _part("day", "day({0})"),
    "day_of_month": _part("day_of_month", "day({0})"),
    "day_of_week": _part("day_of_week", _WEEKDAY),
    "dow": _part("dow", _WEEKDAY),
    "day_of_year": _part("day_of_year", "dayofyear({0})"),
    "doy": _part("doy", "dayofyear({0})"),
    "hour": _part("hour", "hour({0})"),
    "minute": _part("minute", "minute({0})"),
    "second": _part("second", "second({0})"),
    "millisecond": _part("millisecond", "date_format({0}, 'SSS')"),
}
