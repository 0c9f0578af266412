"""ALTER TABLE and SCHEMA, and CREATE TABLE LIKE, as they are written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.api.connection import Connection, connect
from sqe.catalog.iceberg.table import Table
from sqe.errors import SqeError


@pytest.fixture
def home() -> Iterator[Connection]:
    with connect(memory=True) as connection:
        connection.execute("CREATE TABLE t (a integer, b varchar, d decimal(9,2), r row(x integer, y real))")
        yield connection


def table(home: Connection, name: str = "t", schema: str = "default") -> Table:
    return home.coordinator.catalogs.get("iceberg").find_table((schema,), name)


def columns(home: Connection, name: str = "t") -> list[str]:
    return [f"{c.name} {c.type}{'' if c.nullable else ' NOT NULL'}" for c in table(home, name).columns]


def failure(home: Connection, sql: str) -> SqeError:
    with pytest.raises(SqeError) as error:
        home.execute(sql)
    return error.value


@pytest.mark.parametrize(
    ("sql", "kind", "after"),
    [
        ("ADD COLUMN c date", "ADD COLUMN", ["c date"]),
        ("ADD COLUMN IF NOT EXISTS c date", "ADD COLUMN", ["c date"]),
        ("ADD COLUMN IF NOT EXISTS A date", "ADD COLUMN", []),
        ("ADD COLUMN \"C c\" varchar(9) NOT NULL COMMENT 'x'", "ADD COLUMN", ["C c varchar NOT NULL"]),
        ("ADD COLUMN r.z array(integer)", "ADD COLUMN", ["r row(x integer, y real, z array(integer))"]),
        ("DROP COLUMN b", "DROP COLUMN", []),
        ("DROP COLUMN IF EXISTS nosuch", "DROP COLUMN", []),
        ("DROP COLUMN r.x", "DROP COLUMN", ["r row(y real)"]),
        ("DROP COLUMN IF EXISTS r.nosuch", "DROP COLUMN", []),
        ("RENAME COLUMN a TO n", "RENAME COLUMN", ["n integer"]),
        ("RENAME COLUMN IF EXISTS nosuch TO n", "RENAME COLUMN", []),
        ('RENAME COLUMN r.X TO "Ex"', "RENAME COLUMN", ['r row("Ex" integer, y real)']),
        ("ALTER COLUMN a SET DATA TYPE bigint", "SET COLUMN TYPE", ["a bigint"]),
        ("ALTER COLUMN d TYPE decimal(12, 2)", "SET COLUMN TYPE", ["d decimal(12,2)"]),
        ("ALTER COLUMN r.y SET DATA TYPE double", "SET COLUMN TYPE", ["r row(x integer, y double)"]),
        ("ALTER COLUMN a SET NOT NULL", "SET NOT NULL CONSTRAINT", ["a integer NOT NULL"]),
        ("ALTER COLUMN a DROP NOT NULL", "DROP NOT NULL CONSTRAINT", []),
    ],
)
def test_columns_change(home: Connection, sql: str, kind: str, after: list[str]) -> None:
    before = columns(home)
    assert home.execute(f"ALTER TABLE t {sql}").update_type == kind
    assert [c for c in columns(home) if c not in before] == after


@pytest.mark.parametrize(
    ("sql", "code", "position"),
    [
        ("ADD COLUMN A date", "COLUMN_ALREADY_EXISTS", "1:26"),
        ("ADD COLUMN c", "SYNTAX_ERROR", "1:26"),
        ("ADD COLUMN c nosuch", "SYNTAX_ERROR", "1:28"),
        ("ADD COLUMN b.c date", "NOT_SUPPORTED", "1:26"),
        ("ADD COLUMN c date DEFAULT 1", "NOT_SUPPORTED", None),
        ("DROP COLUMN nosuch", "COLUMN_NOT_FOUND", "1:27"),
        ("DROP COLUMN r.nosuch", "COLUMN_NOT_FOUND", "1:27"),
        ("RENAME COLUMN a TO B", "COLUMN_ALREADY_EXISTS", "1:29"),
        ("RENAME COLUMN nosuch TO x", "COLUMN_NOT_FOUND", "1:29"),
        ("ALTER COLUMN a SET DATA TYPE varchar", "TYPE_MISMATCH", "1:28"),
        ("ALTER COLUMN d SET DATA TYPE decimal(12, 3)", "TYPE_MISMATCH", "1:28"),
        ("ALTER COLUMN r SET DATA TYPE row(x bigint)", "TYPE_MISMATCH", "1:28"),
        ("ALTER COLUMN a SET DEFAULT 1", "NOT_SUPPORTED", None),
        ("SET PROPERTIES formt = 'ORC'", "INVALID_TABLE_PROPERTY", "1:30"),
        ("SET PROPERTIES format = 'CSV'", "INVALID_ARGUMENTS", "1:30"),
        ("SET PROPERTIES format_version = 1", "NOT_SUPPORTED", "1:30"),
        ("SET PROPERTIES format_version = DEFAULT", "INVALID_TABLE_PROPERTY", "1:30"),
        ("SET PROPERTIES partitioning = ARRAY['a']", "NOT_SUPPORTED", "1:30"),
        ("SET PROPERTIES sorted_by = ARRAY['a']", "NOT_SUPPORTED", "1:30"),
        ("SET PROPERTIES format = 'ORC', format = 'AVRO'", "INVALID_TABLE_PROPERTY", "1:46"),
        ("RENAME TO nosuch.u", "SCHEMA_NOT_FOUND", "1:25"),
        ('RENAME TO "u$x"', "INVALID_ARGUMENTS", "1:25"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(
    home: Connection, sql: str, code: str, position: str | None
) -> None:
    before = table(home)
    error = failure(home, f"ALTER TABLE t {sql}")
    assert error.code == code
    assert position is None or str(error.position) == position
    assert table(home) == before


def test_a_wrong_type_is_told_what_is_allowed(home: Connection) -> None:
    error = failure(home, "ALTER TABLE t ALTER COLUMN a SET DATA TYPE real")
    assert str(error) == (
        "line 1:28: column 'a' is integer, and cannot become real "
        "(integer can become bigint, real double, and a decimal can get a higher precision)"
    )


def test_a_missing_column_is_named_with_the_nearest(home: Connection) -> None:
    home.execute("ALTER TABLE t ADD COLUMN customer varchar")
    assert failure(home, "ALTER TABLE t DROP COLUMN custmer").hint == "did you mean 'customer'?"


def test_columns_that_the_table_needs_stay(home: Connection) -> None:
    home.execute(
        "CREATE TABLE p (a integer, b date, c integer) "
        "WITH (partitioning = ARRAY['day(b)'], sorted_by = ARRAY['a'])"
    )
    assert "partitioned by it" in failure(home, "ALTER TABLE p DROP COLUMN b").message
    assert "sorted by it" in failure(home, "ALTER TABLE p DROP COLUMN a").message
    home.execute("ALTER TABLE p RENAME COLUMN b TO day")
    assert [(f.name, f.column) for f in table(home, "p").partitioning] == [("b_day", "day")]


def test_properties_are_set_and_removed(home: Connection) -> None:
    home.execute("ALTER TABLE t SET PROPERTIES format = 'ORC', \"write.delete.mode\" = 'merge-on-read'")
    home.execute(
        "ALTER TABLE t SET TBLPROPERTIES ('owner' = 'me', 'write.metadata.compression-codec' = 'gzip')"
    )
    properties = table(home).properties
    assert properties["write.format.default"] == "orc"
    assert (properties["write.delete.mode"], properties["owner"]) == ("merge-on-read", "me")
    home.execute("ALTER TABLE t SET PROPERTIES format = DEFAULT, format_version = 3")
    home.execute("ALTER TABLE t UNSET TBLPROPERTIES ('owner', 'nosuch')")
    assert not {"write.format.default", "owner"} & set(table(home).properties)
    assert table(home).format_version == 3


def test_tables_are_renamed_within_their_catalog(home: Connection) -> None:
    home.execute("CREATE SCHEMA other")
    assert home.execute("ALTER TABLE t RENAME TO u").update_type == "RENAME TABLE"
    home.execute("ALTER TABLE u RENAME TO other.v")
    # A name without a schema is in the table's, wherever the session is.
    home.execute("ALTER TABLE other.v RENAME TO w")
    assert home.coordinator.catalogs.get("iceberg").tables(("other",)) == ["w"]
    home.execute("ALTER TABLE iceberg.other.w RENAME TO iceberg.default.t")
    assert columns(home)[0] == "a integer"
    home.execute("CREATE TABLE taken (x integer)")
    assert failure(home, "ALTER TABLE t RENAME TO taken").code == "TABLE_ALREADY_EXISTS"


def test_a_table_stays_in_its_catalog(tmp_path_factory: pytest.TempPathFactory) -> None:
    places = {name: tmp_path_factory.mktemp(name) for name in ("one", "two")}
    with connect(catalogs=places) as connection:
        connection.execute("CREATE TABLE one.default.t (a integer)")
        assert (
            failure(connection, "ALTER TABLE one.default.t RENAME TO two.default.t").code == "NOT_SUPPORTED"
        )


def test_a_table_that_may_be_absent(home: Connection) -> None:
    for action in ("RENAME TO u", "ADD COLUMN c date", "DROP COLUMN a", "SET PROPERTIES format = 'ORC'"):
        home.execute(f"ALTER TABLE IF EXISTS nosuch {action}")
        home.execute(f"ALTER TABLE IF EXISTS nosuch.nosuch {action}")
        error = failure(home, f"ALTER TABLE nosuch {action}")
        assert (error.code, str(error.position)) == ("TABLE_NOT_FOUND", "1:13")
    assert failure(home, "ALTER TABLE IF EXISTS nosuch.a.t DROP COLUMN a").code == "CATALOG_NOT_FOUND"


def test_schemas_are_renamed(home: Connection) -> None:
    home.execute("CREATE SCHEMA a.b")
    home.execute("CREATE TABLE a.b.t (x integer)")
    assert home.execute("ALTER SCHEMA a RENAME TO c").update_type == "RENAME SCHEMA"
    assert home.coordinator.catalogs.get("iceberg").tables(("c", "b")) == ["t"]
    assert failure(home, "ALTER SCHEMA a RENAME TO d").code == "SCHEMA_NOT_FOUND"
    assert failure(home, "ALTER SCHEMA c RENAME TO default").code == "SCHEMA_ALREADY_EXISTS"


def test_like_copies_the_columns(home: Connection) -> None:
    home.execute(
        "CREATE TABLE model (a integer NOT NULL COMMENT 'key', day date) COMMENT 'not copied' "
        "WITH (format = 'ORC', format_version = 3, partitioning = ARRAY['day(day)'], "
        "sorted_by = ARRAY['a DESC']) TBLPROPERTIES ('owner' = 'me')"
    )
    home.execute("CREATE TABLE plain (LIKE model)")
    home.execute("CREATE TABLE more (first integer, LIKE model EXCLUDING PROPERTIES, last date)")
    home.execute("CREATE TABLE whole LIKE model")
    home.execute("CREATE TABLE changed (LIKE model INCLUDING PROPERTIES) WITH (format = 'AVRO')")
    home.execute("CREATE TABLE IF NOT EXISTS whole LIKE t")
    assert columns(home, "plain") == columns(home, "whole") == ["a integer NOT NULL", "day date"]
    assert columns(home, "more") == ["first integer", "a integer NOT NULL", "day date", "last date"]
    assert table(home, "plain").columns[0].comment == "key"
    for name, format_, version, partitions in (
        ("plain", None, 2, 0),
        ("more", None, 2, 0),
        ("whole", "orc", 3, 1),
        ("changed", "avro", 3, 1),
    ):
        made = table(home, name)
        assert made.properties.get("write.format.default") == format_
        assert (made.format_version, len(made.partitioning), len(made.sort_order)) == (
            version,
            partitions,
            partitions,
        )
        assert made.comment is None
    assert failure(home, "CREATE TABLE x (a date, LIKE model)").code == "DUPLICATE_COLUMN_NAME"
    assert failure(home, "CREATE TABLE x (LIKE nosuch)").code == "TABLE_NOT_FOUND"
    home.execute("CREATE VIEW v AS SELECT 1 AS a")
    assert failure(home, "CREATE TABLE x LIKE v").code == "NOT_SUPPORTED"


def test_an_insert_of_merge_is_checked_as_insert_is(home: Connection) -> None:
    home.execute("CREATE TABLE strict (a integer NOT NULL, b varchar)")
    merge = "MERGE INTO strict USING t ON strict.a = t.a WHEN NOT MATCHED THEN INSERT "
    assert failure(home, merge + "(b) VALUES (t.b)").code == "CONSTRAINT_VIOLATION"
    assert failure(home, merge + "(a, b, A) VALUES (t.a, t.b, t.a)").code == "DUPLICATE_COLUMN_NAME"
