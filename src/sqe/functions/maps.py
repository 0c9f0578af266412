"""Maps. A key is there once, and never NULL."""

from __future__ import annotations

from sqe.functions.function import scalar

FUNCTIONS = (
    scalar(
        "map",
        "() -> map(unknown, unknown)",
        "(array(K:comparable), array(V)) -> map(K, V)",
        help="A map of keys to values",
        raises="keys that are NULL or there twice, lists of different sizes",
    ),
    scalar("map_keys", "(map(K, V)) -> array(K)", help="The keys"),
    scalar("map_values", "(map(K, V)) -> array(V)", help="The values"),
    scalar("map_entries", "(map(K, V)) -> array(row(K, V))", help="The entries, each a row"),
    scalar(
        "map_from_entries",
        "(array(row(K, V))) -> map(K, V)",
        help="A map of entries, each a row",
        raises="keys that are NULL or there twice",
    ),
    scalar(
        "multimap_from_entries",
        "(array(row(K, V))) -> map(K, array(V))",
        help="A map of the entries' keys to all their values",
        raises="a key or entry that is NULL",
    ),
    scalar(
        "map_concat", "(map(K, V), map(K, V), ...) -> map(K, V)", help="All entries; of equal keys the last"
    ),
    scalar(
        "map_filter",
        "(map(K, V), function(K, V, boolean)) -> map(K, V)",
        help="The entries for which f is true",
    ),
    scalar(
        "transform_keys",
        "(map(K, V), function(K, V, L)) -> map(L, V)",
        help="The values under keys that f makes",
        raises="keys that are NULL or there twice",
    ),
    scalar(
        "transform_values",
        "(map(K, V), function(K, V, W)) -> map(K, W)",
        help="Values that f makes, under their keys",
    ),
    scalar(
        "map_zip_with",
        "(map(K, V), map(K, W), function(K, V, W, R)) -> map(K, R)",
        help="f of two maps' values, key by key; NULL for a missing one",
    ),
)
