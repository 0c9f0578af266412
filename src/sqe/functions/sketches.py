"""Sketches: bytes that say about how many values there are, what they have in common, and where they lie.
Python bodies make them, of a group's hashes or values that the engine collects."""

from __future__ import annotations

from sqe.functions.function import Resolution, aggregate, scalar
from sqe.types.sql_types import DATE, SET_DIGEST, VARBINARY, Type, Varchar, is_integer

_BUCKETS = "sketches with different numbers of buckets"
_DIGEST = "sqe_set_digests_"


def _of_any(arguments: tuple[Type, ...]) -> Resolution | None:
    """Trino's make_set_digest has a body for what is a number or bytes inside."""
    if len(arguments) != 1:
        return None
    kind = arguments[0]
    plain = is_integer(kind) or kind in (DATE, VARBINARY) or isinstance(kind, Varchar)
    return Resolution((kind,), SET_DIGEST) if plain else None


FUNCTIONS = (
    aggregate(
        "approx_set",
        "(bigint) -> hyperloglog",
        "(double) -> hyperloglog",
        "(varchar(x)) -> hyperloglog",
        help="A sketch of how many different values there are; cardinality() says how many, about",
    ),
    scalar("empty_approx_set", "() -> hyperloglog", help="The sketch of no values"),
    aggregate(
        "merge",
        "(hyperloglog) -> hyperloglog",
        "(tdigest) -> tdigest",
        help="Several sketches as one",
        raises=_BUCKETS,
    ),
    aggregate("make_set_digest", _of_any, help="A sketch of a set, to compare it with others"),
    aggregate(
        "merge_set_digest",
        "(setdigest) -> setdigest",
        help="Several sketches of sets as one",
        raises=_BUCKETS,
    ),
    scalar(
        "intersection_cardinality",
        "(setdigest, setdigest) -> bigint",
        body=_DIGEST + "intersection_cardinality",
        help="How many values two sets have in common, about",
    ),
    scalar(
        "jaccard_index",
        "(setdigest, setdigest) -> double",
        body=_DIGEST + "jaccard_index",
        help="Which share of both together two sets have in common, about",
    ),
    scalar(
        "hash_counts",
        "(setdigest) -> map(bigint, smallint)",
        body=_DIGEST + "hashes",
        help="A map of the hashes that a sketch of a set has to how often they are",
    ),
    aggregate(
        "tdigest_agg",
        "(double) -> tdigest",
        "(double, double) -> tdigest",
        help="A sketch of where values lie, each with a weight or with that of one",
        raises="NaN, infinity, a weight below 1",
    ),
    scalar(
        "value_at_quantile",
        "(tdigest, double) -> double",
        body="sqe_tdigests_value",
        help="The value at a share of the sorted values, about",
        raises="a share that is none",
    ),
    scalar(
        "values_at_quantiles",
        "(tdigest, array(double)) -> array(double)",
        body="sqe_tdigests_values",
        help="The values at shares of the sorted values, about",
        raises="a share that is none",
    ),
)
