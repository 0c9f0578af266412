"""CREATE, ALTER and DROP as records: names, options, and what is refused before anything is made."""

from __future__ import annotations

import pytest
from tests.bind.binding import Binding

from sqe.tree.definitions import ColumnDefinition, PartitionField, SortField
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateSchema, CreateTable, CreateView, DropTable, Rename, Use
from sqe.types.sql_types import BIGINT, INTEGER, Varchar

DEFAULT = ("default",)


def table(binding: Binding, sql: str) -> CreateTable:
    tree = binding.tree(sql)
    assert isinstance(tree, CreateTable)
    return tree


def test_columns_have_types_comments_and_not_null(binding: Binding) -> None:
    made = table(binding, "CREATE TABLE n (x integer NOT NULL COMMENT 'c', \"Y\" varchar) COMMENT 'of n'")
    assert made.table == TableName("iceberg", DEFAULT, "n")
    assert made.columns == (ColumnDefinition("x", INTEGER, False, "c"), ColumnDefinition("Y", Varchar(None)))
    assert (made.comment, made.source, made.properties) == ("of n", None, ())


@pytest.mark.parametrize(
    ("partitioning", "field"),
    [
        ("x", PartitionField("identity", "x")),
        ("bucket(x, 4)", PartitionField("bucket", "x", 4)),
        ("truncate(s, 3)", PartitionField("truncate", "s", 3)),
        ("month(d)", PartitionField("month", "d")),
    ],
)
def test_partitions_are_transforms_of_columns(
    binding: Binding, partitioning: str, field: PartitionField
) -> None:
    columns = "(x integer, s varchar, d date)"
    made = table(binding, f"CREATE TABLE n {columns} WITH (partitioning = ARRAY['{partitioning}'])")
    assert made.partitioning == (field,)


@pytest.mark.parametrize(
    ("sorted_by", "field"),
    [
        ("x", SortField("x", False, True)),
        ("x DESC NULLS LAST", SortField("x", True, False)),
    ],
)
def test_rows_are_sorted_by_columns(binding: Binding, sorted_by: str, field: SortField) -> None:
    made = table(binding, f"CREATE TABLE n (x integer) WITH (sorted_by = ARRAY['{sorted_by}'])")
    assert made.sort_order == (field,)


def test_a_format_is_a_property_of_iceberg(binding: Binding) -> None:
    made = table(binding, "CREATE TABLE n (x integer) WITH (format = 'PARQUET')")
    assert made.properties == (("write.format.default", "parquet"),)


def test_a_table_of_a_query_has_its_columns(binding: Binding) -> None:
    made = table(binding, "CREATE TABLE n AS SELECT a, b AS x FROM t")
    assert made.columns == (ColumnDefinition("a", BIGINT), ColumnDefinition("x", Varchar(None)))
    assert made.source is not None
    renamed = table(binding, "CREATE TABLE n (p, q) AS SELECT a, b FROM t")
    assert [column.name for column in renamed.columns] == ["p", "q"]


def test_columns_need_names_and_any_name_is_one(binding: Binding) -> None:
    for query in ("SELECT 7", "SELECT * FROM (SELECT 7)", "SELECT * FROM (VALUES 7)", "SELECT a + 1 FROM t"):
        for words in ("CREATE TABLE n AS", "CREATE VIEW n AS"):
            assert binding.error(f"{words} {query}").code == "MISSING_COLUMN_NAME"
    made = table(binding, 'CREATE TABLE n AS SELECT 7 AS "_col0", a AS _col1 FROM t')
    assert [column.name for column in made.columns] == ["_col0", "_col1"]


@pytest.mark.parametrize(
    ("words", "if_not_exists", "replace"),
    [
        ("CREATE TABLE", False, False),
        ("CREATE TABLE IF NOT EXISTS", True, False),
        ("CREATE OR REPLACE TABLE", False, True),
    ],
)
def test_what_happens_to_a_table_of_that_name(
    binding: Binding, words: str, if_not_exists: bool, replace: bool
) -> None:
    made = table(binding, f"{words} t (x integer)")
    assert (made.if_not_exists, made.replace) == (if_not_exists, replace)


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        ("CREATE TABLE n (x integer, X integer)", "DUPLICATE_COLUMN_NAME", "1:14"),
        ("CREATE TABLE n (x integer) WITH (nope = 1)", "INVALID_TABLE_PROPERTY", "1:41"),
        ("CREATE TABLE n (x integer) WITH (format_version = 9)", "INVALID_ARGUMENTS", "1:51"),
        ("CREATE TABLE n (x integer) WITH (partitioning = ARRAY['y'])", "COLUMN_NOT_FOUND", "1:14"),
        (
            "CREATE TABLE n (x integer) WITH (partitioning = ARRAY['bucket(x, 0)'])",
            "INVALID_ARGUMENTS",
            "1:55",
        ),
        ("CREATE TABLE n (p) AS SELECT a, b FROM t", "MISMATCHED_COLUMN_ALIASES", "1:17"),
        ("CREATE TABLE n AS SELECT a + 1 FROM t", "MISSING_COLUMN_NAME", "1:14"),
        ("CREATE TABLE nowhere.n (x integer)", "SCHEMA_NOT_FOUND", "1:14"),
        ("CREATE VIEW w AS SELECT a, a FROM t", "DUPLICATE_COLUMN_NAME", "1:13"),
        ("CREATE VIEW w AS SELECT a + 1 FROM t", "MISSING_COLUMN_NAME", "1:25"),
        ("DROP TABLE nope", "TABLE_NOT_FOUND", "1:12"),
        ("DROP TABLE v", "GENERIC_USER_ERROR", "1:12"),
        ("DROP VIEW t", "GENERIC_USER_ERROR", "1:11"),
        ("USE nope", "SCHEMA_NOT_FOUND", "1:5"),
    ],
)
def test_what_is_refused(binding: Binding, sql: str, code: str, place: str) -> None:
    error = binding.error(sql)
    assert (error.code, str(error.position)) == (code, place)


def test_names_are_completed_by_the_session(binding: Binding) -> None:
    assert binding.tree("CREATE SCHEMA s") == CreateSchema("iceberg", ("s",))
    assert binding.tree("USE other") == Use("iceberg", ("other",))
    assert binding.tree("ALTER TABLE t RENAME TO other.z") == Rename(
        TableName("iceberg", DEFAULT, "t"), TableName("iceberg", ("other",), "z")
    )


def test_if_exists_finds_out_while_binding(binding: Binding) -> None:
    tree = binding.tree("DROP TABLE IF EXISTS nope")
    assert isinstance(tree, DropTable) and tree.if_exists and tree.absent


def test_a_view_keeps_its_text_and_where_it_was_made(binding: Binding) -> None:
    tree = binding.tree("CREATE OR REPLACE VIEW v COMMENT 'c' AS SELECT a AS x FROM t")
    assert isinstance(tree, CreateView)
    assert (tree.sql, tree.comment, tree.replace) == ("SELECT a AS x FROM t", "c", True)
    assert tree.columns == (ColumnDefinition("x", BIGINT),)
    assert (tree.default_catalog, tree.default_namespace) == ("iceberg", DEFAULT)


def test_a_view_is_its_query_where_it_is_named(binding: Binding) -> None:
    assert binding.columns("SELECT * FROM v") == "n bigint, b varchar"
    assert [line.strip() for line in binding.words("SELECT n FROM vv").splitlines()][-3:] == [
        "Project n := (a + 1), b := b",
        "Filter (c > 0.0)",
        "Scan iceberg.default.t [a, b, c]",
    ]
