"""CAST to and from JSON, in Spark SQL with the Python body of such casts."""

from __future__ import annotations

from sqe.engine.spark.functions.text import share, string
from sqe.engine.spark.types import quote_name, spark_type
from sqe.errors import NotSupported
from sqe.functions.bodies import TRIED
from sqe.functions.bodies.json_text import text_of
from sqe.functions.json_shapes import has_parts, holds_map, leaves, shape_of
from sqe.types.sql_types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    REAL,
    VARCHAR,
    Array,
    Decimal,
    Map,
    Row,
    RowField,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
    is_integer,
    is_numeric,
    is_text,
    row_field_names,
)

_BODY = "sqe_json_casts_cast"
# With more digits after its point, a decimal may be less than a millionth.
_PLAIN_SCALE = 6
_ABOVE = string(r"[\x{10000}-\x{10FFFF}]")
_ESCAPE = string("\\u")
_PIECES = string(r"[\x{10000}-\x{10FFFF}]|[^\x{10000}-\x{10FFFF}]+")


def to_json(text: str, source: Type, printed: str, depth: int = 0) -> str:
    """`printed` is how a value without parts is printed as text."""
    from sqe.engine.spark.functions.casts import printed_text

    match source:
        case Array(element):
            name = f"j{depth}_"
            inner = to_json(name, element, printed_text(name, element), depth + 1)
            items = f"array_join(transform({{0}}, {name} -> coalesce({inner}, 'null')), ',')"
            return share(f"if({{0}} IS NULL, NULL, concat('[', {items}, ']'))", (text,))
        case Map(key, value):
            # Without a look from one lambda into the one around it, which keeps Spark from finding a body
            # that all of this is an argument of. Java's order of texts is by units of UTF-16.
            name = f"m{depth}_"
            key_text = f"{name}.key" if is_text(key) else f"CAST({name}.key AS STRING)"
            place = f"{name}.value"
            inner = to_json(place, value, printed_text(place, value), depth + 1)
            member = f"concat({quoted(key_text)}, ':', coalesce({inner}, 'null'))"
            pair = f"named_struct('n', encode({key_text}, 'UTF-16BE'), 't', {member})"
            pairs = f"sort_array(transform(map_entries({{0}}), {name} -> {pair})).t"
            return share(f"if({{0}} IS NULL, NULL, concat('{{', array_join({pairs}, ','), '}}'))", (text,))
        case Row(fields):
            parts = []
            for f, name in zip(fields, row_field_names(source), strict=True):
                place = f"({{0}}).{quote_name(name)}"
                inner = to_json(place, f.type, printed_text(place, f.type), depth + 1)
                parts.append(f"{string(text_of(f.name or ''))}, ':', coalesce({inner}, 'null')")
            joined = ", ',', ".join(parts)
            return share(f"if({{0}} IS NULL, NULL, concat('{{', {joined}, '}}'))", (text,))
    if source == JSON:
        return text
    if isinstance(source, Decimal):
        return _decimal(text, source)
    if source == BOOLEAN or is_integer(source):
        return f"CAST({text} AS STRING)"
    if source in (DOUBLE, REAL):
        special = "isnan({0}) OR abs({0}) = double('Infinity')"
        printed = "CAST({0} AS STRING)"
        return share(f"if({special}, concat('\"', {printed}, '\"'), {printed})", (text,))
    return quoted(text if is_text(source) else printed)


def _decimal(text: str, source: Decimal) -> str:
    """As Java prints one: what is less than a millionth has an exponent."""
    if source.scale <= _PLAIN_SCALE:
        return f"CAST({text} AS STRING)"
    digits = "nullif(regexp_replace({0}, '^-?0[.]0*', ''), '')"
    mantissa = f"coalesce(regexp_replace({digits}, '^(.)(.+)$', '$1.$2'), '0')"
    power = f"CAST(coalesce(length({digits}), 1) - {source.scale + 1} AS STRING)"
    small = f"concat(if({{0}} LIKE '-%', '-', ''), {mantissa}, 'E', {power})"
    # By its text: Spark cannot compare the largest decimals with others.
    return share(f"if({{0}} RLIKE '^-?0[.]000000', {small}, {{0}})", (f"CAST({text} AS STRING)",))


def quoted(text: str) -> str:
    """Jackson writes it, as it does for Trino: what stands between {"v": and }. What is beyond U+FFFF Trino
    has it write as a pair of surrogates."""
    written = f"to_json(named_struct('v', {text}), map('ignoreNullFields', 'false'))"
    plain = share("nullif(substring({0}, 6, char_length({0}) - 6), 'null')", (written,))
    units = "hex(encode(c_, 'UTF-16BE'))"
    pair = f"concat({_ESCAPE}, substring({units}, 1, 4), {_ESCAPE}, substring({units}, 5, 4))"
    pieces = f"transform(regexp_extract_all({{0}}, {_PIECES}, 0), c_ -> if(c_ RLIKE {_ABOVE}, {pair}, c_))"
    return share(f"if({{0}} RLIKE {_ABOVE}, array_join({pieces}, ''), {{0}})", (plain,))


def from_json(text: str, target: Type, *, safe: bool) -> str:
    """The body checks and converts all of it, so that what is left to Spark cannot fail."""
    body = f"{_BODY}{TRIED if safe else ''}({text}, {string(shape_of(target, _keys))})"
    if has_parts(target):
        body = f"from_json({body}, {string(_wire(target))}, map('mode', 'FAILFAST'))"
    return _restored(body, target, 0)


def _keys(row: Row) -> list[str]:
    return [f"f{index}" for index in range(len(row.fields))]


def _wire(target: Type) -> str:
    """The type that Spark reads the body's JSON as."""
    match target:
        case Array(element):
            return f"ARRAY<{_wire(element)}>"
        case Map(key, value):
            return f"ARRAY<STRUCT<key: {_wire(key)}, value: {_wire(value)}>>"
        case Row(fields):
            pairs = zip(_keys(target), fields, strict=True)
            return f"STRUCT<{', '.join(f'{key}: {_wire(field.type)}' for key, field in pairs)}>"
    return "STRING"


def _restored(text: str, target: Type, depth: int) -> str:
    """The value of the type: Spark casts rows by position, and has no cast that makes a map."""
    if isinstance(target, Varchar) or target == JSON:
        return text
    if not holds_map(target):
        return f"CAST({text} AS {spark_type(target)})"
    name = f"w{depth}_"
    match target:
        case Array(element):
            return f"transform({text}, {name} -> {_restored(name, element, depth + 1)})"
        case Map(key, value):
            key_text, value_text = (
                _restored(f"{name}.{part}", t, depth + 1) for part, t in (("key", key), ("value", value))
            )
            entry = f"named_struct('key', {key_text}, 'value', {value_text})"
            return f"map_from_entries(transform({text}, {name} -> {entry}))"
        case Row(fields):
            parts = ", ".join(
                f"{string(new)}, {_restored(f'({{0}}).{old}', field.type, depth + 1)}"
                for new, old, field in zip(row_field_names(target), _keys(target), fields, strict=True)
            )
            return share(f"if({{0}} IS NULL, NULL, named_struct({parts}))", (text,))
    raise AssertionError(target)


def around_json(source: Type, target: Type) -> Type:
    """`target` with the JSON that is still to be read."""
    match source, target:
        case Array(), Array():
            return Array(around_json(source.element, target.element))
        case Map(), Map():
            return Map(around_json(source.key, target.key), around_json(source.value, target.value))
        case Row(), Row():
            pairs = zip(source.fields, target.fields, strict=True)
            return Row(tuple(RowField(b.name, around_json(a.type, b.type)) for a, b in pairs))
    return JSON if source == JSON else target


def read_inside(text: str, source: Type, target: Type, *, safe: bool) -> str:
    """No body can stand in a lambda, so that the whole becomes one JSON: all but the JSON inside as text."""
    if not all(a == JSON or _has_text(b) for a, b in leaves(source, target)):
        raise NotSupported(f"Cannot cast {source} to {target}")
    read = _read_as(source, target)
    value = from_json(_as_read(text, source, 0), read, safe=safe)
    return value if read == target else f"CAST({value} AS {spark_type(target)})"


def _has_text(t: Type) -> bool:
    """Whether Spark reads the text that it writes."""
    moments = isinstance(t, (Timestamp, TimestampTz)) or t == DATE
    return t == BOOLEAN or is_numeric(t) or is_text(t) or moments


def _read_as(source: Type, target: Type) -> Type:
    match source, target:
        case Array(), Array():
            return Array(_read_as(source.element, target.element))
        case Map(), Map():
            return Map(_read_as(source.key, target.key), _read_as(source.value, target.value))
        case Row(), Row():
            pairs = zip(source.fields, target.fields, strict=True)
            return Row(tuple(RowField(None, _read_as(a.type, b.type)) for a, b in pairs))
    return target if source == JSON else VARCHAR


def _as_read(text: str, source: Type, depth: int) -> str:
    """Rows by position, and what has no parts as text."""
    name = f"i{depth}_"

    def inside(place: str, t: Type) -> str:
        return f"coalesce({_as_read(place, t, depth + 1)}, 'null')"

    match source:
        case Array(element):
            items = f"array_join(transform({{0}}, {name} -> {inside(name, element)}), ',')"
            return share(f"if({{0}} IS NULL, NULL, concat('[', {items}, ']'))", (text,))
        case Map(key, value):
            if key == JSON:
                raise NotSupported("a cast of a map whose keys are JSON")
            member = f"concat({quoted(f'CAST({name}.key AS STRING)')}, ':', {inside(f'{name}.value', value)})"
            pairs = f"array_join(transform(map_entries({{0}}), {name} -> {member}), ',')"
            return share(f"if({{0}} IS NULL, NULL, concat('{{', {pairs}, '}}'))", (text,))
        case Row(fields):
            places = [f"({{0}}).{quote_name(field)}" for field in row_field_names(source)]
            parts = [inside(place, field.type) for place, field in zip(places, fields, strict=True)]
            joined = ", ',', ".join(parts)
            return share(f"if({{0}} IS NULL, NULL, concat('[', {joined}, ']'))", (text,))
    return text if source == JSON else quoted(f"CAST({text} AS STRING)")
