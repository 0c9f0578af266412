"""INSERT, UPDATE, MERGE and DELETE: which columns are written, and what becomes of a value (ADR 20)."""

from __future__ import annotations

import pytest
from tests.bind.binding import Binding

from sqe.engine.explain import text
from sqe.tree.expressions import Cast, Expression, Literal
from sqe.tree.relations import Project
from sqe.tree.statements import Delete, Insert, Merge, Update


def written(binding: Binding, sql: str, *values: object) -> dict[str, Expression]:
    """The columns that an INSERT or UPDATE writes, with what."""
    tree = binding.tree(sql, *values)
    if isinstance(tree, Update):
        return {assignment.column: assignment.value for assignment in tree.assignments}
    assert isinstance(tree, Insert) and isinstance(tree.source, Project)
    return dict(zip(tree.columns, tree.source.expressions, strict=True))


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        # A number is brought to its column's type: at once where nothing is lost, else by a cast.
        ("INSERT INTO strict (id) SELECT e FROM other.t", {"id": "e"}),
        ("INSERT INTO strict (id) SELECT c FROM t", {"id": "CAST(c AS bigint)"}),
        ("INSERT INTO strict (id, n) SELECT a, c FROM t", {"id": "a", "n": "CAST(c AS decimal(5,2))"}),
        # A date is a timestamp at midnight; a timestamp is cut to a day.
        ("INSERT INTO strict (id, ts) SELECT a, d FROM u", {"id": "a", "ts": "d"}),
        (
            "INSERT INTO u SELECT a, TIMESTAMP '2024-01-01 10:00:00' FROM t",
            {"a": "a", "d": "CAST(_col1 AS date)"},
        ),
        # The elements of an array are assigned like values.
        (
            "INSERT INTO strict (id, arr) SELECT a, ARRAY[a] FROM t",
            {"id": "a", "arr": "CAST(_col1 AS array(integer))"},
        ),
        ("UPDATE strict SET n = id, s = 'x'", {"n": "CAST(id AS decimal(5,2))", "s": "'x'"}),
        ("UPDATE strict SET s = NULL", {"s": "NULL"}),
        # A constant is assigned while binding.
        ("UPDATE strict SET n = 2.345", {"n": "2.35"}),
        ("UPDATE strict SET n = -2.345e0", {"n": "-2.35"}),
    ],
)
def test_what_is_written(binding: Binding, sql: str, words: dict[str, str]) -> None:
    assert {column: text(value) for column, value in written(binding, sql).items()} == words


def test_a_parameter_is_assigned_like_a_constant(binding: Binding) -> None:
    (value,) = written(binding, "UPDATE strict SET n = ?", 2.345).values()
    assert isinstance(value, Literal) and str(value.value) == "2.35"


def test_a_cast_of_an_assignment_may_fail_and_has_its_place(binding: Binding) -> None:
    (value,) = written(binding, "UPDATE strict SET n = id").values()
    assert isinstance(value, Cast) and not value.implicit and str(value.position) == "1:23"


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        # Text is no number, and a number is no text.
        ("INSERT INTO strict (id) VALUES ('x')", "TYPE_MISMATCH", "1:33"),
        ("INSERT INTO strict (id, s) VALUES (1, 5)", "TYPE_MISMATCH", "1:36"),
        ("UPDATE strict SET s = id", "TYPE_MISMATCH", "1:23"),
        # NOT NULL.
        ("INSERT INTO strict (n) VALUES (1)", "CONSTRAINT_VIOLATION", "1:13"),
        ("INSERT INTO strict (id) VALUES (NULL)", "CONSTRAINT_VIOLATION", "1:33"),
        ("UPDATE strict SET id = NULL", "CONSTRAINT_VIOLATION", "1:24"),
        # Which columns.
        ("INSERT INTO strict (id, id) VALUES (1, 2)", "DUPLICATE_COLUMN_NAME", "1:13"),
        ("INSERT INTO strict (id, nope) VALUES (1, 2)", "COLUMN_NOT_FOUND", "1:25"),
        ("INSERT INTO strict VALUES (1, 2)", "TYPE_MISMATCH", "1:28"),
        ("UPDATE strict SET n = 1, n = 2", "DUPLICATE_COLUMN_NAME", "1:26"),
        # Only tables are written to.
        ("INSERT INTO nope VALUES (1)", "TABLE_NOT_FOUND", "1:13"),
        # Conditions.
        ("DELETE FROM t WHERE a", "TYPE_MISMATCH", "1:21"),
        (
            "MERGE INTO t USING u ON t.a = u.a WHEN NOT MATCHED THEN INSERT (a) VALUES (t.a)",
            "COLUMN_NOT_FOUND",
            "1:76",
        ),
    ],
)
def test_what_cannot_be_written(binding: Binding, sql: str, code: str, place: str) -> None:
    error = binding.error(sql)
    assert (error.code, str(error.position)) == (code, place)


def test_a_view_is_not_written_to(binding: Binding) -> None:
    assert "view" in binding.error("INSERT INTO v VALUES (1, 'x')").message


def test_a_merge_has_its_clauses_in_order(binding: Binding) -> None:
    tree = binding.tree(
        "MERGE INTO t AS x USING u ON x.a = u.a "
        "WHEN MATCHED AND u.d IS NULL THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET c = u.a "
        "WHEN NOT MATCHED THEN INSERT (a, b) VALUES (u.a, 'x')"
    )
    assert isinstance(tree, Merge)
    assert [(clause.matched, clause.action) for clause in tree.clauses] == [
        (True, "delete"),
        (True, "update"),
        (False, "insert"),
    ]
    assert [clause.condition is None for clause in tree.clauses] == [False, True, True]
    assert [a.column for clause in tree.clauses for a in clause.assignments] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("sql", "all_rows", "truncates"),
    [
        ("DELETE FROM t", True, False),
        ("DELETE FROM t WHERE a > 1", False, False),
        ("TRUNCATE TABLE t", True, True),
    ],
)
def test_which_rows_are_deleted(binding: Binding, sql: str, all_rows: bool, truncates: bool) -> None:
    tree = binding.tree(sql)
    assert isinstance(tree, Delete)
    assert (tree.condition is None, tree.truncate) == (all_rows, truncates)
