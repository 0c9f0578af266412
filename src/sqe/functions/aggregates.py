"""Aggregates. NULLs are skipped unless said."""

from __future__ import annotations

from sqe.functions.function import Function, aggregate


def _moment(name: str, help: str) -> Function:
    return aggregate(name, "(bigint) -> double", "(double) -> double", help=help)


def _bits(name: str, help: str) -> Function:
    return aggregate(name, "(bigint) -> bigint", help=help)


def _pair(name: str, help: str) -> Function:
    """y first, then x."""
    return aggregate(name, "(real, real) -> real", "(double, double) -> double", help=help)


_SAMPLE = "The standard deviation of a sample"
_VARIANCE = "The variance of a sample"


FUNCTIONS = (
    aggregate("count", "() -> bigint", "(T) -> bigint", help="How many rows, or values that are not NULL"),
    aggregate("count_if", "(boolean) -> bigint", help="How many are true"),
    aggregate(
        "sum",
        "(bigint) -> bigint",
        "(decimal(p,s)) -> decimal(38,s)",
        "(real) -> real",
        "(double) -> double",
        "(interval day to second) -> interval day to second",
        "(interval year to month) -> interval year to month",
        help="The sum; NULL of no rows",
        raises="overflow",
    ),
    aggregate(
        "avg",
        "(bigint) -> double",
        "(decimal(p,s)) -> decimal(p,s)",
        "(real) -> real",
        "(double) -> double",
        "(interval day to second) -> interval day to second",
        "(interval year to month) -> interval year to month",
        help="The mean; NULL of no rows",
        raises="overflow",
    ),
    aggregate(
        "min",
        "(T:orderable) -> T",
        "(E:orderable, bigint) -> array(E)",
        help="The smallest, or the n smallest",
        nested_raises="a NULL inside a value that is ordered, a count that is not positive",
    ),
    aggregate(
        "max",
        "(T:orderable) -> T",
        "(E:orderable, bigint) -> array(E)",
        help="The largest, or the n largest",
        nested_raises="a NULL inside a value that is ordered, a count that is not positive",
    ),
    aggregate(
        "min_by",
        "(V, K:orderable) -> V",
        "(V, K:orderable, bigint) -> array(V)",
        help="The value at the smallest key, or the values at the n smallest",
        raises="a NULL inside a value that is ordered, a negative count",
    ),
    aggregate(
        "max_by",
        "(V, K:orderable) -> V",
        "(V, K:orderable, bigint) -> array(V)",
        help="The value at the largest key, or the values at the n largest",
        raises="a NULL inside a value that is ordered, a negative count",
    ),
    aggregate("array_agg", "(T) -> array(T)", help="All values as an array, NULLs too", ordered=True),
    aggregate(
        "listagg",
        "(varchar) -> varchar",
        "(varchar, varchar) -> varchar",
        help="All values as one text with a separator",
        ordered=True,
    ),
    aggregate("bool_and", "(boolean) -> boolean", help="Whether all are true"),
    aggregate("every", "(boolean) -> boolean", help="Whether all are true"),
    aggregate("bool_or", "(boolean) -> boolean", help="Whether any is true"),
    aggregate("any_value", "(T) -> T", help="Some value that is not NULL"),
    aggregate("arbitrary", "(T) -> T", help="Some value that is not NULL"),
    aggregate(
        "approx_distinct",
        "(T) -> bigint",
        "(T, double) -> bigint",
        help="How many different values there are, about",
    ),
    aggregate(
        "approx_percentile",
        "(bigint, double) -> bigint",
        "(double, double) -> double",
        "(real, double) -> real",
        "(bigint, array(double)) -> array(bigint)",
        "(double, array(double)) -> array(double)",
        "(real, array(double)) -> array(real)",
        "(bigint, double, double) -> bigint",
        "(double, double, double) -> double",
        "(bigint, double, array(double)) -> array(bigint)",
        "(double, double, array(double)) -> array(double)",
        help="The value at a share of the sorted values, about",
    ),
    _moment("stddev", _SAMPLE),
    _moment("stddev_samp", _SAMPLE),
    _moment("stddev_pop", "The standard deviation of a population"),
    _moment("variance", _VARIANCE),
    _moment("var_samp", _VARIANCE),
    _moment("var_pop", "The variance of a population"),
    _moment("skewness", "The skewness"),
    _moment("kurtosis", "The excess kurtosis of a sample"),
    _pair("corr", "The correlation"),
    _pair("covar_pop", "The covariance of a population"),
    _pair("covar_samp", "The covariance of a sample"),
    _pair("regr_slope", "The slope of the line through the points"),
    _pair("regr_intercept", "Where the line through the points begins"),
    aggregate(
        "geometric_mean",
        "(bigint) -> double",
        "(real) -> real",
        "(double) -> double",
        help="The geometric mean",
    ),
    _bits("bitwise_and_agg", "Bits that are set in all"),
    _bits("bitwise_or_agg", "Bits that are set in any"),
    _bits("bitwise_xor_agg", "Bits that are set in an odd number"),
    aggregate("map_agg", "(K:comparable, V) -> map(K, V)", help="A map of keys to their first values"),
    aggregate(
        "multimap_agg", "(K:comparable, V) -> map(K, array(V))", help="A map of keys to all their values"
    ),
    aggregate("histogram", "(T:comparable) -> map(T, bigint)", help="A map of values to how often they are"),
    aggregate("map_union", "(map(K, V)) -> map(K, V)", help="One map of all entries"),
    aggregate(
        "reduce_agg",
        "(T, S, function(S, T, S), function(S, S, S)) -> S",
        help="A state that f makes of each value in turn; g joins two states",
        raises="what its lambdas raise",
    ),
    aggregate(
        "approx_most_frequent",
        "(bigint, bigint, bigint) -> map(bigint, bigint)",
        "(bigint, varchar, bigint) -> map(varchar, bigint)",
        help="A map of the n most frequent values to how often they are, about",
    ),
    aggregate(
        "numeric_histogram",
        "(bigint, double) -> map(double, double)",
        "(bigint, double, double) -> map(double, double)",
        "(bigint, real) -> map(real, real)",
        "(bigint, real, double) -> map(real, real)",
        help="A map of n buckets' means to their weights, about",
    ),
    # The binder makes a sum of it.
    aggregate("checksum", "(T) -> varbinary", help="A hash of all values, in whatever order, NULLs too"),
)
