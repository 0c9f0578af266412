"""What Spark answers to our renderings: Trino's values, row by row.

Arguments are columns, not literals, so that Spark computes them as it does in a query.
"""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal as D
from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

pytestmark = pytest.mark.spark

INF = math.inf
NAN = math.nan


def over_rows(expression: str, types: str, rows: list[str]) -> str:
    """SELECT expression over rows of x, y, z; `types` are their types, `;` between them."""
    names = "xyz"[: types.count(";") + 1]
    casts = ", ".join(
        f"CAST({name} AS {t.strip()}) AS {name}" for name, t in zip(names, types.split(";"), strict=True)
    )
    values = ", ".join(f"({number}, {row})" for number, row in enumerate(rows))
    columns = ", ".join(names)
    source = f"SELECT k, {casts} FROM (VALUES {values}) AS v(k, {columns})"
    return f"SELECT {expression} FROM ({source}) AS t ORDER BY k"


def same(got: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(got, float):
        if math.isnan(expected) or math.isnan(got):
            return math.isnan(expected) and math.isnan(got)
        return got == expected and math.copysign(1, got) == math.copysign(1, expected)
    if isinstance(expected, list) and isinstance(got, list):
        return len(got) == len(expected) and all(map(same, got, expected))
    return type(got) is type(expected) and bool(got == expected)


DOUBLES = "double; double"
DECIMALS = "decimal(38,4); decimal(38,4)"
DATES = "date; date"
STAMPS = "timestamp(6); timestamp(6)"

# expression, types, rows, expected
SCALARS: list[tuple[str, str, list[str], list[Any]]] = [
    # Doubles: IEEE where Spark raises or has NaN for a large number.
    (
        "x / y",
        DOUBLES,
        ["1e0, 0e0", "-1e0, 0e0", "0e0, 0e0", "1e0, -0e0", "6e0, 4e0", "NULL, 0e0"],
        [INF, -INF, NAN, -INF, 1.5, None],
    ),
    ("x % y", DOUBLES, ["5.5e0, 2e0", "1e0, 0e0", "-5.5e0, 2e0"], [1.5, NAN, -1.5]),
    (
        "x = y",
        DOUBLES,
        ["nan(), nan()", "0e0, -0e0", "NULL, nan()", "nan(), NULL"],
        [False, True, None, None],
    ),
    ("x <> y", DOUBLES, ["nan(), nan()", "1e0, 1e0", "nan(), 1e0"], [True, False, True]),
    ("x < y", DOUBLES, ["1e0, nan()", "nan(), 1e0", "1e0, 2e0", "NULL, nan()"], [False, False, True, None]),
    ("x >= y", DOUBLES, ["1e0, nan()", "nan(), nan()", "2e0, 2e0"], [False, False, True]),
    ("x > 1", "double", ["nan()", "2e0", "NULL"], [False, True, None]),
    ("x IS DISTINCT FROM y", DOUBLES, ["nan(), nan()", "1e0, NULL"], [False, True]),
    ("greatest(x, y)", DOUBLES, ["nan(), 1e0", "nan(), nan()", "1e0, NULL"], [1.0, NAN, None]),
    ("least(x, y)", DOUBLES, ["nan(), 1e0", "1e0, 2e0"], [1.0, 1.0]),
    ("ceil(x)", "double", ["1.2e0", "-0.5e0", "nan()", "1e300"], [2.0, -0.0, NAN, 1e300]),
    ("floor(x)", "double", ["-0.5e0", "-0e0", "infinity()"], [-1.0, -0.0, INF]),
    ("truncate(x)", "double", ["-1.9e0", "-0.5e0", "1e300"], [-1.0, -0.0, 1e300]),
    ("round(x)", "double", ["2.5e0", "-2.5e0", "nan()", "infinity()"], [3.0, -3.0, NAN, INF]),
    ("round(x, 2)", "double", ["1.005e0", "1.235e0", "-1.235e0", "nan()"], [1.0, 1.24, -1.24, NAN]),
    ("sqrt(x)", "double", ["-1e0", "4e0"], [NAN, 2.0]),
    ("ln(x)", "double", ["0e0", "-1e0", "1e0", "NULL"], [-INF, NAN, 0.0, None]),
    ("exp(x)", "double", ["1e0", "NULL"], [2.718281828459045, None]),
    ("power(x, y)", DOUBLES, ["2e0, 0.5e0", "2e0, 10e0"], [math.sqrt(2), 1024.0]),
    ("is_nan(x)", "double", ["nan()", "1e0", "NULL"], [True, False, None]),
    # Integers.
    ("x / y", "integer; integer", ["7, 2", "-7, 2", "NULL, 0"], [3, -3, None]),
    ("x % y", "integer; integer", ["-7, 3", "-2147483648, -1"], [-1, 0]),
    ("round(x, -1)", "integer", ["125", "-125"], [130, -130]),
    ("bitwise_right_shift(x, y)", "bigint; integer", ["-1, 63", "-1, 64"], [1, 0]),
    ("to_base(x, 16)", "bigint", ["255", "-255"], ["ff", "-ff"]),
    ("from_base(x, 16)", "varchar", ["'ff'", "'-8000000000000000'"], [255, -(2**63)]),
    # Decimals: exact and rounded once, whatever their width.
    (
        "x / y",
        "decimal(12,3); decimal(12,2)",
        ["2, 3", "-2, 3", "1, -3"],
        [D("0.667"), D("-0.667"), D("-0.333")],
    ),
    (
        "x / y",
        DECIMALS,
        ["1, 3", "2, 3", "-2, 3", "0.0001, 2", "DECIMAL '12345678901234567890.1234', 7", "NULL, 0"],
        [D("0.3333"), D("0.6667"), D("-0.6667"), D("0.0001"), D("1763668414462081127.1605"), None],
    ),
    ("x % y", "decimal(12,3); decimal(12,2)", ["5.5, 2", "-5.5, 2"], [D("1.500"), D("-1.500")]),
    ("x + 1", "decimal(38,10)", ["DECIMAL '0.0000000001'"], [D("1.0000000001")]),
    (
        "x * y",
        "decimal(12,3); decimal(12,3)",
        ["999999999.999, 999999999.999"],
        [D("999999999998000000.000001")],
    ),
    ("round(x, 1)", "decimal(5,2)", ["1.25", "-1.25", "999.99"], [D("1.30"), D("-1.30"), D("1000.00")]),
    ("truncate(x, 1)", "decimal(5,2)", ["1.29", "-1.29"], [D("1.20"), D("-1.20")]),
    ("floor(x)", "decimal(12,3)", ["-1.5", "1.5"], [D("-2"), D("1")]),
    # Casts.
    ("CAST(x AS integer)", "double", ["2.5e0", "-2.5e0", "NULL"], [3, -3, None]),
    ("CAST(x AS bigint)", "decimal(12,3)", ["2.5", "-2.5"], [3, -3]),
    ("TRY_CAST(x AS bigint)", "double", ["9.3e18", "nan()", "1.5e0"], [None, None, 2]),
    ("CAST(x AS decimal(5,1))", "decimal(10,3)", ["1.25", "-1.25"], [D("1.3"), D("-1.3")]),
    ("CAST(x AS decimal(10,2))", "double", ["1.005e0"], [D("1.01")]),
    (
        "CAST(x AS varchar)",
        "double",
        ["1.5e0", "100e0", "1e-3", "-0e0", "0e0", "nan()", "-infinity()", "123456789.5e0"],
        ["1.5E0", "1.0E2", "1.0E-3", "-0E0", "0E0", "NaN", "-Infinity", "1.234567895E8"],
    ),
    (
        "CAST(x AS varchar)",
        "real",
        ["1.5e0", "16777216e0", "1048576.5e0", "1048577.5e0", "0.33333334e0", "3.4e38", "-0.015e0"],
        ["1.5E0", "1.677722E7", "1.048576E6", "1.048578E6", "3.333333E-1", "3.4E38", "-1.5E-2"],
    ),
    ("CAST(x AS varchar)", "decimal(12,3)", ["1.5", "0"], ["1.500", "0.000"]),
    (
        "CAST(x AS varchar)",
        "timestamp(6)",
        ["TIMESTAMP '2024-01-31 23:59:59.5'"],
        ["2024-01-31 23:59:59.500000"],
    ),
    ("CAST(x AS varchar(3))", "varchar", ["'abcdef'", "'é€x!'"], ["abc", "é€x"]),
    ("TRY_CAST(x AS integer)", "varchar", ["' 12 '", "'1.5'", "'1e2'"], [12, None, None]),
    ("TRY_CAST(x AS double)", "varchar", ["' 1.5 '", "'NaN'", "'nan'", "'1d'"], [1.5, NAN, None, 1.0]),
    ("TRY_CAST(x AS boolean)", "varchar", ["'T'", "'0'", "'yes'"], [True, False, None]),
    (
        "TRY_CAST(x AS date)",
        "varchar",
        ["' 2024-02-29 '", "'2024-1-5'", "'2024'", "'2024-02-30'"],
        [date(2024, 2, 29), date(2024, 1, 5), None, None],
    ),
    (
        "TRY_CAST(x AS timestamp(6))",
        "varchar",
        ["'2024-02-29 12:34'", "'2024-02-29'", "'2024-02-29T12:00:00'"],
        [datetime(2024, 2, 29, 12, 34), datetime(2024, 2, 29), None],
    ),
    (
        "CAST(x AS timestamp(3))",
        "timestamp(6)",
        ["TIMESTAMP '2024-01-31 23:59:59.999500'", "TIMESTAMP '1969-12-31 23:59:59.123456'"],
        [datetime(2024, 2, 1), datetime(1969, 12, 31, 23, 59, 59, 123000)],
    ),
    ("CAST(x AS array(integer))", "array(double)", ["ARRAY[1.5e0, NULL]", "NULL"], [[2, None], None]),
    # Text.
    ("upper(x)", "varchar", ["'straße'", "'abc'", "NULL"], ["STRAßE", "ABC", None]),
    ("lower(x)", "varchar", ["'ΑΣ'", "'ABC'"], ["\u03b1\u03c3", "abc"]),
    ("substr(x, y)", "varchar; bigint", ["'banana', 0", "'banana', -3", "'banana', -7"], ["", "ana", ""]),
    ("substr(x, y, 2)", "varchar; bigint", ["'banana', 0", "'banana', -3", "NULL, 1"], ["", "an", None]),
    ("substr(x, 2, 3)", "varchar", ["'banana'", "''"], ["ana", ""]),
    ("trim(x)", "varchar", ["chr(8195) || chr(9) || 'a ' || chr(12288)"], ["a"]),
    (
        "lpad(x, 5, y)",
        "varchar; varchar",
        ["'ab', 'xy'", "'abcdefg', 'x'", "'a', NULL"],
        ["xyxab", "abcde", None],
    ),
    ("split(x, y)", "varchar; varchar", ["'a.b..c', '.'", "'', ','"], [["a", "b", "", "c"], [""]]),
    ("split_part(x, '.', y)", "varchar; bigint", ["'a.b', 2", "'a.b', 3"], ["b", None]),
    ("strpos(x, y)", "varchar; varchar", ["'banana', 'na'", "'banana', ''", "'banana', 'z'"], [3, 1, 0]),
    ("replace(x, y, '-')", "varchar; varchar", ["'ab', ''", "'axb', 'x'"], ["-a-b-", "a-b"]),
    ("x || y", "varchar; varchar", ["'a', NULL", "'a', 'b'"], [None, "ab"]),
    ("x LIKE y", "varchar; varchar", [r"'a\b', 'a\b'", "'ab', 'a_'"], [True, True]),
    ("x LIKE 'a#_%' ESCAPE '#'", "varchar", ["'a_b'", "'axb'", r"'a\_b'"], [True, False, False]),
    ("chr(x)", "bigint", ["233", "128512"], ["é", "😀"]),
    ("regexp_extract(x, '[0-9]*')", "varchar", ["'abc'", "'12'"], ["", "12"]),
    ("regexp_extract(x, '([0-9]+)([a-z])', 2)", "varchar", ["'1a'", "'zz'"], ["a", None]),
    ("from_utf8(x)", "varbinary", ["X'61c3a9'", "X'61ff'"], ["aé", "a\ufffd"]),
    ("nullif(x, y)", "integer; decimal(3,1)", ["1, 1.0", "1, 1.5"], [None, 1]),
    # Dates.
    ("x + INTERVAL '1' MONTH", "date", ["DATE '2024-01-31'"], [date(2024, 2, 29)]),
    ("x - INTERVAL '90' DAY", "date", ["DATE '1998-12-01'"], [date(1998, 9, 2)]),
    ("x + y * INTERVAL '1' DAY", "date; integer", ["DATE '2024-01-01', -3"], [date(2023, 12, 29)]),
    (
        "date_diff('month', x, y)",
        DATES,
        [
            "DATE '2024-01-31', DATE '2024-02-29'",
            "DATE '2024-02-29', DATE '2024-01-31'",
            "DATE '2024-01-15', DATE '2024-02-14'",
        ],
        [1, -1, 0],
    ),
    ("date_diff('year', x, y)", DATES, ["DATE '2023-12-31', DATE '2024-01-01'"], [0]),
    ("date_diff('week', x, y)", DATES, ["DATE '2024-01-01', DATE '2024-01-14'"], [1]),
    (
        "date_diff('hour', x, y)",
        STAMPS,
        ["TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-02 01:59:59.999999'"],
        [25],
    ),
    ("date_add('quarter', y, x)", "date; bigint", ["DATE '2024-11-30', 1"], [date(2025, 2, 28)]),
    (
        "date_add('month', y, x)",
        "timestamp(3); bigint",
        ["TIMESTAMP '2024-01-31 23:59:59', 1"],
        [datetime(2024, 2, 29, 23, 59, 59)],
    ),
    ("date_trunc('week', x)", "date", ["DATE '2024-01-10'"], [date(2024, 1, 8)]),
    (
        "date_trunc('quarter', x)",
        "timestamp(6)",
        ["TIMESTAMP '2024-05-10 11:22:33.456789'"],
        [datetime(2024, 4, 1)],
    ),
    (
        "CAST(from_unixtime(x) AS varchar)",
        "double",
        ["1.2345e0", "-0.0005e0", "-1.5e0"],
        ["1970-01-01 00:00:01.235 UTC", "1970-01-01 00:00:00.000 UTC", "1969-12-31 23:59:58.500 UTC"],
    ),
    ("day_of_week(x)", "date", ["DATE '2024-05-12'", "DATE '2024-05-13'"], [7, 1]),
    ("year_of_week(x)", "date", ["DATE '2021-01-01'"], [2020]),
    ("CAST(x - y AS varchar)", DATES, ["DATE '2024-03-01', DATE '2024-02-28'"], ["2 00:00:00.000"]),
    (
        "CAST(x - y AS varchar)",
        STAMPS,
        ["TIMESTAMP '2024-01-01 00:00:00.0005', TIMESTAMP '2024-01-01 00:00:00'"],
        ["0 00:00:00.001"],
    ),
    (
        "date_format(x, '%a %b %e %f %h %j %M %p %T %v %W %x %y %% it''s')",
        "timestamp(6)",
        ["TIMESTAMP '2024-05-09 03:02:01.123456'"],
        ["Thu May 9 123000 03 130 May AM 03:02:01 19 Thursday 2024 24 % it's"],
    ),
    ("date_parse(x, '%Y-%m-%d')", "varchar", ["'2024-5-9'"], [datetime(2024, 5, 9)]),
    # Arrays, maps, rows.
    (
        "x = y",
        "array(integer); array(integer)",
        ["ARRAY[1, NULL], ARRAY[1, NULL]", "ARRAY[1, NULL], ARRAY[2, NULL]", "ARRAY[1], ARRAY[1, 2]"],
        [None, False, False],
    ),
    ("x = y", "array(double); array(double)", ["ARRAY[nan()], ARRAY[nan()]"], [False]),
    (
        "ROW(x, 1) = ROW(y, 1)",
        "integer; integer",
        ["1, 1", "1, 2", "1, NULL"],
        [True, False, None],
    ),
    (
        "MAP(ARRAY['a', 'b'], ARRAY[x, y]) = MAP(ARRAY['b', 'a'], ARRAY[2, 1])",
        "integer; integer",
        ["1, 2", "1, 3", "1, NULL"],
        [True, False, None],
    ),
    ("element_at(x, y)", "array(integer); bigint", ["ARRAY[7, 8], -1", "ARRAY[7], 5"], [8, None]),
    ("contains(x, 1)", "array(integer)", ["ARRAY[1]", "ARRAY[2, NULL]", "ARRAY[2]"], [True, None, False]),
    ("array_max(x)", "array(integer)", ["ARRAY[3, 1]", "ARRAY[3, NULL]"], [3, None]),
    ("array_sort(x)", "array(integer)", ["ARRAY[3, NULL, 1]"], [[1, 3, None]]),
    ("array_join(x, '-')", "array(double)", ["ARRAY[1.5e0, NULL]"], ["1.5E0"]),
    ("x || y", "array(integer); integer", ["ARRAY[1], 3", "NULL, 3"], [[1, 3], None]),
    ("transform(x, e -> e + 1)", "array(integer)", ["ARRAY[1, NULL]"], [[2, None]]),
    ("reduce(x, 0, (s, e) -> s + e, s -> s)", "array(bigint)", ["ARRAY[1, 2]"], [3]),
    (
        "any_match(x, e -> e > 1)",
        "array(integer)",
        ["ARRAY[1, NULL]", "ARRAY[2]", "ARRAY[]"],
        [None, True, False],
    ),
    ("sequence(x, y)", "bigint; bigint", ["5, 1", "1, 3"], [[5, 4, 3, 2, 1], [1, 2, 3]]),
]


@pytest.mark.parametrize(("expression", "types", "rows", "expected"), SCALARS, ids=lambda v: str(v)[:60])
def test_scalars(
    connection: Connection, expression: str, types: str, rows: list[str], expected: list[Any]
) -> None:
    answer = [row[0] for row in connection.execute(over_rows(expression, types, rows)).fetchall()]
    assert len(answer) == len(expected)
    for row, got, wanted in zip(rows, answer, expected, strict=True):
        assert same(got, wanted), (row, got, wanted)


# aggregate, types, rows, expected
AGGREGATES: list[tuple[str, str, list[str], Any]] = [
    ("sum(x)", "integer", ["1", "2", "NULL"], 3),
    ("sum(x)", "bigint", ["5", "-7", "0", "NULL"], -2),
    ("sum(x)", "bigint", ["NULL"], None),
    ("sum(x)", "decimal(7,2)", ["1.10", "2.25"], D("3.35")),
    ("avg(x)", "integer", ["1", "2"], 1.5),
    ("avg(x)", "decimal(10,2)", ["1", "2", "2"], D("1.67")),
    ("avg(x)", "decimal(38,2)", ["-1", "-2", "-2"], D("-1.67")),
    ("avg(x)", "decimal(38,2)", ["NULL"], None),
    ("max(x)", "double", ["nan()", "1e0", "infinity()"], INF),
    ("max(x)", "double", ["nan()"], NAN),
    ("max(x, 2)", "integer", ["1", "5", "3", "NULL"], [5, 3]),
    ("max_by(x, y)", "varchar; double", ["'a', 1e0", "'n', nan()", "'z', NULL"], "a"),
    ("array_agg(x ORDER BY x DESC)", "integer", ["1", "3", "NULL", "2"], [3, 2, 1, None]),
    ("array_agg(x) FILTER (WHERE x > 5)", "integer", ["1"], None),
    ("array_agg(DISTINCT x ORDER BY x)", "integer", ["2", "1", "2", "NULL"], [1, 2, None]),
    ("listagg(x, ',') WITHIN GROUP (ORDER BY x DESC)", "varchar", ["'a'", "'b'", "NULL"], "b,a"),
    ("count_if(x > 1)", "integer", ["1", "2", "NULL"], 1),
    ("count(DISTINCT x)", "double", ["nan()", "nan()", "1e0"], 2),
    ("any_value(x)", "integer", ["NULL", "5"], 5),
    ("approx_distinct(x)", "integer", ["1", "2", "2", "NULL"], 2),
    ("approx_percentile(x, 0.5)", "integer", ["1", "2", "3", "4", "5"], 3),
    ("stddev(x)", "integer", ["1"], None),
    ("var_pop(x)", "integer", ["5"], 0.0),
    ("corr(x, y)", DOUBLES, ["1e0, 2e0", "1e0, 4e0"], None),
    ("sum(exp(x))", "double", ["0e0", "0e0"], 2.0),
    ("bitwise_and_agg(x)", "bigint", ["12", "10"], 8),
    ("element_at(map_agg(x, y), 'a')", "varchar; integer", ["'a', 1", "NULL, 3"], 1),
]


@pytest.mark.parametrize(("expression", "types", "rows", "expected"), AGGREGATES, ids=lambda v: str(v)[:60])
def test_aggregates(
    connection: Connection, expression: str, types: str, rows: list[str], expected: Any
) -> None:
    (row,) = connection.execute(over_rows(expression, types, rows).removesuffix(" ORDER BY k")).fetchall()
    assert same(row[0], expected), row[0]


# expression, types, a row, the error's code
FAILURES = [
    ("x / y", "integer; integer", "1, 0", "DIVISION_BY_ZERO"),
    ("x % y", "integer; integer", "1, 0", "DIVISION_BY_ZERO"),
    ("x / y", "decimal(12,3); decimal(12,2)", "1, 0", "DIVISION_BY_ZERO"),
    ("x / y", DECIMALS, "1, 0", "DIVISION_BY_ZERO"),
    ("x + y", "integer; integer", "2147483647, 1", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ("- x", "integer", "-2147483648", "NUMERIC_VALUE_OUT_OF_RANGE"),
    (
        "x + 1",
        "decimal(38,0)",
        "DECIMAL '99999999999999999999999999999999999999'",
        "NUMERIC_VALUE_OUT_OF_RANGE",
    ),
    (
        "sum(x)",
        "bigint",
        "9223372036854775807), (1, 1), (2, -9223372036854775807",
        "NUMERIC_VALUE_OUT_OF_RANGE",
    ),
    ("CAST(x AS integer)", "varchar", "'1.5'", "INVALID_CAST_ARGUMENT"),
    ("CAST(x AS boolean)", "varchar", "'yes'", "INVALID_CAST_ARGUMENT"),
    ("CAST(x AS date)", "varchar", "'2024'", "INVALID_CAST_ARGUMENT"),
    ("CAST(x AS bigint)", "double", "1e20", "INVALID_CAST_ARGUMENT"),
    ("CAST(x AS varchar(2))", "integer", "123", "INVALID_CAST_ARGUMENT"),
    ("x[y]", "array(integer); bigint", "ARRAY[7], 2", "INVALID_FUNCTION_ARGUMENT"),
    ("x['z']", "map(varchar,integer)", "MAP(ARRAY['a'], ARRAY[1])", "INVALID_FUNCTION_ARGUMENT"),
    ("lpad(x, 5, y)", "varchar; varchar", "'a', ''", "INVALID_FUNCTION_ARGUMENT"),
    ("split_part(x, ',', y)", "varchar; bigint", "'a', 0", "INVALID_FUNCTION_ARGUMENT"),
    ("date_parse(x, '%Y-%m-%d')", "varchar", "'x'", "INVALID_FUNCTION_ARGUMENT"),
]


@pytest.mark.parametrize(("expression", "types", "row", "code"), FAILURES, ids=lambda v: str(v)[:40])
def test_failures(connection: Connection, expression: str, types: str, row: str, code: str) -> None:
    sql = over_rows(expression, types, [row]).removesuffix(" ORDER BY k")
    with pytest.raises(SqeError) as raised:
        connection.execute(sql).fetchall()
    assert raised.value.code == code


def test_windows(connection: Connection) -> None:
    rows = connection.execute(
        """
        SELECT row_number() OVER w, rank() OVER (ORDER BY x), dense_rank() OVER (ORDER BY x), ntile(2) OVER w,
               lag(y, 1, -1) OVER w, lead(x) OVER w, first_value(y) OVER w, nth_value(x, 2) OVER w,
               sum(x) OVER (ORDER BY x), avg(CAST(x AS decimal(38,2))) OVER (), array_agg(x) OVER w
        FROM (VALUES (1, 10), (2, 20), (2, NULL)) AS t(x, y)
        WINDOW w AS (ORDER BY x, y)
        ORDER BY 1
        """
    ).fetchall()
    assert [list(row) for row in rows] == [
        [1, 1, 1, 1, -1, 2, 10, None, 1, D("1.67"), [1]],
        [2, 2, 2, 1, 10, 2, 10, 2, 5, D("1.67"), [1, 2]],
        [3, 2, 2, 2, 20, None, 10, 2, 5, D("1.67"), [1, 2, 2]],
    ]
