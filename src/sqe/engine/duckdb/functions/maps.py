"""Maps in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.text import applied, refuse, share, struct
from sqe.engine.duckdb.types import duck_type, quote_name
from sqe.engine.render.renderings import Rendering
from sqe.errors import NotSupported
from sqe.tree.expressions import Call
from sqe.types.sql_types import Array, Char, Map, Row, row_field_names

Texts = Sequence[str]


def _needs_plain(call: Call) -> None:
    """DuckDB takes a NULL inside two keys for equal, and blanks at the end of a char for different."""
    assert isinstance(call.type, Map)
    key = call.type.key
    if isinstance(key, (Array, Map, Row, Char)):
        raise NotSupported(f"the fast lane has no {call.function} with keys of {key}", position=call.position)


def map_(call: Call, texts: Texts) -> str:
    if not texts:
        raise NotSupported("the fast lane has no map of unknown types", position=call.position)
    _needs_plain(call)
    return share(
        f"(CASE WHEN len({{0}}) <> len({{1}}) THEN {refuse('Key and value arrays must be the same length')}"
        " ELSE MAP({0}, {1}) END)",
        texts,
    )


def entries(call: Call, texts: Texts) -> str:
    assert isinstance(call.type, Array) and isinstance(call.type.element, Row)
    key, value = (quote_name(name) for name in row_field_names(call.type.element))
    row = f"struct_pack({key} := e_.key, {value} := e_.value)"
    return f"list_transform(map_entries({texts[0]}), lambda e_: {row})"


def from_entries(call: Call, texts: Texts) -> str:
    _needs_plain(call)
    return share(
        "(CASE WHEN {0} IS NULL THEN NULL WHEN list_count({0}) < len({0}) THEN "
        + refuse("map entry cannot be null")
        + " ELSE map_from_entries({0}) END)",
        texts,
    )


def multimap_from_entries(call: Call, texts: Texts) -> str:
    kind = call.arguments[0].type
    assert isinstance(kind, Array) and isinstance(kind.element, Row)
    _needs_plain(call)
    key, value = (quote_name(name) for name in row_field_names(kind.element))
    keys = f"list_transform({{0}}, lambda e_: e_.{key})"
    values = f"list_transform(list_filter({{0}}, lambda e_: e_.{key} = w_), lambda e_: e_.{value})"
    return share(
        "(CASE WHEN {0} IS NULL THEN NULL WHEN list_count({0}) < len({0}) THEN "
        + refuse("map entry cannot be null")
        + f" WHEN list_count({keys}) < len({{0}}) THEN {refuse('map key cannot be null')}"
        f" ELSE map_from_entries(list_transform(list_filter({keys},"
        f" lambda w_, i_: i_ = list_position({keys}, w_)), lambda w_: {struct(k='w_', v=values)})) END)",
        texts,
    )


def concat(call: Call, texts: Texts) -> str:
    """DuckDB leaves out a map that is NULL."""
    _needs_plain(call)
    nulls = " AND ".join(f"{text} IS NOT NULL" for text in texts)
    return f"(CASE WHEN {nulls} THEN map_concat({', '.join(texts)}) END)"


_KEY, _VALUE = "e_.key", "e_.value"


def filter_(call: Call, texts: Texts) -> str:
    entries_left = f"list_filter(map_entries({{0}}), lambda e_: {applied(texts[1], (_KEY, _VALUE))})"
    return share(f"(CASE WHEN {{0}} IS NOT NULL THEN map_from_entries({entries_left}) END)", texts[:1])


def transform_keys(call: Call, texts: Texts) -> str:
    _needs_plain(call)
    return _transformed(call, texts[0], applied(texts[1], (_KEY, _VALUE)), _VALUE)


def transform_values(call: Call, texts: Texts) -> str:
    return _transformed(call, texts[0], _KEY, applied(texts[1], (_KEY, _VALUE)))


def _transformed(call: Call, text: str, key: str, value: str) -> str:
    pairs = f"list_transform(map_entries({{0}}), lambda e_: {struct(k=key, v=value)})"
    return share(
        f"(CASE WHEN {{0}} IS NOT NULL THEN CAST(map_from_entries({pairs}) AS {duck_type(call.type)}) END)",
        (text,),
    )


def zip_with(call: Call, texts: Texts) -> str:
    _needs_plain(call)
    keys = "list_concat(map_keys({0}), list_filter(map_keys({1}), lambda k_: NOT map_contains({0}, k_)))"
    value = applied(texts[2], ("k_", "{0}[k_]", "{1}[k_]"))
    return share(
        "(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN CAST(map_from_entries("
        f"list_transform({keys}, lambda k_: {struct(k='k_', v=value)})) AS {duck_type(call.type)}) END)",
        texts[:2],
    )


RENDERINGS: dict[str, Rendering] = {
    "map": map_,
    "map_keys": "map_keys({0})",
    "map_values": "map_values({0})",
    "map_entries": entries,
    "map_from_entries": from_entries,
    "multimap_from_entries": multimap_from_entries,
    "map_concat": concat,
    "map_filter": filter_,
    "transform_keys": transform_keys,
    "transform_values": transform_values,
    "map_zip_with": zip_with,
}
