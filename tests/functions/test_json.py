"""JSON: Trino's form of it, its functions, constructors and casts, by Python bodies on real Spark."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

pytestmark = pytest.mark.spark


def answers(connection: Connection, expression: str, texts: list[str | None]) -> list[Any]:
    """Of an expression over rows of x, so that nothing is known before."""
    rows = ", ".join(f"({i}, {'NULL' if x is None else _quoted(x)})" for i, x in enumerate(texts))
    source = f"SELECT k, CAST(x AS varchar) AS x FROM (VALUES {rows}) AS v (k, x)"
    sql = f"SELECT {expression} FROM ({source}) ORDER BY k"
    return [value for (value,) in connection.execute(sql).fetchall()]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


FORMS = [
    ('{"b":1,"a":2}', '{"a":2,"b":1}'),
    ('{"a":1,"a":2}', '{"a":2}'),
    (" [ 1 , 2.50 , 1e2, 1e10, -0.0, 1E-5 ] ", "[1,2.5,100.0,1.0E10,-0.0,1.0E-5]"),
    ("12345678901234567890123", "12345678901234567890123"),
    ('"\\u00e9\\n\\"\\u0001𝄞"', '"é\\n\\"\\u0001\\uD834\\uDD1E"'),
    ('"\\ud834\\udd1e \\ud800"', '"\\uD834\\uDD1E \\uD800"'),
    ("null", "null"),
    ("true", "true"),
    ('{"a":{"c":[],"b":{}}}', '{"a":{"b":{},"c":[]}}'),
    (None, None),
]


def test_it_is_kept_in_trinos_form(connection: Connection) -> None:
    got = answers(connection, "json_format(json_parse(x))", [text for text, _ in FORMS])
    assert got == [form for _, form in FORMS]


def test_a_literal_is_in_that_form_too(connection: Connection) -> None:
    for text, form in FORMS:
        if text is not None:
            assert connection.execute(f"SELECT json_format(JSON {_quoted(text)})").fetchall() == [(form,)]


@pytest.mark.parametrize("text", ["", "{", "{a:1}", "[1,]", "NaN", "'x'", "1 2", '{"a":1}x', "[01]"])
def test_what_is_no_json(connection: Connection, text: str) -> None:
    for expression in ("json_parse(x)", "is_json_scalar(x)"):
        with pytest.raises(SqeError) as error:
            answers(connection, expression, [text])
        assert error.value.code == "INVALID_FUNCTION_ARGUMENT"
    quiet = [
        "json_extract(x, '$.a')",
        "json_extract_scalar(x, '$')",
        "json_array_length(x)",
        "json_size(x, '$')",
    ]
    for expression in quiet:
        assert answers(connection, expression, [text]) == [None]


def test_an_error_does_not_tell_the_value(connection: Connection) -> None:
    with pytest.raises(SqeError) as error:
        answers(connection, "json_parse(x)", ["secret value"])
    assert "secret" not in str(error.value)


DOCUMENT = '{"a":{"b":[10,20,{"c":"x"}]},"d e":true,"n":null,"s":"t","f":1.50,"0":"zero"}'


@pytest.mark.parametrize(
    ("path", "extracted", "scalar", "size"),
    [
        ("$", DOCUMENT.replace("1.50", "1.5"), None, 6),
        ("$.a.b[1]", "20", "20", 0),
        ("$.a.b[2].c", '"x"', "x", 0),
        ("$.a.b[9]", None, None, None),
        ("$.a.b", '[10,20,{"c":"x"}]', None, 3),
        ('$["d e"]', "true", "true", 0),
        ("$['d e']", "true", "true", 0),
        ("$.n", "null", None, 0),
        ("$.missing", None, None, None),
        ("$.s.t", None, None, None),
        ("$.f", "1.5", "1.50", 0),
        ("$.0", '"zero"', "zero", 0),
    ],
)
def test_paths(
    connection: Connection, path: str, extracted: str | None, scalar: str | None, size: int | None
) -> None:
    quoted = _quoted(path)
    assert answers(connection, f"CAST(json_format(json_extract(x, {quoted})) AS varchar)", [DOCUMENT]) == [
        extracted
    ]
    assert answers(connection, f"json_extract_scalar(x, {quoted})", [DOCUMENT]) == [scalar]
    assert answers(connection, f"json_size(x, {quoted})", [DOCUMENT]) == [size]


@pytest.mark.parametrize("path", ["", "a", "$.", "$.a[", "$[?(@.a)]", "$..a", "$.a[*]"])
def test_a_constant_path_is_checked_before_anything_runs(connection: Connection, path: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(f"EXPLAIN SELECT json_extract('{{}}', {_quoted(path)})")
    assert error.value.code == "INVALID_FUNCTION_ARGUMENT"
    assert error.value.position is not None


def test_arrays(connection: Connection) -> None:
    texts: list[str | None] = ['["a","b"]', "[1,2.5,true,null]", "[]", "{}", None]
    assert answers(connection, "json_array_length(x)", texts) == [2, 4, 0, None, None]
    assert answers(connection, "json_array_get(x, 0)", texts) == ["a", "1", None, None, None]
    assert answers(connection, "json_array_get(x, -1)", texts) == ["b", None, None, None, None]
    assert answers(connection, "json_array_contains(x, 'a')", texts) == [True, False, False, None, None]
    assert answers(connection, "json_array_contains(x, 1)", texts) == [False, True, False, None, None]
    assert answers(connection, "json_array_contains(x, 2.5e0)", texts) == [False, True, False, None, None]
    assert answers(connection, "json_array_contains(x, true)", texts) == [False, True, False, None, None]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(x AS json)", '"q\\"\\n"'),
        ("CAST(ARRAY[1, NULL, 3] AS json)", "[1,null,3]"),
        ("CAST(ARRAY[x, NULL] AS json)", '["q\\"\\n",null]'),
        ("CAST(MAP(ARRAY['b', 'a'], ARRAY[1, NULL]) AS json)", '{"a":null,"b":1}'),
        ("CAST(MAP(ARRAY[9, 10], ARRAY[1, 2]) AS json)", '{"10":2,"9":1}'),
        ("CAST(CAST(ROW(1, x) AS row(n integer, t varchar)) AS json)", '{"n":1,"t":"q\\"\\n"}'),
        ("CAST(ROW(1, NULL) AS json)", '{"":1,"":null}'),
        ("CAST(MAP(ARRAY[1.5e0, 10e0], ARRAY[1, 2]) AS json)", '{"1.5":1,"10.0":2}'),
        ("CAST(MAP(ARRAY[1.50, 10.00], ARRAY[1, 2]) AS json)", '{"1.50":1,"10.00":2}'),
        (
            "CAST(MAP(ARRAY[U&'\\FFFF', U&'\\+010000'], ARRAY[1, 2]) AS json)",
            '{"\\uD800\\uDC00":2,"\uffff":1}',
        ),
        ("CAST(1e10 AS json)", "1.0E10"),
        ("CAST(nan() AS json)", '"NaN"'),
        ("CAST(1.50 AS json)", "1.50"),
        ("CAST(true AS json)", "true"),
        ("CAST(DATE '2026-01-02' AS json)", '"2026-01-02"'),
        ("CAST(CAST(NULL AS integer) AS json)", None),
    ],
)
def test_casts_to_json(connection: Connection, expression: str, expected: str | None) -> None:
    assert answers(connection, f"json_format({expression})", ['q"\n']) == [expected]


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        ("bigint", "5", 5),
        ("bigint", '"5"', 5),
        ("bigint", "1.5", 2),
        ("double", "1.5", 1.5),
        ("varchar", '"x"', "x"),
        ("varchar", "1", "1"),
        ("boolean", "true", True),
        ("bigint", "null", None),
        ("array(bigint)", '[1,"2",null]', [1, 2, None]),
        ("array(varchar)", '["a",1]', ["a", "1"]),
        ("map(varchar, bigint)", '{"a":1,"b":null}', {"a": 1, "b": None}),
        ("array(bigint)", "null", None),
    ],
)
def test_casts_from_json(connection: Connection, target: str, text: str, expected: object) -> None:
    assert answers(connection, f"CAST(json_parse(x) AS {target})", [text]) == [expected]


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("bigint", "{}"),
        ("bigint", '"abc"'),
        ("array(bigint)", "{}"),
        ("array(bigint)", "[[1]]"),
        ("boolean", '"x"'),
    ],
)
def test_casts_that_fail(connection: Connection, target: str, text: str) -> None:
    with pytest.raises(SqeError) as error:
        answers(connection, f"CAST(json_parse(x) AS {target})", [text])
    assert error.value.code == "INVALID_CAST_ARGUMENT"


ROWS = [
    # Target, text, value: by name in any case, by position, without what is missing, and nested.
    ("row(a bigint, b varchar)", '{"a":1,"b":"x"}', (1, "x")),
    ("row(a bigint, b varchar)", '{"B":"x","A":"1"}', (1, "x")),
    ("row(a bigint, b varchar)", '{"a":1,"c":2}', (1, None)),
    ("row(a bigint, b varchar)", "[1,null]", (1, None)),
    ("row(a bigint, b varchar)", "{}", (None, None)),
    ("row(a bigint, b varchar)", "null", None),
    ("row(bigint, varchar)", '[1,"x"]', (1, "x")),
    ("row(a bigint, a varchar)", '{"a":1}', (None, "1")),
    ('row("A" bigint)', '{"A":1}', (None,)),
    (
        "row(a json, b array(row(c double)))",
        '{"a":[1,{"x":2.5}],"b":[{"c":1},null]}',
        ('[1,{"x":2.5}]', [(1.0,), None]),
    ),
    ("array(json)", '[1,[2],null,"x"]', ["1", "[2]", "null", '"x"']),
    ("array(array(integer))", "[[1,2],[],null]", [[1, 2], [], None]),
    ("map(bigint, double)", '{"1":10," 2":null}', {1: 10.0, 2: None}),
    ("map(varchar, json)", '{"a":null,"b":{"c":1}}', {"a": "null", "b": '{"c":1}'}),
    (
        "map(varchar, map(boolean, row(x bigint)))",
        '{"a":{"true":[3]},"b":null}',
        {"a": {True: (3,)}, "b": None},
    ),
    ("map(varchar, array(map(varchar, integer)))", '{"a":[{"b":1}]}', {"a": [{"b": 1}]}),
    ("array(bigint)", "[1.5,-1.5,2.5,true,1234567890123456789.0]", [2, -2, 3, 1, 1234567890123456768]),
    ("array(boolean)", '[1,0,0.5,"T","0"]', [True, False, True, True, False]),
    ("array(double)", '[1,"NaN","1.5f",true,1e400]', [1.0, "NaN", 1.5, 1.0, float("inf")]),
    ("array(varchar)", "[1,128.9,1e10,-0.0,true,null]", ["1", "1.289E2", "1.0E10", "-0E0", "true", None]),
    ("array(decimal(5, 1))", '[1,2.55,"2.55",12.34999]', ["1.0", "2.6", "2.6", "12.3"]),
]


def test_casts_to_rows_maps_and_arrays(connection: Connection) -> None:
    """One statement over a column for all; TRY_CAST gives the same."""
    columns = ", ".join(
        f"{word}(json_parse(max(x) FILTER (WHERE k = {i})) AS {target})"
        for i, (target, _, _) in enumerate(ROWS)
        for word in ("CAST", "TRY_CAST")
    )
    rows = ", ".join(f"({i}, {_quoted(text)})" for i, (_, text, _) in enumerate(ROWS))
    got = connection.execute(f"SELECT {columns} FROM (VALUES {rows}) AS t (k, x)").fetchall()[0]
    expected = [value for _, _, value in ROWS for _ in range(2)]
    assert [plain(value) for value in got] == [plain(value) for value in expected]


def plain(value: object) -> object:
    """What compares: NaN is NaN, and a decimal is its text."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return str(value) if isinstance(value, Decimal) else "NaN" if value != value else value


FAILING = [
    ("row(a bigint)", '{"A":1,"a":2}'),
    ("row(a bigint)", '{"a":"x"}'),
    ("row(a bigint, b bigint)", "[1]"),
    ("row(a bigint)", "1"),
    ("row(bigint)", '{"a":1}'),
    ("row(a varchar)", '{"a":[1]}'),
    ("array(array(integer))", "[1]"),
    ("array(tinyint)", "[300]"),
    ("array(bigint)", '["1.5"]'),
    ("array(bigint)", "[1e20]"),
    ("array(decimal(5, 1))", "[100000]"),
    ("array(varchar(2))", '["abc"]'),
    ("map(bigint, double)", '{"1":1,"01":2}'),
    ("map(varchar, bigint)", "[1]"),
]


def test_casts_to_rows_maps_and_arrays_that_fail(connection: Connection) -> None:
    for target, text in FAILING:
        with pytest.raises(SqeError) as error:
            connection.execute(f"SELECT CAST(JSON {_quoted(text)} AS {target})").fetchall()
        assert error.value.code == "INVALID_CAST_ARGUMENT", (target, text)
    columns = ", ".join(f"TRY_CAST(JSON {_quoted(text)} AS {target})" for target, text in FAILING)
    assert set(connection.execute(f"SELECT {columns}").fetchall()[0]) == {None}


@pytest.mark.parametrize(
    "target", ["row(a date)", "date", "char(3)", "map(date, double)", "row(a bigint, varchar)"]
)
def test_types_that_json_is_not_cast_to(connection: Connection, target: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(f"EXPLAIN SELECT CAST(JSON '1' AS {target})")
    assert error.value.code == "TYPE_MISMATCH"


@pytest.mark.parametrize("value", ["CAST('a' AS char(3))", "TIMESTAMP '2020-01-01 00:00:00 UTC'", "X'00'"])
def test_values_that_are_not_cast_to_json(connection: Connection, value: str) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute(f"EXPLAIN SELECT CAST({value} AS json)")
    assert error.value.code == "TYPE_MISMATCH"


def test_json_inside_of_other_values(connection: Connection) -> None:
    sql = """
    SELECT CAST(ARRAY[j, NULL] AS array(bigint)), CAST(MAP(ARRAY['k'], ARRAY[j]) AS map(varchar, varchar)),
           CAST(ROW(j, d, 1.5) AS row(a bigint, b date, c varchar)), CAST(ROW(j, 2) AS row(a bigint, b json)),
           CAST(ARRAY[json_parse('{"a":1}')] AS array(row(a bigint))),
           TRY_CAST(ARRAY[j, JSON '"x"'] AS array(bigint))
    FROM (SELECT json_parse(x) AS j, DATE '2020-01-01' AS d FROM (VALUES '7') AS t (x))
    """
    expected = ([7, None], {"k": "7"}, (7, date(2020, 1, 1), "1.5"), (7, "2"), [(1,)], None)
    assert plain(connection.execute(sql).fetchall()) == plain([expected])


def test_functions_read_what_casts_made_of_maps_and_rows(connection: Connection) -> None:
    sql = """
    SELECT json_extract(CAST(MAP(ARRAY['a', 'b'], ARRAY[n, 2]) AS json), '$.a'),
           CAST(CAST(MAP(ARRAY['x'], ARRAY[ROW(ARRAY['p', NULL])]) AS json) AS map(varchar, json)),
           json_extract_scalar(CAST(CAST(ROW(n, 'y') AS row(a bigint, b varchar)) AS json), '$.b')
    FROM (SELECT length(x) AS n FROM (VALUES 'q') AS t (x))
    """
    expected = ("1", {"x": '{"":["p",null]}'}, "y")
    assert connection.execute(sql).fetchall() == [expected]


def test_a_cast_from_json_cannot_stand_in_a_lambda(connection: Connection) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute("EXPLAIN SELECT transform(ARRAY[JSON '1'], x -> CAST(x AS row(bigint)))")
    assert error.value.code == "NOT_SUPPORTED"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("json_object('x' : 1, 'y' : 'z')", '{"x":1,"y":"z"}'),
        ("json_object(KEY 'x' VALUE k, 'n' : NULL)", '{"x":0,"n":null}'),
        ("json_object('x' : 1, 'n' : NULL ABSENT ON NULL)", '{"x":1}'),
        ("json_object('a' : json_array(1, 'a', NULL))", '{"a":[1,"a"]}'),
        ("json_array(x)", '["[1]"]'),
        ("json_object()", "{}"),
        ("json_array()", "[]"),
    ],
)
def test_constructors(connection: Connection, expression: str, expected: str) -> None:
    assert answers(connection, expression, ["[1]"]) == [expected]


def test_a_body_cannot_stand_in_a_lambda(connection: Connection) -> None:
    with pytest.raises(SqeError) as error:
        connection.execute("EXPLAIN SELECT transform(ARRAY['1'], x -> json_parse(x))")
    assert error.value.code == "NOT_SUPPORTED"


def test_explain_shows_the_body(connection: Connection) -> None:
    plan = connection.execute("EXPLAIN SELECT json_parse(x) FROM (VALUES '1') AS t (x)").fetchall()[0][0]
    assert "sqe_json_text_parse(" in plan


def test_what_casts_make_of_maps_is_read_wherever_it_stands(connection: Connection) -> None:
    """Lambdas inside lambdas below a Python function."""
    made = "json_extract_scalar(CAST(map(ARRAY['a'], ARRAY[{}]) AS json), '$.a')"
    x = made.format("x")
    numbers = "(VALUES 1, 2) t(x)"
    for sql, wanted in (
        (f"SELECT {made.format(1)}", [("1",)]),
        (
            f"SELECT max({x}), {x}, row_number() OVER (PARTITION BY {x} ORDER BY {x}) FROM {numbers}"
            f" WHERE {x} <> '3' GROUP BY {x}, x ORDER BY {x} DESC",
            [("2", "2", 1), ("1", "1", 1)],
        ),
        (
            f"SELECT x, y, e FROM {numbers} LEFT JOIN (VALUES '1') u(y) ON {x} = y"
            f" CROSS JOIN UNNEST(ARRAY[{x}]) w(e) ORDER BY x",
            [(1, "1", "1"), (2, None, "2")],
        ),
        (
            f"SELECT (SELECT max({made.format('x + y')}) FROM (VALUES 1, 2) u(y)) FROM {numbers} ORDER BY 1",
            [("3",), ("4",)],
        ),
    ):
        assert connection.execute(sql).fetchall() == wanted


def test_characters_beyond_the_first_plane_are_pairs_of_surrogates(connection: Connection) -> None:
    """But not in JSON that is an element of another value."""
    pair = "\\uD83D\\uDE00"
    expected = {
        "json_format(CAST(x AS json))": f'"é{pair}"',
        "json_format(CAST(ARRAY[x, x] AS json))": f'["é{pair}","é{pair}"]',
        "json_format(CAST(MAP(ARRAY[x], ARRAY[x]) AS json))": f'{{"é{pair}":"é{pair}"}}',
        'json_format(CAST(CAST(ROW(x) AS row("😀" varchar)) AS json))': f'{{"{pair}":"é{pair}"}}',
        "json_object('k': x)": f'{{"k":"é{pair}"}}',
        "json_object(x: 1)": f'{{"é{pair}":1}}',
        "json_array(x, 1)": f'["é{pair}",1]',
        "json_format(json_extract('{\"a\":[\"' || x || '\"]}', '$.a'))": f'["é{pair}"]',
        "json_extract_scalar('{\"a\":\"' || x || '\"}', '$.a')": "é😀",
        "CAST(CAST(x AS json) AS varchar)": "é😀",
        "json_format(json_array_get('[[\"' || x || '\"]]', 0))": '["é😀"]',
        "json_format(CAST(CAST(ARRAY[x] AS json) AS array(json))[1])": '"é😀"',
    }
    source = "(SELECT 'é' || chr(c) AS x FROM (VALUES 128512) AS v (c))"
    got = connection.execute(f"SELECT {', '.join(expected)} FROM {source}").fetchall()[0]
    assert dict(zip(expected, got, strict=True)) == expected
