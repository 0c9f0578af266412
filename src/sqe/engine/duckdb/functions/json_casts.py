"""CAST to and from JSON, in DuckDB's SQL with the Python body of such casts."""

from __future__ import annotations

import json
from collections.abc import Callable

from sqe.engine.duckdb.functions.casts import java_text
from sqe.engine.duckdb.functions.text import share, string
from sqe.engine.duckdb.types import duck_type, quote_name
from sqe.errors import NotSupported
from sqe.functions.bodies import TRIED
from sqe.functions.bodies.json_text import text_of
from sqe.functions.json_shapes import has_parts, holds_map, shape_of
from sqe.types.sql_types import (
    BOOLEAN,
    DOUBLE,
    JSON,
    REAL,
    Array,
    Decimal,
    Map,
    Row,
    RowField,
    Type,
    Varchar,
    is_integer,
    is_text,
    row_field_names,
)

_BODY = "sqe_json_casts_cast"
_AFTER_SURROGATES = string(r"([\x{E000}-\x{FFFF}])")
_ABOVE = string(r"[\x{10000}-\x{10FFFF}]")
_PIECES = string(r"[\x{10000}-\x{10FFFF}]|[^\x{10000}-\x{10FFFF}]+")
_FIRST_HALF = 0xD800 - (0x10000 >> 10)
_SECOND_HALF = 0xDC00
# With more digits after its point, a decimal may be less than a millionth.
_PLAIN_SCALE = 6
Printed = Callable[[str, Type], str]


def to_json(text: str, source: Type, printed: Printed, depth: int = 0) -> str:
    """`printed` is how a value without parts is printed as text."""

    def inside(place: str, t: Type) -> str:
        return f"coalesce({to_json(place, t, printed, depth + 1)}, 'null')"

    match source:
        case Array(element):
            name = f"j{depth}_"
            items = f"list_transform({{0}}, lambda {name}: {inside(name, element)})"
            return share(f"CASE WHEN {{0}} IS NOT NULL THEN '[' || {_joined(items)} || ']' END", (text,))
        case Map(key, value):
            name = f"k{depth}_"
            member = f"{quoted(_name(name, key, printed))} || ':'"
            pairs = f"lambda {name}: {member} || {inside(f'{{0}}[{name}]', value)}"
            members = _joined(f"list_transform({_sorted_keys(key, printed)}, {pairs})")
            return share(_in_braces(members), (text,))
        case Row(fields):
            parts = []
            for f, name in zip(fields, row_field_names(source), strict=True):
                place = f"({{0}}).{quote_name(name)}"
                parts.append(f"{string(text_of(f.name or ''))} || ':' || {inside(place, f.type)}")
            return share(_in_braces(" || ',' || ".join(parts)), (text,))
    if source == JSON:
        return text
    if isinstance(source, Decimal):
        return _decimal(text, source, printed)
    if source == BOOLEAN or is_integer(source):
        return printed(text, source)
    if source in (DOUBLE, REAL):
        special = (
            "CASE WHEN isnan({0}) THEN '\"NaN\"' WHEN {0} > 0 THEN '\"Infinity\"' ELSE '\"-Infinity\"' END"
        )
        return share(f"CASE WHEN NOT isfinite({{0}}) THEN {special} ELSE {java_text('{0}')} END", (text,))
    return quoted(text if is_text(source) else printed(text, source))


def _decimal(text: str, source: Decimal, printed: Printed) -> str:
    """As Java prints one: what is less than a millionth has an exponent."""
    if source.scale <= _PLAIN_SCALE:
        return printed(text, source)
    digits = f"nullif(regexp_replace({printed('{0}', source)}, '^-?0[.]0*', ''), '')"
    mantissa = f"coalesce(regexp_replace({digits}, '^(.)(.+)$', '\\1.\\2'), '0')"
    power = f"CAST(coalesce(length({digits}), 1) - {source.scale + 1} AS VARCHAR)"
    small = f"CASE WHEN {{0}} < 0 THEN '-' ELSE '' END || {mantissa} || 'E' || {power}"
    return share(f"CASE WHEN abs({{0}}) < 0.000001 THEN {small} ELSE {printed('{0}', source)} END", (text,))


def _sorted_keys(key: Type, printed: Printed) -> str:
    """In the order of the printed names, which is that of texts."""
    if is_text(key):
        # Java's order is by units of UTF-16: what follows the surrogates there is put behind all others.
        moved = f"regexp_replace(k_, {_AFTER_SURROGATES}, chr(1114111) || '\\1', 'g')"
        named = f"lambda k_: struct_pack(n := {moved}, k := k_)"
        return f"list_transform(list_sort(list_transform(map_keys({{0}}), {named})), lambda n_: n_.k)"
    named = f"lambda k_: struct_pack(n := {_name('k_', key, printed)}, k := k_)"
    return f"list_transform(list_sort(list_transform(map_keys({{0}}), {named})), lambda n_: n_.k)"


def _name(text: str, key: Type, printed: Printed) -> str:
    """What a member of an object is called."""
    if is_text(key):
        return text
    if key not in (DOUBLE, REAL):
        return printed(text, key)
    return f"trim({to_json(text, key, printed)}, '\"')"


def _joined(items: str) -> str:
    return f"array_to_string({items}, ',')"


def _in_braces(members: str) -> str:
    return f"CASE WHEN {{0}} IS NOT NULL THEN {string('{')} || {members} || {string('}')} END"


def quoted(text: str) -> str:
    """What is beyond U+FFFF is written as a pair of surrogates, as Trino does."""
    plain = f"nullif(CAST(to_json({text}) AS VARCHAR), 'null')"
    halves = f"{_FIRST_HALF} + (unicode(c_) >> 10), {_SECOND_HALF} + (unicode(c_) & 1023)"
    piece = f"CASE WHEN regexp_matches(c_, {_ABOVE}) THEN printf('\\u%X\\u%X', {halves}) ELSE c_ END"
    pieces = f"list_transform(regexp_extract_all({{0}}, {_PIECES}), lambda c_: {piece})"
    return share(
        f"CASE WHEN regexp_matches({{0}}, {_ABOVE}) THEN array_to_string({pieces}, '') ELSE {{0}} END",
        (plain,),
    )


def from_json(text: str, target: Type, *, safe: bool) -> str:
    """The body checks and converts all of it, so that what is left to DuckDB cannot fail."""
    body = f"{_BODY}{TRIED if safe else ''}({text}, {string(shape_of(target, row_field_names))})"
    if has_parts(target):
        structure = json.dumps(_structure(target), separators=(",", ":"))
        # Of a constant NULL, DuckDB forgets the type.
        read = f"CAST(from_json_strict({body}, {string(structure)}) AS {duck_type(_without_maps(target))})"
        return _with_maps(read, target, 0)
    return body if isinstance(target, Varchar) or target == JSON else f"CAST({body} AS {duck_type(target)})"


def _structure(target: Type) -> object:
    """What DuckDB reads the body's JSON as."""
    match target:
        case Array(element):
            return [_structure(element)]
        case Map(key, value):
            return [{"key": _structure(key), "value": _structure(value)}]
        case Row(fields):
            names = row_field_names(target)
            if len({name.lower() for name in names}) < len(names):
                raise NotSupported("the fast lane has no row with names that differ in case alone")
            return {name: _structure(field.type) for name, field in zip(names, fields, strict=True)}
    return duck_type(target)


def _without_maps(target: Type) -> Type:
    match target:
        case Array(element):
            return Array(_without_maps(element))
        case Map(key, value):
            return Array(Row((RowField("key", key), RowField("value", _without_maps(value)))))
        case Row(fields):
            return Row(tuple(RowField(field.name, _without_maps(field.type)) for field in fields))
    return target


def _with_maps(text: str, target: Type, depth: int) -> str:
    """Puts back maps, which DuckDB's JSON structures lack."""
    if not holds_map(target):
        return text
    name = f"w{depth}_"
    match target:
        case Array(element):
            return f"list_transform({text}, lambda {name}: {_with_maps(name, element, depth + 1)})"
        case Map(_, value):
            if holds_map(value):
                inner = _with_maps(f"{name}.value", value, depth + 1)
                entry = f"struct_pack(key := {name}.key, value := {inner})"
                text = f"list_transform({text}, lambda {name}: {entry})"
            return f"CAST(map_from_entries({text}) AS {duck_type(target)})"
        case Row(fields):
            parts = []
            for field, field_name in zip(fields, row_field_names(target), strict=True):
                place = _with_maps(f"({{0}}).{quote_name(field_name)}", field.type, depth + 1)
                parts.append(f"{quote_name(field_name)} := {place}")
            return share(f"CASE WHEN {{0}} IS NOT NULL THEN struct_pack({', '.join(parts)}) END", (text,))
    raise AssertionError(target)
