"""CAST to and from JSON, in DuckDB's SQL with the Python bodies of JSON."""

from __future__ import annotations

from collections.abc import Callable

from sqe.engine.fast.types import quote_name
from sqe.functions.bodies import TRIED
from sqe.functions.duck_text import share, string
from sqe.tree.types import (
    BOOLEAN,
    DOUBLE,
    JSON,
    REAL,
    Array,
    Decimal,
    Map,
    Row,
    Type,
    is_integer,
    is_text,
    row_field_names,
)

_BODY = "sqe_json_text_"
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
            member = f"{quoted(name if is_text(key) else printed(name, key))} || ':'"
            pairs = f"lambda {name}: {member} || {inside(f'{{0}}[{name}]', value)}"
            made = _joined(f"list_transform({_sorted_keys(key, printed)}, {pairs})")
            return share(_in_braces(made), (text,))
        case Row(fields):
            parts = []
            for f, name in zip(fields, row_field_names(source), strict=True):
                place = f"({{0}}).{quote_name(name)}"
                parts.append(f"{quoted(string(f.name or ''))} || ':' || {inside(place, f.type)}")
            return share(_in_braces(" || ',' || ".join(parts)), (text,))
    if source == JSON:
        return text
    if source == BOOLEAN or is_integer(source) or isinstance(source, Decimal):
        return printed(text, source)
    if source in (DOUBLE, REAL):
        from sqe.functions.duck_casts import java_text

        special = (
            "CASE WHEN isnan({0}) THEN '\"NaN\"' WHEN {0} > 0 THEN '\"Infinity\"' ELSE '\"-Infinity\"' END"
        )
        return share(f"CASE WHEN NOT isfinite({{0}}) THEN {special} ELSE {java_text('{0}')} END", (text,))
    return quoted(text if is_text(source) else printed(text, source))


def _sorted_keys(key: Type, printed: Printed) -> str:
    """In the order of the printed names, which is that of texts."""
    if is_text(key):
        return "list_sort(map_keys({0}))"
    named = f"lambda k_: struct_pack(n := {printed('k_', key)}, k := k_)"
    return f"list_transform(list_sort(list_transform(map_keys({{0}}), {named})), lambda n_: n_.k)"


def _joined(items: str) -> str:
    return f"array_to_string({items}, ',')"


def _in_braces(made: str) -> str:
    return f"CASE WHEN {{0}} IS NOT NULL THEN {string('{')} || {made} || {string('}')} END"


def quoted(text: str) -> str:
    return f"nullif(CAST(to_json({text}) AS VARCHAR), 'null')"


def from_json(text: str, target: Type, cast: Callable[[str, Type], str], *, safe: bool) -> str:
    """`cast` casts the text of a value without parts. A safe cast is NULL where any part of it fails."""

    def body(name: str) -> str:
        return f"{_BODY}{name}{TRIED if safe else ''}({text})"

    match target:
        case Array(element):
            inner, parts, read = cast("j_", element), "{0}", body("elements")
            made = f"list_transform({{0}}, lambda j_: {inner})"
        case Map(_, value):
            inner, parts, read = cast("j_", value), "map_values({0})", body("members")
            made = f"map(map_keys({{0}}), list_transform(map_values({{0}}), lambda j_: {inner}))"
        case _:
            return cast(body("scalar"), target)
    if safe:
        failed = f"len(list_filter({parts}, lambda j_: j_ IS NOT NULL AND {inner} IS NULL)) > 0"
        made = f"CASE WHEN NOT {failed} THEN {made} END"
    return share(made, (read,))
