"""Primary keys are Iceberg's identifier fields; there are no foreign keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType, StructType
from tests.doors.flight.metadata_commands import ask, rows
from tests.stored_tables import Lake

from sqe.api.connection import Connection
from sqe.catalog.catalogs import Catalogs
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.policy.decision import EVERYTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName


class HidesPartOfTheKey:
    """From everybody but ann."""

    def table(self, identity: Identity, table: TableName) -> Decision:
        return (
            EVERYTHING if identity.user == "ann" else Decision(ALL, restricted=frozenset({"shop"}))
        )

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return False


@pytest.fixture
def coordinator(tmp_path: Path) -> Iterator[Coordinator]:
    lake = Lake(tmp_path)
    order = NestedField(
        2, "order", StructType(NestedField(4, "number", LongType(), required=True)), required=True
    )
    fields = (
        NestedField(1, "note", StringType()),
        order,
        NestedField(3, "shop", StringType(), required=True),
    )
    assert lake.create(Schema(*fields, identifier_field_ids=[3, 4])) == "t1"
    assert lake.create(Schema(*fields)) == "t2"
    made = Coordinator(load(None, {}), Catalogs({"iceberg": lake.catalog}), policy=HidesPartOfTheKey())
    yield made
    made.close()


def test_a_key_in_the_order_of_its_columns(coordinator: Coordinator) -> None:
    ann = Connection(coordinator, Identity("ann"))
    key = [
        ("iceberg", "a", "t1", "order.number", 1, None),
        ("iceberg", "a", "t1", "shop", 2, None),
    ]
    assert rows(ann, sql.CommandGetPrimaryKeys(table="t1")) == key
    assert rows(ann, sql.CommandGetPrimaryKeys(table="t1", catalog="iceberg", db_schema="a")) == key
    for other in (
        sql.CommandGetPrimaryKeys(table="t1", db_schema="default"),
        sql.CommandGetPrimaryKeys(table="t1", db_schema="%"),
        sql.CommandGetPrimaryKeys(table="t1", catalog=""),
        sql.CommandGetPrimaryKeys(table="t_"),
        sql.CommandGetPrimaryKeys(table="t2"),
        sql.CommandGetPrimaryKeys(table="schemata"),
    ):
        assert rows(ann, other) == []


def test_a_key_with_a_hidden_column_is_none(coordinator: Coordinator) -> None:
    joe = Connection(coordinator, Identity("joe"))
    assert rows(joe, sql.CommandGetPrimaryKeys(table="t1")) == []


def test_there_are_no_foreign_keys(coordinator: Coordinator) -> None:
    ann = Connection(coordinator, Identity("ann"))
    for command in (
        sql.CommandGetExportedKeys(table="t1"),
        sql.CommandGetImportedKeys(table="t1"),
        sql.CommandGetCrossReference(pk_table="t1", fk_table="t2"),
    ):
        assert ask(ann, command).num_rows == 0
