"""Metadata through the real server, as the ADBC driver and a plain Flight client ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pytest
from adbc_driver_manager import ProgrammingError
from google.protobuf.any_pb2 import Any as Packed
from pyarrow import flight
from tests.doors.flight.metadata_commands import told

import sqe
from sqe.api.connection import Connection
from sqe.auth.credentials import Grant
from sqe.catalog.catalogs import embedded
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.metadata import COMMANDS
from sqe.doors.flight.server import FlightDoor
from sqe.policy.decision import AllowAll
from sqe.server.clients import Clients
from sqe.session import Identity


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place: Path = tmp_path_factory.mktemp("drivers")
    config = load(None, {"SQE__coordinator__flight_sql_port": "0", "SQE__coordinator__host": "127.0.0.1"})
    coordinator = Coordinator(
        config,
        embedded(catalogs={"lake": place / "lake", "pond": place / "pond"}),
        policy=AllowAll(),
    )
    owner = Connection(coordinator, Identity("joe"))
    for statement in (
        "CREATE SCHEMA lake.hr",
        "CREATE TABLE lake.hr.people (id bigint NOT NULL COMMENT 'the number', paid decimal(12,2))",
        "CREATE TABLE lake.hr.people_of_old (x date)",
        "CREATE VIEW lake.hr.known AS SELECT id FROM lake.hr.people",
        "CREATE TABLE pond.default.people (y bigint)",
    ):
        owner.execute(statement)
    clients = Clients(coordinator, lambda credentials, peer: Grant(Identity("joe"), lambda: lambda: True))
    door = FlightDoor(clients)
    door.start()
    yield f"grpc://127.0.0.1:{door.port}"
    door.close()
    clients.close()
    assert not coordinator.spark.started
    coordinator.close()


@pytest.fixture
def driver(uri: str) -> Iterator[adbc.Connection]:
    with adbc.connect(uri, autocommit=True) as connection:
        yield connection


def objects(driver: adbc.Connection, **asked: Any) -> dict[str, dict[str, dict[str, Any]]]:
    """Tables by their catalogs and schemas."""
    found = driver.adbc_get_objects(**asked).read_all().to_pylist()
    return {
        catalog["catalog_name"]: {
            schema["db_schema_name"]: {t["table_name"]: t for t in schema["db_schema_tables"] or ()}
            for schema in catalog["catalog_db_schemas"] or ()
        }
        for catalog in found
    }


def test_info(driver: adbc.Connection) -> None:
    info = driver.adbc_get_info()
    assert (info["vendor_name"], info["vendor_version"]) == ("SQE", sqe.__version__)
    assert info["vendor_arrow_version"] == pa.__version__


def test_objects_of_every_depth(driver: adbc.Connection) -> None:
    assert objects(driver, depth="catalogs") == {"lake": {}, "pond": {}, "system": {}}
    assert set(objects(driver, depth="db_schemas")["lake"]) == {"default", "hr", "information_schema"}
    tables = objects(driver, depth="tables")
    kinds = {name: table["table_type"] for name, table in tables["lake"]["hr"].items()}
    assert kinds == {"known": "VIEW", "people": "TABLE", "people_of_old": "TABLE"}
    assert "people" in tables["pond"]["default"]


def test_columns_of_objects(driver: adbc.Connection) -> None:
    found = objects(driver, depth="all", catalog_filter="lake", table_name_filter="people")
    first, second = found["lake"]["hr"]["people"]["table_columns"]
    assert (first["column_name"], first["xdbc_type_name"]) == ("id", "bigint")
    assert (second["column_name"], second["xdbc_type_name"]) == ("paid", "decimal(12,2)")
    where = [first[f"xdbc_scope_{part}"] for part in ("catalog", "schema", "table")]
    assert where == ["lake", "hr", "people"]


def test_one_table(driver: adbc.Connection) -> None:
    schema = driver.adbc_get_table_schema("people", catalog_filter="lake", db_schema_filter="hr")
    assert schema == pa.schema(
        [pa.field("id", pa.int64(), nullable=False), pa.field("paid", pa.decimal128(12, 2))]
    )
    assert told(schema.field("id"))["REMARKS"] == "the number"
    with pytest.raises(ProgrammingError):
        driver.adbc_get_table_schema("nobody", catalog_filter="lake")


def test_table_types(driver: adbc.Connection) -> None:
    assert driver.adbc_get_table_types() == ["TABLE", "VIEW"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_the_announced_schema_is_that_of_the_rows(uri: str, command: type) -> None:
    packed = Packed()
    packed.Pack(command())
    asked = flight.FlightDescriptor.for_command(packed.SerializeToString())
    with flight.connect(uri) as client:
        announced = client.get_schema(asked).schema
        info = client.get_flight_info(asked)
        [endpoint] = info.endpoints
        table = client.do_get(endpoint.ticket).read_all()
    assert announced == info.schema == table.schema == COMMANDS[command].schema(command())
    empty = "Keys" in command.__name__ or command is sql.CommandGetCrossReference
    assert bool(table.num_rows) != empty
