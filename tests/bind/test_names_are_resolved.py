"""Which column or table a name means, what the answer's columns are called, and what no name means."""

from __future__ import annotations

import pytest
from tests.bind.binding import Binding

from sqe.tree.expressions import Ref, walk
from sqe.tree.relations import Join, Project, Scan
from sqe.tree.statements import Query


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        # A name is found in whatever case, and the answer's column is called as it was written.
        ("SELECT a, B FROM t", "a bigint, B varchar"),
        ("SELECT name FROM mixed", "name varchar"),
        ('SELECT "Name" FROM mixed', "Name varchar"),
        # By the table, its schema, its catalog; by an alias alone where there is one.
        ("SELECT t.a, default.t.b, iceberg.default.t.c FROM t", "a bigint, b varchar, c double"),
        ("SELECT x.a FROM t AS x", "a bigint"),
        ("SELECT T.a FROM t", "a bigint"),
        # The same name in two schemas.
        ("SELECT e FROM other.t", "e integer"),
        ("SELECT default.t.a, other.t.e FROM t, other.t", "a bigint, e integer"),
        # Stars.
        ("SELECT * FROM t", "a bigint, b varchar, c double"),
        ("SELECT u.*, t.a FROM t, u", "a bigint, d date, a bigint"),
        ("SELECT (r).* FROM mixed", "x integer, y row(z varchar)"),
        ("TABLE u", "a bigint, d date"),
        # New names for all columns.
        ("SELECT i, k FROM t AS x (i, j, k)", "i bigint, k double"),
        # Fields of rows, also with the table before them.
        ("SELECT r.x, r.y.z, mixed.r.x FROM mixed", "x integer, z varchar, x integer"),
        # A column of USING is one, and comes first.
        ("SELECT * FROM t JOIN u USING (a)", "a bigint, b varchar, c double, d date"),
        # Expressions have no name.
        ("SELECT a + 1, b AS x, count(*) FROM t GROUP BY a, b", "_col0 bigint, x varchar, _col2 bigint"),
        # Sides of a set operation meet in a type; the first names the columns.
        ("SELECT e FROM other.t UNION ALL SELECT a AS z FROM t", "e bigint"),
        ("VALUES (1, 'a'), (2.5, NULL)", "_col0 decimal(11,1), _col1 varchar(1)"),
        # A WITH query stands before a table of its name, and only after itself.
        ("WITH t AS (SELECT 1 AS z) SELECT * FROM t", "z integer"),
        ("WITH t AS (SELECT a FROM t) SELECT * FROM t", "a bigint"),
        ("WITH w (p, q) AS (SELECT a, b FROM t) SELECT q FROM w", "q varchar"),
        ("SELECT x FROM mixed, UNNEST(l) AS n (x)", "x bigint"),
        ("SELECT s FROM t, LATERAL (SELECT t.a + e AS s FROM other.t)", "s bigint"),
    ],
)
def test_the_columns_of_an_answer(binding: Binding, sql: str, columns: str) -> None:
    assert binding.columns(sql) == columns


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        ("SELECT nope FROM t", "COLUMN_NOT_FOUND", "1:8"),
        ("SELECT t.a FROM t AS x", "COLUMN_NOT_FOUND", "1:8"),
        ("SELECT r.nope FROM mixed", "COLUMN_NOT_FOUND", "1:8"),
        ("SELECT a AS x, x + 1 FROM t", "COLUMN_NOT_FOUND", "1:16"),
        ("SELECT a FROM t, u", "AMBIGUOUS_NAME", "1:8"),
        ("SELECT a FROM t AS x JOIN t AS y ON x.a = y.a", "AMBIGUOUS_NAME", "1:8"),
        ("SELECT * FROM nope", "TABLE_NOT_FOUND", "1:15"),
        ("SELECT * FROM nowhere.t", "SCHEMA_NOT_FOUND", "1:15"),
        ("SELECT * FROM t AS x (i, j)", "MISMATCHED_COLUMN_ALIASES", "1:15"),
        ("SELECT a FROM v", "COLUMN_NOT_FOUND", "1:8"),
        ("SELECT e FROM t, (SELECT t.a + e AS e FROM other.t)", "COLUMN_NOT_FOUND", "1:26"),
        ("SELECT a FROM t ORDER BY 2", "INVALID_COLUMN_REFERENCE", "1:26"),
        ("SELECT DISTINCT a FROM t ORDER BY c", "EXPRESSION_NOT_IN_DISTINCT", "1:35"),
        ("SELECT a, b FROM t EXCEPT SELECT a FROM u", "TYPE_MISMATCH", "1:8"),
        ("SELECT a FROM t UNION SELECT d FROM u", "TYPE_MISMATCH", "1:8"),
        ("VALUES (1, 2), (3)", "TYPE_MISMATCH", "1:17"),
        ("SELECT 1 = 'a'", "TYPE_MISMATCH", "1:8"),
    ],
)
def test_a_name_that_means_nothing_is_told_with_its_place(
    binding: Binding, sql: str, code: str, place: str
) -> None:
    error = binding.error(sql)
    assert (error.code, str(error.position)) == (code, place)


def test_a_name_close_to_one_that_exists_is_offered(binding: Binding) -> None:
    assert binding.error("SELECT t.a FROM t AS x").hint == "did you mean 'a'?"


def test_two_uses_of_a_table_have_fields_of_their_own(binding: Binding) -> None:
    tree = binding.tree("SELECT x.a, y.a FROM t AS x, t AS y")
    assert isinstance(tree, Query) and isinstance(tree.relation, Project)
    join = tree.relation.input
    assert isinstance(join, Join)
    fields = [expression.field for expression in tree.relation.expressions if isinstance(expression, Ref)]
    assert fields == [join.left.fields[0], join.right.fields[0]]
    assert fields[0].id != fields[1].id


def test_a_subquery_sees_the_columns_around_it(binding: Binding) -> None:
    """Its own come first, and a name that it has is its own."""
    tree = binding.tree("SELECT b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE a = 1 AND c > 0)")
    scans = {node.table.name: node for node in walk(tree) if isinstance(node, Scan)}
    used = {node.field.id for node in walk(tree) if isinstance(node, Ref)}
    outer, inner = scans["t"].fields, scans["u"].fields
    assert inner[0].id in used and outer[0].id not in used
    assert outer[2].id in used


def test_order_by_takes_a_name_of_the_answer_first(binding: Binding) -> None:
    assert binding.words("SELECT a AS b FROM t ORDER BY b").splitlines()[1:3] == [
        "  Sort b",
        "    Project b := a",
    ]


def test_order_by_finds_what_the_answer_has_not(binding: Binding) -> None:
    assert binding.columns("SELECT a FROM t ORDER BY c") == "a bigint"
    assert "Sort _sort" in binding.words("SELECT a FROM t ORDER BY c")
