"""CAST to and from JSON, in Spark SQL with the Python bodies of JSON."""

from __future__ import annotations

from collections.abc import Callable

from sqe.functions.bodies import TRIED
from sqe.functions.spark_text import share, string
from sqe.tree.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    REAL,
    UNKNOWN,
    Array,
    Decimal,
    Map,
    Row,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
    is_integer,
    is_numeric,
    is_text,
)

_BODY = "sqe_json_text_"


def castable_to_json(source: Type) -> bool:
    match source:
        case Array(element):
            return castable_to_json(element)
        case Map(key, value):
            return (is_text(key) or is_integer(key) or key == BOOLEAN) and castable_to_json(value)
        case Row(fields):
            # A member needs a name.
            return all(f.name is not None and castable_to_json(f.type) for f in fields)
    moments = isinstance(source, (Timestamp, TimestampTz)) or source == DATE
    return source in (BOOLEAN, JSON, UNKNOWN) or is_numeric(source) or is_text(source) or moments


def castable_from_json(target: Type) -> bool:
    match target:
        case Array(element):
            return _is_plain(element)
        case Map(key, value):
            return isinstance(key, Varchar) and _is_plain(value)
    return _is_plain(target)


def _is_plain(target: Type) -> bool:
    return target == BOOLEAN or is_numeric(target) or isinstance(target, Varchar)


def to_json(text: str, source: Type, printed: str, depth: int = 0) -> str:
    """`printed` is how a value without parts is printed as text."""
    from sqe.functions.casts import printed_text

    match source:
        case Array(element):
            name = f"j{depth}_"
            inner = to_json(name, element, printed_text(name, element), depth + 1)
            items = f"array_join(transform({{0}}, {name} -> coalesce({inner}, 'null')), ',')"
            return share(f"if({{0}} IS NULL, NULL, concat('[', {items}, ']'))", (text,))
        case Map(key, value):
            name = f"k{depth}_"
            key_text = quoted(printed_text(name, key) if not is_text(key) else name)
            names = _sorted_keys(key)
            inner = to_json(f"{{0}}[{name}]", value, printed_text(f"{{0}}[{name}]", value), depth + 1)
            pairs = f"transform({names}, {name} -> concat({key_text}, ':', coalesce({inner}, 'null')))"
            return share(f"if({{0}} IS NULL, NULL, concat('{{', array_join({pairs}, ','), '}}'))", (text,))
        case Row(fields):
            from sqe.engine.spark.types import quote_name
            from sqe.tree.types import row_field_names

            parts = []
            for f, name in zip(fields, row_field_names(source), strict=True):
                place = f"({{0}}).{quote_name(name)}"
                inner = to_json(place, f.type, printed_text(place, f.type), depth + 1)
                parts.append(f"{quoted(string(f.name or ''))}, ':', coalesce({inner}, 'null')")
            joined = ", ',', ".join(parts)
            return share(f"if({{0}} IS NULL, NULL, concat('{{', {joined}, '}}'))", (text,))
    if source == JSON:
        return text
    if source == BOOLEAN or is_integer(source) or isinstance(source, Decimal):
        return f"CAST({text} AS STRING)"
    if source in (DOUBLE, REAL):
        special = "isnan({0}) OR abs({0}) = double('Infinity')"
        printed = "CAST({0} AS STRING)"
        return share(f"if({special}, concat('\"', {printed}, '\"'), {printed})", (text,))
    return quoted(text if is_text(source) else printed)


def _sorted_keys(key: Type) -> str:
    """In the order of the printed names, which is that of texts."""
    if is_text(key):
        return "array_sort(map_keys({0}))"
    named = "transform(map_keys({0}), k_ -> named_struct('n', CAST(k_ AS STRING), 'k', k_))"
    return f"transform(array_sort({named}), n_ -> n_.k)"


def quoted(text: str) -> str:
    """Jackson writes it, as it does for Trino: what stands between {"v": and }."""
    written = f"to_json(named_struct('v', {text}), map('ignoreNullFields', 'false'))"
    return share("nullif(substring({0}, 6, char_length({0}) - 6), 'null')", (written,))


def from_json(text: str, target: Type, cast: Callable[[str, Type], str], *, safe: bool) -> str:
    """`cast` casts the text of a value without parts. A safe cast is NULL where any part of it fails."""

    def body(name: str) -> str:
        return f"{_BODY}{name}{TRIED if safe else ''}({text})"

    match target:
        case Array(element):
            inner = cast("j_", element)
            made, parts = f"transform({{0}}, j_ -> {inner})", "{0}"
            read = body("elements")
        case Map(_, value):
            inner = cast("j_", value)
            made, parts = f"transform_values({{0}}, (k_, j_) -> {inner})", "map_values({0})"
            read = body("members")
        case _:
            return cast(body("scalar"), target)
    if safe:
        made = f"if(exists({parts}, j_ -> j_ IS NOT NULL AND {inner} IS NULL), NULL, {made})"
    return share(made, (read,))
