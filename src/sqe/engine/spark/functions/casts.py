"""CAST and TRY_CAST with Trino's answers, in Spark SQL.

Spark cuts where Trino rounds, takes texts that Trino refuses and the other way round, prints doubles
plainly, and neither cuts nor pads text. `safe` is TRY_CAST: NULL where the cast would fail.
"""

from __future__ import annotations

from sqe.engine.spark.functions.json_casts import around_json, from_json, read_inside, to_json
from sqe.engine.spark.functions.text import refuse, share, string
from sqe.engine.spark.functions.times import DAY, of_day
from sqe.engine.spark.types import quote_name, spark_type
from sqe.errors import NotSupported
from sqe.functions.bodies import TRIED
from sqe.functions.casts import SKETCHES, castable, is_binary
from sqe.functions.json_shapes import holds_json_to_read
from sqe.types.sql_types import (
    APPROXIMATE,
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_SECOND,
    DOUBLE,
    INTEGER_DIGITS,
    JSON,
    REAL,
    UNKNOWN,
    UUID,
    VARBINARY,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    Map,
    Row,
    Simple,
    Time,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
    coerces,
    is_integer,
    is_numeric,
    is_text,
    row_field_names,
)


def spark_cast(text: str, source: Type, target: Type, *, safe: bool) -> str:
    """Spark's text of CAST(text AS target)."""
    if source == target:
        return text
    if source == UNKNOWN:
        return _typed_null(text, target)
    if not castable(source, target):
        raise NotSupported(f"Cannot cast {source} to {target}")
    return _Cast(safe, 0).text(text, source, target)


def _typed_null(text: str, target: Type) -> str:
    """NULL of a type, from a text that is NULL and a STRING to Spark, which it casts to no array."""
    null = f"CAST(NULL AS {spark_type(target)})"
    if text == f"CAST(NULL AS {spark_type(UNKNOWN)})":
        return null
    if isinstance(target, (Array, Map, Row)):
        return f"transform(array({text}), u_ -> {null})[0]"
    return f"CAST({text} AS {spark_type(target)})"


class _Cast:
    """One cast; `depth` keeps the names of nested lambdas apart."""

    def __init__(self, safe: bool, depth: int) -> None:
        self.safe = safe
        self.depth = depth
        self.word = "try_cast" if safe else "CAST"

    def fail(self, message: str) -> str:
        return "NULL" if self.safe else refuse(message, code="INVALID_CAST_ARGUMENT")

    def plain(self, text: str, target: Type) -> str:
        return f"{self.word}({text} AS {spark_type(target)})"

    def text(self, text: str, source: Type, target: Type) -> str:
        if source == target or (is_binary(source) and is_binary(target)) or source in SKETCHES:
            return text
        if target in SKETCHES and source == VARBINARY:
            return self.sketch(text, target)
        if source == UNKNOWN:
            return _typed_null(text, target)
        if target == JSON:
            return to_json(text, source, printed_text(text, source))
        if source == JSON:
            return from_json(text, target, safe=self.safe)
        if isinstance(source, (Array, Map, Row)):
            return self.nested(text, source, target)
        if is_text(source):
            return self.from_text(text, source, target)
        if isinstance(target, (Varchar, Char)):
            return self.to_text(text, source, target)
        if target == BOOLEAN:
            return f"({text} <> 0)"
        if is_numeric(source) and is_numeric(target):
            return self.number(text, source, target)
        if source == BOOLEAN:
            return f"CAST({text} AS {spark_type(target)})"
        return _moment(text, source, target)

    def sketch(self, text: str, target: Type) -> str:
        if self.depth:
            raise NotSupported(f"a cast to {target} inside an array, a map or a row")
        return f"sqe_{SKETCHES[target]}_checked{TRIED if self.safe else ''}({text})"

    def nested(self, text: str, source: Type, target: Type) -> str:
        if holds_json_to_read(source, target):
            middle = around_json(source, target)
            return read_inside(self.text(text, source, middle), middle, target, safe=self.safe)
        inner = _Cast(self.safe, self.depth + 1)
        name = f"e{self.depth}_"
        match source, target:
            case Array(), Array():
                element = inner.text(name, source.element, target.element)
                if self.safe and element != name:
                    failed = f"exists({{0}}, {name} -> {name} IS NOT NULL AND {element} IS NULL)"
                    transformed = f"transform({{0}}, {name} -> {element})"
                    return share(f"CASE WHEN NOT {failed} THEN {transformed} END", (text,))
                if element == inner.plain(name, target.element):
                    return self.plain(text, target)
                return text if element == name else f"transform({text}, {name} -> {element})"
            case Map(), Map():
                key, value = f"k{self.depth}_", f"v{self.depth}_"
                keys = inner.text(key, source.key, target.key)
                values = inner.text(value, source.value, target.value)
                if self.safe and keys != key:
                    raise NotSupported(f"TRY_CAST of {source} to {target}")
                if self.safe and values != value:
                    failed = f"exists(map_values({{0}}), {value} -> {value} IS NOT NULL AND {values} IS NULL)"
                    transformed = f"transform_values({{0}}, ({key}, {value}) -> {values})"
                    return share(f"CASE WHEN NOT {failed} THEN {transformed} END", (text,))
                if values != value:
                    text = f"transform_values({text}, ({key}, {value}) -> {values})"
                return text if keys == key else f"transform_keys({text}, ({key}, {value}) -> {keys})"
            case Row(), Row():
                return self.row(text, source, target, inner)
        raise AssertionError((source, target))

    def row(self, text: str, source: Row, target: Row, inner: _Cast) -> str:
        fields = []
        failures = ["{0} IS NULL"]
        changed = False
        names = row_field_names(source)
        for old, new, a, b in zip(names, row_field_names(target), source.fields, target.fields, strict=True):
            place = f"({{0}}).{quote_name(old)}"
            value = inner.text(place, a.type, b.type)
            changed = changed or value != place
            if self.safe and value != place:
                failures.append(f"({place} IS NOT NULL AND {value} IS NULL)")
            fields.append(f"{string(new)}, {value}")
        if not changed:
            return text if names == row_field_names(target) else f"CAST({text} AS {spark_type(target)})"
        # A row that is NULL stays one, and does not become a row of NULLs.
        failed = " OR ".join(failures)
        return share(f"if({failed}, NULL, named_struct({', '.join(fields)}))", (text,))

    def number(self, text: str, source: Type, target: Type) -> str:
        if is_integer(target) and not is_integer(source):
            return self.to_integer(text, source, target)
        if isinstance(target, Decimal) and source in APPROXIMATE:
            # By its shortest text, which an older Java does not always print. A decimal of NaN is NULL.
            value = _SHORTEST_REAL
            if source == DOUBLE:
                value = f"CASE WHEN length(CAST({{0}} AS STRING)) > 16 AND NOT isnan({{0}}) THEN {_FEWEST}"
                value += " ELSE CAST({0} AS STRING) END"
            return self.or_fail(text, value, target)
        if isinstance(target, Decimal) and not coerces(source, target):
            return self.or_fail(text, "{0}", target)
        return self.plain(text, target)

    def to_integer(self, text: str, source: Type, target: Type) -> str:
        """A half away from zero. Trino has two errors for what is out of range, by the types."""
        if isinstance(source, Decimal):
            assert isinstance(target, Simple)
            # Rounding may add a digit.
            if INTEGER_DIGITS[target] > source.precision - source.scale + min(source.scale, 1):
                return self.plain(f"round({text})", target)
            return self.or_fail(text, "round({0})", target)
        if target == BIGINT and source == REAL:
            # A real that is too large becomes the largest bigint, with no error.
            return share(
                f"CASE WHEN isnan({{0}}) THEN {self.fail('Cannot cast NaN to bigint')}"
                " WHEN {0} >= 9.223372036854775807E18D THEN 9223372036854775807L"
                " WHEN {0} <= -9.223372036854775808E18D THEN -9223372036854775808L"
                " ELSE CAST(round({0}) AS BIGINT) END",
                (text,),
            )
        if target == BIGINT:
            # Spark takes 2^63 for the largest bigint instead of failing.
            return share(
                "CASE WHEN isnan({0}) OR {0} >= 9.223372036854775807E18D OR {0} < -9.223372036854775808E18D"
                f" THEN {self.fail('Unable to cast to bigint')} ELSE CAST(round({{0}}) AS BIGINT) END",
                (text,),
            )
        return share(
            f"CASE WHEN isnan({{0}}) THEN {self.fail(f'Cannot cast NaN to {target}')}"
            f" ELSE {self.plain('round({0})', target)} END",
            (text,),
        )

    def or_fail(self, text: str, value: str, target: Type) -> str:
        """INVALID_CAST_ARGUMENT for whatever does not fit; Spark has other errors for some of it."""
        if self.safe:
            return share(f"try_cast({value} AS {spark_type(target)})", (text,))
        return share(
            f"coalesce(try_cast({value} AS {spark_type(target)}),"
            f" if({{0}} IS NULL, NULL, {self.fail(f'Cannot cast to {target}')}))",
            (text,),
        )

    def from_text(self, text: str, source: Type, target: Type) -> str:
        match target:
            case Varchar():
                assert isinstance(source, (Varchar, Char))
                fits = target.length is None or (source.length is not None and source.length <= target.length)
                return text if fits else f"left({text}, {target.length})"
            case Char():
                return f"rpad({text}, {target.length}, ' ')"
            case Timestamp():
                return share(
                    f"CASE WHEN {{0}} RLIKE {string(_TIMESTAMP)} THEN {self.timestamp(target)}"
                    f" WHEN {{0}} RLIKE {string(_WITH_OFFSET)} THEN {self.timestamp(target, _WITHOUT_OFFSET)}"
                    f" WHEN {{0}} RLIKE {string(_WITH_NAME)} THEN {_ZONE_OF_A_ROW}"
                    f" WHEN {{0}} IS NOT NULL THEN {self.fail(f'Value cannot be cast to {target}')} END",
                    (text,),
                )
            case TimestampTz():
                read = self.checked("{0}", _ZONED, self.timestamp(target), target)
                return share(f"CASE WHEN {other_zone(string(_ZONED))} ELSE {read} END", (text,))
            case Time():
                on_a_day = f"concat('{DAY} ', {{0}})"
                read = of_day(self.timestamp(Timestamp(target.precision), on_a_day), target)
                return self.checked(text, _TIME, read, target)
        if target == VARBINARY:
            return f"encode({text}, 'UTF-8')"
        if target == UUID:
            return self.checked(text, _UUID, "lower({0})", target)
        if target == DATE:
            return self.checked(text, _DATE, self.plain("{0}", target), target)
        if target == BOOLEAN:
            return share(
                "CASE WHEN lower({0}) IN ('t', 'true', '1') THEN true"
                " WHEN lower({0}) IN ('f', 'false', '0') THEN false"
                f" WHEN {{0}} IS NOT NULL THEN {self.fail('Cannot cast value to BOOLEAN')} END",
                (text,),
            )
        if target in APPROXIMATE:
            read = self.plain("regexp_replace(trim({0}), '[fFdD]$', '')", target)
            return self.checked(text, _DOUBLE, read, target)
        if isinstance(target, Decimal):
            # Spark takes blanks around it, as Trino does for all other numbers.
            read = f"try_cast({{0}} AS {spark_type(target)})"
            if not self.safe:
                read = f"coalesce({read}, {self.fail(f'Cannot cast to {target}')})"
            return self.checked(text, _DECIMAL, read, target)
        if is_integer(target):
            return self.or_fail(text, "{0}", target)
        raise NotSupported(f"Cannot cast {source} to {target}")

    def timestamp(self, target: Timestamp | TimestampTz, text: str = "{0}") -> str:
        """Digits beyond the sixth are only seen in the rounding of the sixth."""
        read = self.plain(f"regexp_replace(trim({text}), {_SEVENTH_DIGIT}, '$1')", target)
        if target.precision < 6:
            return round_timestamp(read, target.precision)
        return f"timestampadd(MICROSECOND, if({{0}} RLIKE {_ROUNDED_UP}, 1, 0), {read})"

    def checked(self, text: str, pattern: str, read: str, target: Type) -> str:
        """`read` only a text of the form that Trino takes: Spark takes many more."""
        return share(
            f"CASE WHEN {{0}} RLIKE {string(pattern)} THEN {read}"
            f" WHEN {{0}} IS NOT NULL THEN {self.fail(f'Value cannot be cast to {target}')} END",
            (text,),
        )

    def to_text(self, text: str, source: Type, target: Varchar | Char) -> str:
        printed = printed_text(text, source)
        if isinstance(target, Char):
            return f"rpad({printed}, {target.length}, ' ')"
        if target.length is None:
            return printed
        # Only text is cut to a length; anything else must fit.
        return share(
            f"CASE WHEN char_length({{0}}) > {target.length}"
            f" THEN {self.fail(f'Value cannot be represented as {target}')} ELSE {{0}} END",
            (printed,),
        )


_DATE = r"^\s*[+-]?[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}\s*$"
_CLOCK = r"([01]?[0-9]|2[0-3]):[0-9]{1,2}(:[0-9]{1,2}([.][0-9]{1,12})?)?"
_TIME = r"^([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]{1,12})?)? *$"
_SEVENTH_DIGIT = string("([.][0-9]{6})[0-9]+")
_ROUNDED_UP = string("[.][0-9]{6}[5-9]")
_TIMESTAMP = rf"^ *[+-]?[0-9]{{4,}}-[0-9]{{1,2}}-[0-9]{{1,2}}( {_CLOCK})? *$"
# Where a zone is not wanted, the clock in it is.
_OFFSET = r"( ?[+-][0-9]{2}:[0-9]{2}| (UTC|Z|GMT)) *$"
_WITH_OFFSET = rf"^ *[+-]?[0-9]{{4,}}-[0-9]{{1,2}}-[0-9]{{1,2}} {_CLOCK}{_OFFSET}"
_WITH_NAME = rf"^ *[+-]?[0-9]{{4,}}-[0-9]{{1,2}}-[0-9]{{1,2}} {_CLOCK} ?[A-Za-z]"
_ZONE_OF_A_ROW = refuse("A text of a column cannot be cast with a zone of its own", code="NOT_SUPPORTED")
_WITHOUT_OFFSET = f"regexp_replace({{0}}, {string(_OFFSET)}, '')"
# A value's zone is part of its type here, so that a text that only a row knows can be in none but UTC.
_ZONE = r"( ?[+-]00:00| (UTC|Z|GMT))"
_ZONED = rf"^ *[+-]?[0-9]{{4,}}-[0-9]{{1,2}}-[0-9]{{1,2}}( {_CLOCK}{_ZONE}?)? *$"
_IN_A_ZONE = rf"^ *[+-]?[0-9]{{4,}}-[0-9]{{1,2}}-[0-9]{{1,2}}( {_CLOCK})? *([+-][0-9]|[A-Za-z])"
_DOUBLE = (
    r"^[\x00-\x20]*[+-]?(NaN|Infinity|(([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?)[fFdD]?)[\x00-\x20]*$"
)
_DECIMAL = r"^[0-9.eE+-]+$"
_UUID = r"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"


def other_zone(readable: str = "'^$'") -> str:
    """A branch of a CASE that fails for a text in a zone that only its row knows: also where a cast is tried,
    since NULL would be wrong. `readable` is the pattern of texts that can be read."""
    return f"{{0}} RLIKE {string(_IN_A_ZONE)} AND NOT {{0}} RLIKE {readable} THEN {_ZONE_OF_A_ROW}"


def printed_text(text: str, source: Type) -> str:
    """A value as Trino prints it."""
    match source:
        case Timestamp():
            return f"date_format({text}, '{_timestamp_pattern(source.precision)}')"
        case Time():
            # Spark leaves out zeros at the end, and the point with them.
            if not source.precision:
                return f"CAST({text} AS STRING)"
            digits = f"if(length(CAST({{0}} AS STRING)) > 8, '', '.')), {9 + source.precision}, '0')"
            return share(f"rpad(concat(CAST({{0}} AS STRING), {digits}", (text,))
        case TimestampTz():
            return f"concat(date_format({text}, '{_timestamp_pattern(source.precision)}'), ' UTC')"
    if source == DOUBLE:
        return share(_DOUBLE_TEXT, (text,))
    if source == REAL:
        return _real_text(text)
    if source == DAY_SECOND:
        millis = f"unix_millis(timestamp_millis(0) + {text})"
        return share(
            "concat(if({0} < 0, '-', ''), abs({0}) div 86400000, ' ',"
            " lpad(abs({0}) div 3600000 % 24, 2, '0'), ':', lpad(abs({0}) div 60000 % 60, 2, '0'), ':',"
            " lpad(abs({0}) div 1000 % 60, 2, '0'), '.', lpad(abs({0}) % 1000, 3, '0'))",
            (millis,),
        )
    if source == YEAR_MONTH:
        months = share("(12 * extract(YEAR FROM {0}) + extract(MONTH FROM {0}))", (text,))
        return share("concat(if({0} < 0, '-', ''), abs({0}) div 12, '-', abs({0}) % 12)", (months,))
    return f"CAST({text} AS STRING)"


def _timestamp_pattern(precision: int) -> str:
    return "yyyy-MM-dd HH:mm:ss" + ("." + "S" * precision if precision else "")


_DIGITS = "regexp_replace(replace(CAST(abs({0}) AS STRING), '.', ''), '^0+|0+$', '')"
# One digit before the point and at least one after it, whatever the exponent.
_SCIENTIFIC = (
    "concat(if({0} < 0, '-', ''), regexp_replace(" + _DIGITS + ", '^(.)(.*)$', '$1.$2'),"
    " if(length("
    + _DIGITS
    + ") = 1, '0', ''), 'E', CAST(if(abs({0}) >= 1, instr(CAST(abs({0}) AS STRING), '.') - 2,"
    " -length(regexp_extract(CAST(abs({0}) AS STRING), '^0[.](0*)', 1)) - 1) AS STRING))"
)
_SPECIAL = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN isnan({0}) THEN 'NaN' WHEN abs({0}) = double('Infinity')"
    " THEN if({0} > 0, 'Infinity', '-Infinity')"
    " WHEN {0} = 0 THEN if(CAST({0} AS STRING) LIKE '-%', '-0E0', '0E0')"
)
# Before 19, Java prints more digits than it takes to tell a double from its neighbours, or others: the
# fewest that read as the same number are looked for, from 15 on.
_FEWEST = (
    "regexp_replace(regexp_replace(CASE"
    " WHEN CAST(format_string('%.14E', {0}) AS DOUBLE) = {0} THEN format_string('%.14E', {0})"
    " WHEN CAST(format_string('%.15E', {0}) AS DOUBLE) = {0} THEN format_string('%.15E', {0})"
    " ELSE format_string('%.16E', {0}) END, '([.][0-9]+?)0+E', '$1E'), 'E[+]?(-?)0*([0-9]+)$', 'E$1$2')"
)
_SHORTEST_REAL = (
    "CASE WHEN {0} IS NULL OR isnan({0}) THEN NULL"
    + "".join(
        f" WHEN CAST(format_string('%.{n}E', CAST({{0}} AS DOUBLE)) AS FLOAT) = {{0}}"
        f" THEN format_string('%.{n}E', CAST({{0}} AS DOUBLE))"
        for n in (5, 6, 7)
    )
    + " ELSE format_string('%.8E', CAST({0} AS DOUBLE)) END"
)
_IS_LONG = "length(regexp_replace(CAST(abs({0}) AS STRING), 'E.*$|[.]', '')) > 15"
_DOUBLE_TEXT = (
    _SPECIAL
    + f" WHEN {_IS_LONG} THEN {_FEWEST}"
    + " WHEN instr(CAST({0} AS STRING), 'E') > 0 THEN CAST({0} AS STRING) ELSE "
    + _SCIENTIFIC
    + " END"
)


# The least reals have fewer than seven digits that tell them from their neighbours, and two at least.
_SUBNORMAL = (
    "WHEN abs({0}) < 1.1754943508222875E-38D THEN CASE"
    + "".join(
        f" WHEN CAST(format_string('%.{n}E', CAST({{0}} AS DOUBLE)) AS FLOAT) = {{0}}"
        f" THEN format_string('%.{n}E', CAST({{0}} AS DOUBLE))"
        for n in range(1, 6)
    )
    + " ELSE format_string('%.6E', CAST({0} AS DOUBLE)) END"
)


def _real_text(text: str) -> str:
    """Trino prints a real with seven digits at most, a half to the even one."""
    # Digits of the exact value, which is a half only where it has eight of them and the last is a 5.
    wide = "CAST(CAST({0} AS DOUBLE) AS STRING)"
    exact = f"regexp_replace(regexp_replace({wide}, 'E.*$', ''), '[-.]|^-?0[.]0*|[.]0$', '')"
    rounded = "format_string('%.6E', CAST({0} AS DOUBLE))"
    mantissa = f"regexp_replace(regexp_replace({rounded}, 'E.*$', ''), '(\\\\.[0-9]+?)0+$', '$1')"
    exponent = f"CAST(CAST(regexp_extract({rounded}, 'E([+-][0-9]+)$', 1) AS INT) AS STRING)"
    to_even = f"(length({exact}) = 8 AND substr({exact}, 7) IN ('05', '25', '45', '65', '85'))"
    cut = (
        f"regexp_replace(concat(if({{0}} < 0, '-', ''), substr({exact}, 1, 1), '.', substr({exact}, 2, 6)),"
        " '(\\\\.[0-9]+?)0+$', '$1')"
    )
    # `exponent` of a rounding up that carries is one too large, but 9.999999|5 goes up in both ways.
    return share(
        f"{_SPECIAL} {_SUBNORMAL} ELSE concat(if({to_even}, {cut}, {mantissa}), 'E', {exponent}) END", (text,)
    )


def round_timestamp(text: str, precision: int) -> str:
    """To fewer fraction digits than Spark's six, a half up."""
    if precision >= 6:
        return text
    unit = 10 ** (6 - precision)
    over = f"pmod(CAST(extract(SECOND FROM {{0}}) * 1000000 AS BIGINT), {unit})"
    return share(
        f"timestampadd(MICROSECOND, CAST(if({over} >= {unit // 2}, {unit}, 0) - {over} AS INT), {{0}})",
        (text,),
    )


def round_time(text: str, precision: int) -> str:
    """To fewer fraction digits, a half up; what is rounded up to midnight is the next day's 00:00."""
    unit = 10 ** (6 - precision)
    micros = f"time_diff('MICROSECOND', TIME '00:00:00', {text})"
    rounded = f"(({micros} + {unit // 2}) div {unit} * {unit} % 86400000000)"
    return share(
        "make_time(CAST({0} div 3600000000 AS INT), CAST({0} div 60000000 % 60 AS INT),"
        " CAST({0} % 60000000 AS DECIMAL(8,0)) * 0.000001BD)",
        (rounded,),
    )


def _moment(text: str, source: Type, target: Type) -> str:
    """Between dates, times and timestamps; only a smaller precision changes a value."""
    if isinstance(source, Time) and isinstance(target, Time):
        spark_type(target)  # refused where Spark has none
        return round_time(text, target.precision) if target.precision < source.precision else text
    result = text
    if isinstance(target, Time) and isinstance(source, (Timestamp, TimestampTz)):
        return of_day(round_timestamp(text, min(source.precision, target.precision)), target)
    if type(source) is not type(target) or source == DATE or target == DATE:
        result = f"CAST({text} AS {spark_type(target)})"
    fractions = [t.precision for t in (source, target) if isinstance(t, (Timestamp, TimestampTz))]
    if len(fractions) == 2 and fractions[1] < fractions[0]:
        result = round_timestamp(result, fractions[1])
    return result
