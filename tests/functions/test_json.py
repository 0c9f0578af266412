"""JSON: Trino's form of it, its functions, constructors and casts, by Python bodies on real Spark."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.connection import Connection
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
    ('"\\u00e9\\n\\"\\u0001𝄞"', '"é\\n\\"\\u0001𝄞"'),
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
