"""The types of literals, operators and functions are those that Trino computes, and Spark delivers them."""

from __future__ import annotations

import itertools

import pytest
from tests.parity.answers import Deliveries, Execute
from tests.parity.delivered import is_delivered
from tests.parity.wire import type_name

from sqe.errors import TypeMismatch
from sqe.functions.registry import lookup, resolve
from sqe.types.arrow import arrow_type
from sqe.types.sql_types import BIGINT, INTEGER, SMALLINT, TINYINT, Decimal, Type

# Over one row: n decimal(5,2), big decimal(38,10), s varchar, v varchar(4), c char(4), ts3 timestamp(3) …
ROW = """
(SELECT CAST(1 AS tinyint) AS t8, CAST(1 AS smallint) AS t16, 1 AS i, BIGINT '1' AS l,
  REAL '1' AS f, 1e0 AS d, CAST(1 AS decimal(5,2)) AS n,
  CAST(1 AS decimal(38,10)) AS big, CAST('a' AS varchar) AS s,
  CAST('ab' AS varchar(4)) AS v, CAST('a' AS char(4)) AS c, DATE '2024-01-31' AS dt,
  TIMESTAMP '2024-01-31 01:02:03' AS ts, TIMESTAMP '2024-01-31 01:02:03.123' AS ts3,
  TIMESTAMP '2024-01-31 01:02:03.123456' AS ts6, TIMESTAMP '2024-01-31 01:02:03 UTC' AS tz,
  INTERVAL '1' MONTH AS ym, INTERVAL '1' DAY AS ds, ARRAY[1, 2] AS ai, MAP(ARRAY['a'], ARRAY[1]) AS m) AS t
"""
SCALARS = {
    # Literals
    "1": "integer",
    "2147483648": "bigint",
    "1.5": "decimal(2,1)",
    "0.001": "decimal(3,3)",
    "001.50": "decimal(3,2)",
    "1e0": "double",
    "DECIMAL '12'": "decimal(2,0)",
    "DECIMAL '-1.50'": "decimal(3,2)",
    "REAL '1.5'": "real",
    "TINYINT '1'": "tinyint",
    "'abc'": "varchar(3)",
    "''": "varchar(0)",
    "X'00'": "varbinary",
    "true": "boolean",
    "NULL": "unknown",
    "DATE '2024-01-01'": "date",
    "TIMESTAMP '2024-01-01 00:00:00'": "timestamp(0)",
    "TIMESTAMP '2024-01-01 00:00:00.12'": "timestamp(2)",
    "TIMESTAMP '2024-01-01 00:00:00.123456 UTC'": "timestamp(6) with time zone",
    "INTERVAL '1' YEAR": "interval year to month",
    "INTERVAL '1' HOUR": "interval day to second",
    "ARRAY[]": "array(unknown)",
    # Numbers
    "t8 + t8": "tinyint",
    "t8 + t16": "smallint",
    "t16 * i": "integer",
    "i / l": "bigint",
    "i % t8": "integer",
    "l + f": "real",
    "f + d": "double",
    "n + d": "double",
    "n * f": "real",
    "-n": "decimal(5,2)",
    "-t8": "tinyint",
    "n + n": "decimal(6,2)",
    "n - i": "decimal(13,2)",
    "n * n": "decimal(10,4)",
    "n / 3": "decimal(5,2)",
    "7.00 / 3": "decimal(3,2)",
    "n % 3": "decimal(5,2)",
    "n % 3.0": "decimal(3,2)",
    "big + 1": "decimal(38,10)",
    "big * 2": "decimal(38,10)",
    "n + t8": "decimal(6,2)",
    "n + l": "decimal(22,2)",
    # Rounding
    "round(n)": "decimal(4,0)",
    "round(n, 1)": "decimal(6,2)",
    "round(big, 2)": "decimal(38,10)",
    "round(i)": "integer",
    "round(d, 2)": "double",
    "floor(n)": "decimal(4,0)",
    "ceil(big)": "decimal(29,0)",
    "truncate(n)": "decimal(3,0)",
    "truncate(n, 1)": "decimal(5,2)",
    "abs(n)": "decimal(5,2)",
    "sign(n)": "decimal(1,0)",
    "sign(i)": "integer",
    "sign(d)": "double",
    "mod(n, 3)": "decimal(5,2)",
    "mod(i, l)": "bigint",
    "greatest(i, l)": "bigint",
    "greatest(n, 1)": "decimal(12,2)",
    "least(n, d)": "double",
    "power(i, 2)": "double",
    "sqrt(n)": "double",
    # Text
    "s || 'x'": "varchar",
    "v || 'x'": "varchar",
    "c || 'x'": "char(5)",
    "c || c": "char(8)",
    "c = 'a'": "boolean",
    "c = v": "boolean",
    "upper(v)": "varchar(4)",
    "lower(s)": "varchar",
    "substr(v, 2)": "varchar(4)",
    "trim(v)": "varchar(4)",
    "reverse(v)": "varchar(4)",
    "length(v)": "bigint",
    "strpos(s, 'a')": "bigint",
    "split(v, ',')": "array(varchar(4))",
    "coalesce(v, 'abcdef')": "varchar(6)",
    "coalesce(v, s)": "varchar",
    "if(true, 'a', 'bcd')": "varchar(3)",
    "CASE WHEN true THEN 'a' ELSE v END": "varchar(4)",
    "CAST(v AS varchar(2))": "varchar(2)",
    "CAST(i AS varchar)": "varchar",
    # Dates and intervals
    "dt + ds": "date",
    "dt + ym": "date",
    "dt - dt": "interval day to second",
    "ts - ts6": "interval day to second",
    "ts + ds": "timestamp(3)",
    "ts3 + ds": "timestamp(3)",
    "ts6 - ds": "timestamp(6)",
    "ts + ym": "timestamp(0)",
    "ts6 + ym": "timestamp(6)",
    "tz + ds": "timestamp(3) with time zone",
    "ds + ds": "interval day to second",
    "ds * 2": "interval day to second",
    "ds / 2": "interval day to second",
    "ym * 2": "interval year to month",
    "-ym": "interval year to month",
    "date_trunc('month', ts3)": "timestamp(3)",
    "date_trunc('month', dt)": "date",
    "date_add('day', 1, ts)": "timestamp(0)",
    "date_diff('day', ts, ts6)": "bigint",
    "year(dt)": "bigint",
    "CAST(dt AS timestamp)": "timestamp(3)",
    "coalesce(dt, ts3)": "timestamp(3)",
    "coalesce(ts, ts6)": "timestamp(6)",
    "coalesce(ts3, tz)": "timestamp(3) with time zone",
    # Common types, and what has parts
    "coalesce(i, l)": "bigint",
    "coalesce(n, 1)": "decimal(12,2)",
    "coalesce(n, 1.123)": "decimal(6,3)",
    "CASE WHEN true THEN 1 ELSE 2.5 END": "decimal(11,1)",
    "CASE WHEN false THEN 1 END": "integer",
    "nullif(i, d)": "integer",
    "ARRAY[1, 2.5]": "array(decimal(11,1))",
    "ARRAY['a', 'bcd']": "array(varchar(3))",
    "ARRAY[NULL, 1]": "array(integer)",
    "ARRAY[ts, ts6]": "array(timestamp(6))",
    "ai[1]": "integer",
    "ai || BIGINT '3'": "array(bigint)",
    "ai || ARRAY[2.5]": "array(decimal(11,1))",
    "m": "map(varchar(1), integer)",
    "m['a']": "integer",
    "map_keys(m)": "array(varchar(1))",
    "map_values(m)": "array(integer)",
    "transform(ai, x -> x + 1.5)": "array(decimal(12,1))",
    "reduce(ai, 0, (s, x) -> s + x, s -> s)": "integer",
    "zip_with(ai, ai, (x, y) -> CAST(x AS double) / y)": "array(double)",
    "ROW(1, 'a')": "row(integer, varchar(1))",
    "CAST(ROW(1, 'a') AS row(x bigint, y varchar))": "row(x bigint, y varchar)",
    "CAST(ROW(1, 'a') AS row(x bigint, y varchar)).x": "bigint",
    "cardinality(ai)": "bigint",
    "element_at(m, 'a')": "integer",
    "sequence(1, 3)": "array(bigint)",
    "sequence(l, 3)": "array(bigint)",
}
AGGREGATES = {
    "count(*)": "bigint",
    "sum(t8)": "bigint",
    "sum(i)": "bigint",
    "sum(f)": "real",
    "sum(d)": "double",
    "sum(n)": "decimal(38,2)",
    "sum(big)": "decimal(38,10)",
    "avg(i)": "double",
    "avg(f)": "real",
    "avg(n)": "decimal(5,2)",
    "avg(big)": "decimal(38,10)",
    "min(v)": "varchar(4)",
    "max(ts3)": "timestamp(3)",
    "max_by(v, i)": "varchar(4)",
    "max_by(v, i, 2)": "array(varchar(4))",
    "array_agg(n)": "array(decimal(5,2))",
    "map_agg(v, n)": "map(varchar(4), decimal(5,2))",
    "histogram(v)": "map(varchar(4), bigint)",
    "approx_distinct(s)": "bigint",
    "stddev(n)": "double",
    "bool_and(true)": "boolean",
    "arbitrary(c)": "char(4)",
    "count_if(true)": "bigint",
}
UNIONS = {
    "SELECT 1 UNION SELECT 2.5": "decimal(11,1)",
    "SELECT 'a' UNION ALL SELECT 'bcd'": "varchar(3)",
    "SELECT DATE '2024-01-01' UNION SELECT TIMESTAMP '2024-01-01 00:00:00.12'": "timestamp(2)",
    "SELECT NULL UNION SELECT 1": "integer",
    "VALUES 1, BIGINT '2', 2.5": "decimal(20,1)",
}


@pytest.mark.spark
@pytest.mark.parametrize("table", [SCALARS, AGGREGATES], ids=["scalars", "aggregates"])
def test_of_an_expression(table: dict[str, str], execute: Execute, deliveries: Deliveries) -> None:
    sql = f"SELECT {', '.join(table)} FROM {ROW}"
    types, _ = execute(sql)
    announced = {text: type_name(str(type_)) for text, type_ in zip(table, types, strict=True)}
    assert announced == {text: type_name(type_) for text, type_ in table.items()}
    for text, (type_, delivered, _) in zip(table, deliveries[sql], strict=True):
        assert is_delivered(delivered, arrow_type(type_)), text


@pytest.mark.spark
@pytest.mark.parametrize("sql", UNIONS)
def test_of_a_set_operation(sql: str, execute: Execute) -> None:
    assert [str(type_) for type_ in execute(sql)[0]] == [UNIONS[sql]]


DIGITS: dict[Type, int] = {TINYINT: 3, SMALLINT: 5, INTEGER: 10, BIGINT: 19}
DECIMALS = [Decimal(p, s) for p in (1, 3, 9, 18, 19, 30, 38) for s in (0, 1, 3, 10, 19, 38) if s <= p]


def _result(op: str, a: Decimal, b: Decimal) -> Type | None:
    """Trino's rule; None where it has none."""
    whole = max(a.precision - a.scale, b.precision - b.scale)
    scale = max(a.scale, b.scale)
    match op:
        case "$add" | "$sub":
            return Decimal(min(38, whole + scale + 1), scale)
        case "$mul":
            product = a.scale + b.scale
            return Decimal(min(38, a.precision + b.precision), product) if product <= 38 else None
        case "$div":
            return Decimal(min(38, a.precision + b.scale + max(0, b.scale - a.scale)), scale)
    smaller = min(a.precision - a.scale, b.precision - b.scale)
    return Decimal(min(38, max(1, smaller + scale)), scale)


@pytest.mark.parametrize("op", ["$add", "$sub", "$mul", "$div", "$mod"])
def test_of_decimals(op: str) -> None:
    function = lookup(op)
    assert function is not None
    pairs: list[tuple[Type, Type]] = [*itertools.product(DECIMALS, DECIMALS)]
    pairs += [pair for d in DECIMALS for whole in DIGITS for pair in ((d, whole), (whole, d))]
    for left, right in pairs:
        a, b = (t if isinstance(t, Decimal) else Decimal(DIGITS[t], 0) for t in (left, right))
        expected = _result(op, a, b)
        if expected is None:
            with pytest.raises(TypeMismatch):
                resolve(function, (left, right))
        else:
            assert resolve(function, (left, right)).result == expected, f"{left} {op} {right}"
