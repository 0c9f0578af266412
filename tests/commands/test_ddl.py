from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.catalog.catalogs import Catalogs, embedded
from sqe.commands.ddl import change
from sqe.errors import InternalError, UserError
from sqe.tree.definitions import ColumnDefinition
from sqe.tree.relations import TableName, Values
from sqe.tree.statements import CreateSchema, CreateTable, DropSchema, DropTable, Statement
from sqe.types import sql_types as t

COLUMNS = (ColumnDefinition("id", t.BIGINT),)
TABLE = TableName("iceberg", ("sales",), "orders")


@pytest.fixture
def catalogs() -> Iterator[Catalogs]:
    catalogs = embedded(memory=True)
    yield catalogs
    catalogs.close()


def execute(statement: Statement, catalogs: Catalogs) -> str:
    change(statement, catalogs, [])
    return statement.kind


def fails(statement: Statement, catalogs: Catalogs) -> str:
    with pytest.raises(UserError) as error:
        execute(statement, catalogs)
    return error.value.code


def test_schemas_and_tables_come_and_go(catalogs: Catalogs) -> None:
    assert execute(CreateSchema("iceberg", ("sales",)), catalogs) == "CREATE SCHEMA"
    assert execute(CreateTable(TABLE, COLUMNS), catalogs) == "CREATE TABLE"
    assert catalogs.get("iceberg").tables(("sales",)) == ["orders"]
    assert execute(DropTable(TABLE), catalogs) == "DROP TABLE"
    assert execute(DropSchema("iceberg", ("sales",)), catalogs) == "DROP SCHEMA"
    assert catalogs.get("iceberg").namespaces() == [("default",)]


def test_what_exists_is_not_created_again(catalogs: Catalogs) -> None:
    execute(CreateSchema("iceberg", ("sales",)), catalogs)
    execute(CreateTable(TABLE, COLUMNS), catalogs)
    made = catalogs.get("iceberg").find_table(("sales",), "orders")
    assert fails(CreateSchema("iceberg", ("sales",)), catalogs) == "SCHEMA_ALREADY_EXISTS"
    assert fails(CreateTable(TABLE, COLUMNS), catalogs) == "TABLE_ALREADY_EXISTS"
    execute(CreateSchema("iceberg", ("sales",), if_not_exists=True), catalogs)
    execute(CreateTable(TABLE, COLUMNS, if_not_exists=True), catalogs)
    assert catalogs.get("iceberg").find_table(("sales",), "orders") == made


def test_what_is_not_there_is_not_dropped(catalogs: Catalogs) -> None:
    assert fails(DropSchema("iceberg", ("sales",)), catalogs) == "SCHEMA_NOT_FOUND"
    assert fails(DropTable(TABLE), catalogs) == "SCHEMA_NOT_FOUND"
    assert fails(CreateTable(TABLE, COLUMNS), catalogs) == "SCHEMA_NOT_FOUND"
    execute(DropSchema("iceberg", ("sales",), if_exists=True), catalogs)
    execute(DropTable(TABLE, if_exists=True), catalogs)
    execute(CreateSchema("iceberg", ("sales",)), catalogs)
    assert fails(DropTable(TABLE), catalogs) == "TABLE_NOT_FOUND"
    execute(DropTable(TABLE, if_exists=True), catalogs)


def test_a_catalog_that_is_not_mounted_is_never_forgiven(catalogs: Catalogs) -> None:
    table = TableName("elsewhere", ("x",), "t")
    for statement in (
        CreateSchema("elsewhere", ("x",), if_not_exists=True),
        DropSchema("elsewhere", ("x",), if_exists=True),
        CreateTable(table, COLUMNS, if_not_exists=True),
        DropTable(table, if_exists=True),
    ):
        assert fails(statement, catalogs) == "CATALOG_NOT_FOUND"


def test_a_full_schema_is_dropped_with_cascade(catalogs: Catalogs) -> None:
    execute(CreateSchema("iceberg", ("sales",)), catalogs)
    execute(CreateTable(TABLE, COLUMNS), catalogs)
    assert fails(DropSchema("iceberg", ("sales",), if_exists=True), catalogs) == "SCHEMA_NOT_EMPTY"
    execute(DropSchema("iceberg", ("sales",), cascade=True), catalogs)
    assert catalogs.get("iceberg").namespaces() == [("default",)]


def test_replacing_leaves_an_empty_table_of_the_new_shape(catalogs: Catalogs) -> None:
    execute(CreateSchema("iceberg", ("sales",)), catalogs)
    execute(CreateTable(TABLE, COLUMNS), catalogs)
    execute(CreateTable(TABLE, (ColumnDefinition("day", t.DATE),), replace=True), catalogs)
    table = catalogs.get("iceberg").find_table(("sales",), "orders")
    assert [c.name for c in table.columns] == ["day"]


def test_a_table_with_rows_is_for_an_engine(catalogs: Catalogs) -> None:
    with pytest.raises(InternalError):
        execute(CreateTable(TABLE, COLUMNS, source=Values((), ())), catalogs)
