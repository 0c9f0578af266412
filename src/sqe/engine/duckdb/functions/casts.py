"""CAST and TRY_CAST with Trino's answers, in DuckDB's SQL. `safe` is TRY_CAST: NULL where it would fail.

DuckDB reads texts that Trino refuses, rounds doubles to even, and prints and reads years of four digits only.
"""

from __future__ import annotations

from sqe.engine.duckdb.functions.text import give_up, refuse, share, string
from sqe.engine.duckdb.types import duck_type, quote_name
from sqe.errors import NotSupported
from sqe.functions.bodies import TRIED
from sqe.functions.casts import SKETCHES, castable
from sqe.functions.json_shapes import holds_json_to_read
from sqe.types.sql_types import (
    APPROXIMATE,
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_SECOND,
    DOUBLE,
    JSON,
    REAL,
    UNKNOWN,
    UUID,
    VARBINARY,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    Fixed,
    Map,
    Row,
    Time,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
    is_integer,
    is_numeric,
    is_text,
    row_field_names,
)


def duck_cast(text: str, source: Type, target: Type, *, safe: bool) -> str:
    """DuckDB's text of CAST(text AS target). It is a template's text: see text.string about braces."""
    if source == target:
        return text
    if source == UNKNOWN:
        return f"CAST({text} AS {duck_type(target)})"
    if not castable(source, target):
        raise NotSupported(f"Cannot cast {source} to {target}")
    cast = _Cast(safe, 0).text(text, source, target)
    return f"({cast})" if cast.startswith("CASE ") else cast


def _is_binary(t: Type) -> bool:
    return t == VARBINARY or isinstance(t, Fixed)


class _Cast:
    """One cast; `depth` keeps the names of nested lambdas apart."""

    def __init__(self, safe: bool, depth: int) -> None:
        self.safe = safe
        self.depth = depth
        self.word = "TRY_CAST" if safe else "CAST"

    def fail(self, message: str) -> str:
        return "NULL" if self.safe else refuse(message, code="INVALID_CAST_ARGUMENT")

    def plain(self, text: str, target: Type) -> str:
        return f"{self.word}({text} AS {duck_type(target)})"

    def text(self, text: str, source: Type, target: Type) -> str:
        if source == target or (_is_binary(source) and _is_binary(target)) or source in SKETCHES:
            return text
        if target in SKETCHES and source == VARBINARY:
            return self.sketch(text, target)
        if target == JSON:
            from sqe.engine.duckdb.functions.json_casts import to_json  # few statements have one

            return to_json(text, source, printed)
        if source == JSON:
            from sqe.engine.duckdb.functions.json_casts import from_json

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
        if source in (UNKNOWN, BOOLEAN):
            return f"CAST({text} AS {duck_type(target)})"
        return _moment(text, source, target)

    def sketch(self, text: str, target: Type) -> str:
        if self.depth:
            raise NotSupported(f"a cast to {target} inside an array, a map or a row")
        return f"sqe_{SKETCHES[target]}_checked{TRIED if self.safe else ''}({text})"

    def nested(self, text: str, source: Type, target: Type) -> str:
        if holds_json_to_read(source, target):
            raise NotSupported(f"the fast lane does not cast {source} to {target}")
        inner = _Cast(self.safe, self.depth + 1)
        match source, target:
            case Array(), Array():
                name = f"e{self.depth}_"
                element = inner.text(name, source.element, target.element)
                if element == name:
                    return text
                if not self.safe and element == inner.plain(name, target.element):
                    return self.plain(text, target)
                return self.all_or_none(text, "{0}", name, element, f"lambda {name}: {element}")
            case Map(), Map():
                return self.map(text, source, target, inner)
            case Row(), Row():
                return self.row(text, source, target, inner)
        raise AssertionError((source, target))

    def all_or_none(self, text: str, parts: str, name: str, part: str, function: str) -> str:
        """A list of casts; a safe one is NULL where one of them fails."""
        values = f"list_transform({parts}, {function})"
        if not self.safe:
            return share(values, (text,))
        failed = f"len(list_filter({parts}, lambda {name}: {name} IS NOT NULL AND {part} IS NULL)) > 0"
        return share(f"CASE WHEN NOT {failed} THEN {values} END", (text,))

    def map(self, text: str, source: Map, target: Map, inner: _Cast) -> str:
        key, value = f"k{self.depth}_", f"v{self.depth}_"
        keys = inner.text(key, source.key, target.key)
        values = inner.text(value, source.value, target.value)
        if self.safe and keys != key:
            raise NotSupported(f"TRY_CAST of {source} to {target}")
        if (keys, values) == (key, value):
            return text
        new_keys = "map_keys({0})"
        if keys != key:
            new_keys = f"list_transform({new_keys}, lambda {key}: {keys})"
        new_values = "map_values({0})"
        failed = ""
        if values != value:
            if self.safe:
                test = f"{value} IS NOT NULL AND {values} IS NULL"
                failed = f" OR len(list_filter({new_values}, lambda {value}: {test})) > 0"
            new_values = f"list_transform({new_values}, lambda {value}: {values})"
        return share(f"CASE WHEN NOT ({{0}} IS NULL{failed}) THEN map({new_keys}, {new_values}) END", (text,))

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
            fields.append(f"{quote_name(new)} := {value}")
        if not changed and names == row_field_names(target):
            return text
        # A row that is NULL stays one, and does not become a row of NULLs.
        failed = " OR ".join(failures)
        return share(f"CASE WHEN NOT ({failed}) THEN struct_pack({', '.join(fields)}) END", (text,))

    def number(self, text: str, source: Type, target: Type) -> str:
        if is_integer(target) and source in APPROXIMATE:
            return self.to_integer(text, source, target)
        if isinstance(target, Decimal) and source == REAL:
            return share(
                f"CASE WHEN isfinite({{0}}) THEN {self.decimal(_SHORTEST_REAL, target)}"
                f" WHEN {{0}} IS NOT NULL THEN {self.fail(f'Cannot cast to {target}')} END",
                (text,),
            )
        if isinstance(target, Decimal) and source in APPROXIMATE:
            return share(
                "CASE WHEN isfinite({0}) THEN "
                + self.plain(_PLAIN_DIGITS, target)
                + f" WHEN {{0}} IS NOT NULL THEN {self.fail(f'Cannot cast to {target}')} END",
                (text,),
            )
        if source == DOUBLE and target == REAL:
            # DuckDB fails where there is an infinity to give.
            return share(
                "CASE WHEN isfinite({0}) AND abs({0}) >= 3.4028235677973366e38"
                " THEN CAST(sign({0}) * CAST('Infinity' AS DOUBLE) AS FLOAT) ELSE CAST({0} AS FLOAT) END",
                (text,),
            )
        if isinstance(source, Decimal) and target in APPROXIMATE:
            return _to_float(text, source, target)
        return self.plain(text, target)

    def to_integer(self, text: str, source: Type, target: Type) -> str:
        """A half away from zero. Trino has two errors for what is out of range, by the types."""
        if target == BIGINT and source == REAL:
            # A real that is too large becomes the largest bigint, with no error.
            return share(
                f"CASE WHEN isnan({{0}}) THEN {self.fail('Cannot cast NaN to bigint')}"
                " WHEN {0} >= 9.223372036854775807E18 THEN CAST(9223372036854775807 AS BIGINT)"
                " WHEN {0} < -9.223372036854775808E18 THEN CAST(-9223372036854775808 AS BIGINT)"
                " ELSE CAST(round({0}) AS BIGINT) END",
                (text,),
            )
        if target == BIGINT:
            return share(
                "CASE WHEN isnan({0}) OR {0} >= 9.223372036854775807E18 OR {0} < -9.223372036854775808E18"
                f" THEN {self.fail('Unable to cast to bigint')} ELSE CAST(round({{0}}) AS BIGINT) END",
                (text,),
            )
        return share(
            f"CASE WHEN isnan({{0}}) THEN {self.fail(f'Cannot cast NaN to {target}')}"
            f" ELSE {self.plain('round({0})', target)} END",
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
            case Timestamp() | TimestampTz():
                return self.timestamp(text, target)
            case Decimal():
                return self.decimal(text, target)
        if target == VARBINARY:
            return f"encode({text})"
        if target == UUID:
            return self.checked(text, _UUID, "lower({0})", target)
        if target == DATE:
            return self.checked(text, _DATE, self.plain("{0}", target), target, beyond=_LONG_YEAR)
        if target == BOOLEAN:
            return share(
                "CASE WHEN lower({0}) IN ('t', 'true', '1') THEN true"
                " WHEN lower({0}) IN ('f', 'false', '0') THEN false"
                f" WHEN {{0}} IS NOT NULL THEN {self.fail('Cannot cast value to BOOLEAN')} END",
                (text,),
            )
        if target in APPROXIMATE:
            digits = f"ltrim(regexp_replace({{0}}, {_SUFFIX}, ''), {_CONTROLS})"
            plain, cleaned = (f"CAST({read} AS {duck_type(target)})" for read in ("{0}", digits))
            # Most have neither a suffix nor blanks.
            read = (
                f"CASE WHEN regexp_full_match({{0}}, {string(_PLAIN_DOUBLE)}) THEN {plain} ELSE {cleaned} END"
            )
            return self.checked(text, _DOUBLE, read, target)
        if is_integer(target):
            return self.checked(text, _INTEGER, self.plain("{0}", target), target)
        raise NotSupported(f"Cannot cast {source} to {target}")

    def decimal(self, text: str, target: Decimal) -> str:
        fail = self.fail(f"Value cannot be cast to {target}")
        return share(
            f"CASE WHEN regexp_full_match({{0}}, {string(_DECIMAL)}) THEN {self.plain('{0}', target)}"
            f" WHEN regexp_full_match({{0}}, {string(_EXPONENT)}) THEN {self.plain(_SHIFTED, target)}"
            f" WHEN {{0}} IS NOT NULL THEN {fail} END",
            (text,),
        )

    def timestamp(self, text: str, target: Timestamp | TimestampTz) -> str:
        """Digits beyond the sixth are only seen in the rounding of the sixth."""
        zoned = isinstance(target, TimestampTz)
        clock = f"regexp_replace(trim({{0}}), {string(_ZONE + '$')}, '')" if zoned else "trim({0})"
        read = f"{self.word}({clock} AS TIMESTAMP)"
        if target.precision < 6:
            read = round_timestamp(read, Timestamp(target.precision))
        else:
            up = f"CAST(regexp_matches({{0}}, {string('[.][0-9]{6}[5-9]')}) AS BIGINT)"
            read = f"{read} + to_microseconds({up})"
        if zoned:
            read = _to_instant(read)
        pattern = _ZONED if zoned else _TIMESTAMP
        return self.checked(text, pattern, read, target, beyond=_OTHER_ZONE)

    def checked(self, text: str, pattern: str, read: str, target: Type, *, beyond: str = "") -> str:
        """`read` only a text of the form that Trino takes: DuckDB takes many more. What has the form `beyond`
        only Spark reads."""
        elsewhere = ""
        if beyond:
            elsewhere = f" WHEN regexp_full_match({{0}}, {string(beyond)})"
            elsewhere += f" THEN {give_up(f'such text of a {target}')}"
        return share(
            f"CASE WHEN regexp_full_match({{0}}, {string(pattern)}) THEN {read}{elsewhere}"
            f" WHEN {{0}} IS NOT NULL THEN {self.fail(f'Value cannot be cast to {target}')} END",
            (text,),
        )

    def to_text(self, text: str, source: Type, target: Varchar | Char) -> str:
        words = printed(text, source)
        if isinstance(target, Char):
            return f"rpad({words}, {target.length}, ' ')"
        if target.length is None:
            return words
        # Only text is cut to a length; anything else must fit.
        return share(
            f"CASE WHEN length({{0}}) > {target.length}"
            f" THEN {self.fail(f'Value cannot be represented as {target}')} ELSE {{0}} END",
            (words,),
        )


_INTEGER = r"[\t-\r ]*[+-]?[0-9]+[\t-\r ]*"
_DECIMAL = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)"
_EXPONENT = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)[eE][+-]?0*[0-9]{1,3}"
# With an exponent, DuckDB refuses texts for a type that the number would fit: the point is moved first.
_SHIFTED = (
    "list_transform([struct_pack("
    "minus := regexp_extract({0}, '^[\\t-\\r ]*([+-]?)', 1),"
    " digits := regexp_extract({0}, '^[^0-9.]*([0-9]*)', 1) || regexp_extract({0}, '[.]([0-9]*)', 1),"
    " point := CAST(length(regexp_extract({0}, '^[^0-9.]*([0-9]*)', 1))"
    " + CAST(regexp_extract({0}, '[eE]([+-]?[0-9]+)', 1) AS INTEGER) AS INTEGER))],"
    " lambda n_: n_.minus || CASE WHEN n_.point <= 0 THEN '.' || repeat('0', - n_.point) || n_.digits"
    " WHEN n_.point >= length(n_.digits) THEN rpad(n_.digits, n_.point, '0')"
    " ELSE n_.digits[:n_.point] || '.' || n_.digits[n_.point + 1:] END)[1]"
)
_DOUBLE = (
    r"[\x00-\x20]*[+-]?(NaN|Infinity|(([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?)[fFdD]?)[\x00-\x20]*"
)
_PLAIN_DOUBLE = r"-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?"
_SUFFIX = string(r"[fFdD]?[\x00-\x20]*$")
_CONTROLS = "(" + " || ".join(f"chr({code})" for code in range(33)) + ")"
_UUID = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
_DATE = r"[\t-\r ]*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[\t-\r ]*"
# A sign, or five digits.
_LONG_YEAR = r"[\t-\r ]*([+-][0-9]{4,}|[0-9]{5,})-[0-9]{1,2}-[0-9]{1,2}.*"
_CLOCK = r"([01]?[0-9]|2[0-3]):[0-9]{1,2}(:[0-9]{1,2}([.][0-9]{1,12})?)?"
_TIMESTAMP = rf" *[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}( {_CLOCK})? *"
# A value's zone is part of its type here, so that a text that only a row knows can be in none but UTC.
_OTHER_ZONE = (
    rf"{_LONG_YEAR}|[\t-\r ]*[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}( {_CLOCK})? *([+-][0-9]|[A-Za-z]).*"
)
_ZONE = r"( ?[+-]00:00| (UTC|Z|GMT))"
_ZONED = rf" *[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}( {_CLOCK}{_ZONE}?)? *"
_TEXT = "CAST({0} AS VARCHAR)"
# A finite number as plain digits. DuckDB prints large and small ones with an exponent, which it cannot always
# read as a decimal.
_MANTISSA = "replace(regexp_extract(d_, '^-?([0-9.]+)', 1), '.', '')"
_POWER = "CAST(regexp_extract(d_, 'e[+-]([0-9]+)$', 1) AS INTEGER)"
_PLAIN_DIGITS = (
    f"list_transform([{_TEXT}], lambda d_: CASE WHEN NOT contains(d_, 'e') THEN d_"
    " ELSE CASE WHEN d_[1] = '-' THEN '-' ELSE '' END || CASE WHEN contains(d_, 'e-')"
    f" THEN '0.' || repeat('0', {_POWER} - 1) || {_MANTISSA}"
    f" ELSE rpad({_MANTISSA}, {_POWER} + 1, '0') END END)[1]"
)
# DuckDB prints more digits than it takes to tell a real from its neighbours.
_SHORTEST_REAL = (
    "CASE"
    + "".join(
        f" WHEN CAST(printf('%.{n}e', CAST({{0}} AS DOUBLE)) AS FLOAT) = {{0}}"
        f" THEN printf('%.{n}e', CAST({{0}} AS DOUBLE))"
        for n in (5, 6, 7)
    )
    + " ELSE printf('%.8e', CAST({0} AS DOUBLE)) END"
)


def _to_float(text: str, source: Decimal, target: Type) -> str:
    """The nearest. DuckDB divides in floating point, which is exact only while the digits are."""
    kind = duck_type(target)
    by_text = f"CAST({_TEXT} AS {kind})"
    digits = 15 if target == DOUBLE else 7
    if source.precision <= digits:
        return f"CAST({text} AS {kind})"
    if target == REAL:
        return share(by_text, (text,))
    limit = f"CAST('{10 ** (digits - source.scale)}' AS {duck_type(source)})" if source.scale < digits else ""
    if not limit:
        return share(by_text, (text,))
    return share(f"CASE WHEN abs({{0}}) < {limit} THEN CAST({{0}} AS {kind}) ELSE {by_text} END", (text,))


_FOUR_DIGITS = "{0} >= DATE '0001-01-01' AND {0} < DATE '10000-01-01'"


def printed(text: str, source: Type) -> str:
    """A value as Trino prints it."""
    match source:
        case Timestamp():
            return _four_digits(text, _clock("{0}", source.precision))
        case TimestampTz():
            clock = _clock(_to_clock("{0}"), source.precision)
            return _four_digits(text, f"({clock} || ' UTC')")
        case Decimal() if source.precision == source.scale:
            # DuckDB leaves out the zero before the point.
            return f"regexp_replace(CAST({text} AS VARCHAR), '^(-?)[.]', '\\10.')"
    if source == DATE:
        return _four_digits(text, _TEXT)
    if source == DOUBLE:
        return share(f"({_SPECIAL} ELSE {_SCIENTIFIC} END)", (text,))
    if source == REAL:
        return share(f"({_SPECIAL} {_SUBNORMAL} ELSE {_SEVEN_DIGITS} END)", (text,))
    if source == DAY_SECOND:
        millis = f"(epoch_us({text}) // 1000)"
        return share(
            "(CASE WHEN {0} < 0 THEN '-' ELSE '' END || printf('%d %02d:%02d:%02d.%03d',"
            " abs({0}) // 86400000, abs({0}) // 3600000 % 24, abs({0}) // 60000 % 60,"
            " abs({0}) // 1000 % 60, abs({0}) % 1000))",
            (millis,),
        )
    if source == YEAR_MONTH:
        months = share("(12 * extract(year FROM {0}) + extract(month FROM {0}))", (text,))
        return share(
            "(CASE WHEN {0} < 0 THEN '-' ELSE '' END || (abs({0}) // 12) || '-' || (abs({0}) % 12))",
            (months,),
        )
    return text if source == UUID else f"CAST({text} AS VARCHAR)"


def _four_digits(text: str, value: str) -> str:
    beyond = give_up("year of other than four digits")
    return share(f"CASE WHEN {{0}} IS NULL OR ({_FOUR_DIGITS}) THEN {value} ELSE {beyond} END", (text,))


def _clock(text: str, precision: int) -> str:
    if precision == 3:
        return f"strftime({text}, '%Y-%m-%d %H:%M:%S.%g')"
    if precision == 0:
        return f"strftime({text}, '%Y-%m-%d %H:%M:%S')"
    micros = f"strftime({text}, '%Y-%m-%d %H:%M:%S.%f')"
    return micros if precision == 6 else f"left({micros}, {20 + precision})"


_SPECIAL = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN isnan({0}) THEN 'NaN'"
    " WHEN isinf({0}) THEN CASE WHEN {0} > 0 THEN 'Infinity' ELSE '-Infinity' END"
    " WHEN {0} = 0 THEN CASE WHEN CAST({0} AS VARCHAR)[1] = '-' THEN '-0E0' ELSE '0E0' END"
)
# One digit before the point and at least one after it, whatever the exponent. DuckDB's digits are the fewest.
# d_ is its text without a sign; m_ are the digits from the first to the last that is not 0.
_DIGITS = "rtrim(ltrim(replace(d_, '.', ''), '0'), '0')"
_MANTISSA_OF = "left(m_, 1) || '.' || CASE WHEN length(m_) = 1 THEN '0' ELSE substr(m_, 2) END"
# Java prints two digits at least, and the nearest: of the smallest numbers these may not be the fewest and 0.
_FEWEST = (
    "CASE WHEN abs({0}) < 1e-43 AND NOT contains(CAST(abs({0}) AS VARCHAR), '.')"
    " THEN printf('%.1e', CAST(abs({0}) AS DOUBLE)) ELSE CAST(abs({0}) AS VARCHAR) END"
)
_SCIENTIFIC = (
    f"CASE WHEN {{0}} < 0 THEN '-' ELSE '' END || list_transform([{_FEWEST}], lambda d_:"
    " CASE WHEN contains(d_, 'e') THEN split_part(d_, 'e', 1)"
    " || CASE WHEN contains(d_, '.') THEN '' ELSE '.0' END || 'E' || CAST(split_part(d_, 'e', 2) AS INTEGER)"
    f" ELSE list_transform([{_DIGITS}], lambda m_: {_MANTISSA_OF})[1] || 'E' || CASE"
    " WHEN {0} > -1 AND {0} < 1 THEN length(ltrim(substr(d_, 3), '0')) - length(d_) + 1"
    " ELSE instr(d_, '.') - 2 END END)[1]"
)
# Trino prints a real with seven digits at most, a half to the even one.
_SEVEN_DIGITS = (
    "regexp_replace(regexp_replace(printf('%.6e', CAST({0} AS DOUBLE)), '([.][0-9]+?)0+e', '\\1e'),"
    " 'e[+]?(-?)0*([0-9]+)$', 'E\\1\\2')"
)
# The least reals have fewer digits that tell them from their neighbours, and two at least.
_SUBNORMAL = (
    "WHEN abs({0}) < CAST(1.1754943508222875e-38 AS DOUBLE) THEN upper(CASE"
    + "".join(
        f" WHEN CAST(printf('%.{n}e', CAST({{0}} AS DOUBLE)) AS FLOAT) = {{0}}"
        f" THEN printf('%.{n}e', CAST({{0}} AS DOUBLE))"
        for n in range(1, 6)
    )
    + " ELSE printf('%.6e', CAST({0} AS DOUBLE)) END)"
)


def java_text(text: str) -> str:
    """A finite double or real as Java prints it: plain from 0.001 up to ten million."""
    plain = "abs({0}) >= 1e-3 AND abs({0}) < 1e7 OR {0} = 0"
    return share(f"CASE WHEN {plain} THEN {_TEXT} ELSE {_SCIENTIFIC} END", (text,))


def round_timestamp(text: str, target: Timestamp | TimestampTz) -> str:
    """To fewer fraction digits than DuckDB's six, a half up."""
    if target.precision >= 6:
        return text
    unit = 10 ** (6 - target.precision)
    make = "make_timestamptz" if isinstance(target, TimestampTz) else "make_timestamp"
    micros = f"(epoch_us({text}) + {unit // 2})"
    return share(f"{make}({{0}} - ({{0}} % {unit} + {unit}) % {unit})", (micros,))


# By the calendar of UTC, as DuckDB's own casts do it, but those are slow.
def _to_clock(text: str) -> str:
    return f"make_timestamp(epoch_us({text}))"


def _to_instant(text: str) -> str:
    return f"make_timestamptz(epoch_us({text}))"


def _moment(text: str, source: Type, target: Type) -> str:
    """Between dates and timestamps; only a smaller precision changes a value."""
    if isinstance(target, Time):
        raise NotSupported(f"the fast lane does not cast {source} to {target}")
    result = text
    if isinstance(source, TimestampTz) and not isinstance(target, TimestampTz):
        result = _to_clock(result)
    if source == DATE or target == DATE:
        result = f"CAST({result} AS {'DATE' if target == DATE else 'TIMESTAMP'})"
    if isinstance(target, TimestampTz) and not isinstance(source, TimestampTz):
        result = _to_instant(result)
    fractions = [t.precision for t in (source, target) if isinstance(t, (Timestamp, TimestampTz))]
    if len(fractions) == 2 and fractions[1] < fractions[0]:
        assert isinstance(target, (Timestamp, TimestampTz))
        result = round_timestamp(result, target)
    return result
