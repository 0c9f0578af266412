"""Maps. A key is there once, and never NULL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.engine.spark.types import quote_name, spark_type
from sqe.functions import duck_maps as duck
from sqe.functions.function import scalar
from sqe.functions.spark_text import refuse, share, shared
from sqe.types.sql_types import Array, Map, Row, row_field_names


def _concat(call: Any, texts: Sequence[str]) -> str:
    """The last of equal keys wins; Spark's own function fails on them."""
    result = texts[0]
    for text in texts[1:]:
        result = share(
            "map_concat(map_filter({0}, (k_, v_) -> NOT map_contains_key({1}, k_)), {1})", (result, text)
        )
    return result


def _entries(call: Any, texts: Sequence[str]) -> str:
    assert isinstance(call.arguments[0].type, Map)
    return f"CAST(map_entries({texts[0]}) AS {spark_type(call.type)})"


def _map(call: Any, texts: Sequence[str]) -> str:
    if not texts:
        return f"CAST(map() AS {spark_type(call.type)})"
    return share(
        f"(CASE WHEN size({{0}}) <> size({{1}}) THEN {refuse('Key and value arrays must be the same length')}"
        " ELSE map_from_arrays({0}, {1}) END)",
        texts,
    )


def _multimap(call: Any, texts: Sequence[str]) -> str:
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

FUNCTIONS = (
    scalar(
        "map",
        "() -> map(unknown, unknown)",
        "(array(K:comparable), array(V)) -> map(K, V)",
        spark=_map,
        fast=duck.map_,
        help="A map of keys to values",
        raises="keys that are NULL or there twice, lists of different sizes",
    ),
    scalar(
        "map_keys", "(map(K, V)) -> array(K)", spark="map_keys({0})", fast="map_keys({0})", help="The keys"
    ),
    scalar(
        "map_values",
        "(map(K, V)) -> array(V)",
        spark="map_values({0})",
        fast="map_values({0})",
        help="The values",
    ),
    scalar(
        "map_entries",
        "(map(K, V)) -> array(row(K, V))",
        spark=_entries,
        fast=duck.entries,
        help="The entries, each a row",
    ),
    scalar(
        "map_from_entries",
        "(array(row(K, V))) -> map(K, V)",
        spark=shared(_FROM_ENTRIES),
        fast=duck.from_entries,
        help="A map of entries, each a row",
        raises="keys that are NULL or there twice",
    ),
    scalar(
        "multimap_from_entries",
        "(array(row(K, V))) -> map(K, array(V))",
        spark=_multimap,
        fast=duck.multimap_from_entries,
        help="A map of the entries' keys to all their values",
        raises="a key or entry that is NULL",
    ),
    scalar(
        "map_concat",
        "(map(K, V), map(K, V), ...) -> map(K, V)",
        spark=_concat,
        fast=duck.concat,
        help="All entries; of equal keys the last",
    ),
    scalar(
        "map_filter",
        "(map(K, V), function(K, V, boolean)) -> map(K, V)",
        spark="map_filter({0}, {1})",
        fast=duck.filter_,
        help="The entries for which f is true",
    ),
    scalar(
        "transform_keys",
        "(map(K, V), function(K, V, L)) -> map(L, V)",
        spark="transform_keys({0}, {1})",
        fast=duck.transform_keys,
        help="The values under keys that f makes",
        raises="keys that are NULL or there twice",
    ),
    scalar(
        "transform_values",
        "(map(K, V), function(K, V, W)) -> map(K, W)",
        spark="transform_values({0}, {1})",
        fast=duck.transform_values,
        help="Values that f makes, under their keys",
    ),
    scalar(
        "map_zip_with",
        "(map(K, V), map(K, W), function(K, V, W, R)) -> map(K, R)",
        spark="map_zip_with({0}, {1}, {2})",
        fast=duck.zip_with,
        help="f of two maps' values, key by key; NULL for a missing one",
    ),
)
