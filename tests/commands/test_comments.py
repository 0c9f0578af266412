from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.api.connection import Connection, connect
from sqe.errors import SqeError


@pytest.fixture
def home() -> Iterator[Connection]:
    with connect(memory=True) as connection:
        for sql in (
            "CREATE SCHEMA s.deep",
            "CREATE TABLE t (a integer COMMENT 'old', r row(x integer)) COMMENT 'old'",
            "CREATE TABLE s.deep.t (a integer)",
            "CREATE VIEW v AS SELECT a FROM t",
        ):
            connection.execute(sql)
        yield connection


@pytest.mark.parametrize("name", ["t", "default.t", "iceberg.default.t", '"T"', "s.deep.t"])
def test_tables_and_columns(home: Connection, name: str) -> None:
    assert home.execute(f"COMMENT ON TABLE {name} IS 'it''s new'").update_type == "COMMENT"
    home.execute(f"COMMENT ON COLUMN {name}.A IS 'a column'")
    schema = ("s", "deep") if "deep" in name else ("default",)
    table = home.coordinator.catalogs.get("iceberg").find_table(schema, "t")
    assert (table.comment, table.columns[0].comment) == ("it's new", "a column")
    home.execute(f"COMMENT ON TABLE {name} IS NULL")
    home.execute(f"COMMENT ON COLUMN {name}.a IS NULL")
    table = home.coordinator.catalogs.get("iceberg").find_table(schema, "t")
    assert (table.comment, table.columns[0].comment) == (None, None)


def test_views_and_their_columns(home: Connection) -> None:
    home.execute("COMMENT ON VIEW v IS 'a view'")
    home.execute("COMMENT ON COLUMN v.a IS 'a column'")
    view = home.coordinator.catalogs.get("iceberg").find_view(("default",), "v")
    assert view is not None
    assert (view.comment, view.columns[0].comment, view.sql) == ("a view", "a column", "SELECT a FROM t")


def test_fields_of_rows(home: Connection) -> None:
    home.execute("COMMENT ON COLUMN t.r.x IS 'inside'")
    assert home.execute("SHOW COLUMNS FROM t").fetchall()[1][1] == "row(x integer)"


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("COMMENT ON TABLE nosuch IS 'x'", "TABLE_NOT_FOUND"),
        ("COMMENT ON VIEW nosuch IS 'x'", "TABLE_NOT_FOUND"),
        ("COMMENT ON COLUMN nosuch.a IS 'x'", "TABLE_NOT_FOUND"),
        ("COMMENT ON COLUMN t.nosuch IS 'x'", "COLUMN_NOT_FOUND"),
        ("COMMENT ON COLUMN v.nosuch IS 'x'", "COLUMN_NOT_FOUND"),
        ("COMMENT ON COLUMN a IS 'x'", "MISSING_TABLE"),
        ("COMMENT ON TABLE t IS x", "SYNTAX_ERROR"),
        ("COMMENT ON TABLE t 'x'", "SYNTAX_ERROR"),
    ],
)
def test_what_is_wrong_is_said(home: Connection, sql: str, code: str) -> None:
    with pytest.raises(SqeError) as error:
        home.execute(sql)
    assert error.value.code == code
    assert error.value.position is not None
