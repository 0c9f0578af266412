"""Maps in Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Rendering
from sqe.engine.spark.functions.text import refuse, share, shared
from sqe.engine.spark.types import quote_name, spark_type
from sqe.tree.expressions import Call
from sqe.types.sql_types import Array, Map, Row, row_field_names


def _concat(call: Call, texts: Sequence[str]) -> str:
    """The last of equal keys wins; Spark's own function fails on them."""
    result = texts[0]
    for text in texts[1:]:
        result = share(
            "map_concat(map_filter({0}, (k_, v_) -> NOT map_contains_key({1}, k_)), {1})", (result, text)
        )
    return result


def _entries(call: Call, texts: Sequence[str]) -> str:
    assert isinstance(call.arguments[0].type, Map)
    return f"CAST(map_entries({texts[0]}) AS {spark_type(call.type)})"


def _map(call: Call, texts: Sequence[str]) -> str:
    if not texts:
        return f"CAST(map() AS {spark_type(call.type)})"
    return share(
        f"(CASE WHEN size({{0}}) <> size({{1}}) THEN {refuse('Key and value arrays must be the same length')}"
        " ELSE map_from_arrays({0}, {1}) END)",
        texts,
    )


def _multimap(call: Call, texts: Sequence[str]) -> str:
    entries = call.arguments[0].type
    assert isinstance(entries, Array) and isinstance(entries.element, Row)
    key, value = (quote_name(name) for name in row_field_names(entries.element))
    return share(
        f"(CASE WHEN exists({{0}}, e_ -> e_ IS NULL) THEN {refuse('map entry cannot be null')}"
        f" WHEN exists({{0}}, e_ -> e_.{key} IS NULL) THEN {refuse('map key cannot be null')}"
        f" ELSE map_from_entries(transform(array_distinct(transform({{0}}, e_ -> e_.{key})),"
        f" w_ -> struct(w_, transform(filter({{0}}, e_ -> e_.{key} <=> w_), e_ -> e_.{value})))) END)",
        texts,
    )


_FROM_ENTRIES = (
    "(CASE WHEN exists({0}, e_ -> e_ IS NULL) THEN "
    + refuse("map entry cannot be null")
    + " ELSE map_from_entries({0}) END)"
)


RENDERINGS: dict[str, Rendering] = {
    "map": _map,
    "map_keys": "map_keys({0})",
    "map_values": "map_values({0})",
    "map_entries": _entries,
    "map_from_entries": shared(_FROM_ENTRIES),
    "multimap_from_entries": _multimap,
    "map_concat": _concat,
    "map_filter": "map_filter({0}, {1})",
    "transform_keys": "transform_keys({0}, {1})",
    "transform_values": "transform_values({0}, {1})",
    "map_zip_with": "map_zip_with({0}, {1}, {2})",
}
