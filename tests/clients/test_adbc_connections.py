"""Connections of ADBC's driver: log-in, sessions, what there is, errors and cancelling."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pyarrow as pa
import pytest
from adbc_driver_flightsql import ConnectionOptions, DatabaseOptions
from tests.flight_server import KEYS, Connect, Serve

import sqe
from sqe.auth.providers.api_key import hash_of
from sqe.doors.open import OpenServer

# Minutes of work for either lane. Of numbers that Spark can leave off counting: what one row is unnested to,
# it counts to the end, cancelled or not.
LONG = (
    "SELECT count(*) FROM TABLE(sequence(1, 300000)) AS a CROSS JOIN TABLE(sequence(1, 3000000)) AS z "
    "WHERE a.sequential_number + z.sequential_number > 0"
)


def test_user_and_password(server: OpenServer) -> None:
    with (
        adbc.connect(
            f"grpc://127.0.0.1:{server.flight.port}",
            db_kwargs={"username": "ann", "password": KEYS["ann"]},
            autocommit=True,
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("ann",)


@pytest.mark.parametrize(
    "given",
    [
        {"username": "ann", "password": "wrong"},
        {DatabaseOptions.AUTHORIZATION_HEADER.value: "Bearer wrong"},
        {},
    ],
)
def test_strangers_stay_outside(server: OpenServer, given: dict[str, str]) -> None:
    with pytest.raises(adbc_driver_manager.Error, match=r"authentication failed|UNAUTHENTICATED"):  # noqa: SIM117
        with adbc.connect(f"grpc://127.0.0.1:{server.flight.port}", db_kwargs=given, autocommit=True) as c:
            c.cursor().execute("SELECT 1")


def test_who_the_server_is(connection: Any) -> None:
    info = connection.adbc_get_info()
    assert (info["vendor_name"], info["vendor_version"]) == ("SQE", sqe.__version__)


def test_objects_and_schemas_of_tables(connection: Any, cursor: Any) -> None:
    cursor.execute("CREATE SCHEMA listed")
    cursor.execute(
        "CREATE TABLE listed.things (id bigint NOT NULL, price decimal(12, 2), tags array(varchar))"
    )
    cursor.execute("CREATE VIEW listed.cheap AS SELECT id FROM listed.things WHERE price < 1")
    found = connection.adbc_get_objects(depth="all", catalog_filter="lake", db_schema_filter="listed")
    [catalog] = [c for c in found.read_all().to_pylist() if c["catalog_db_schemas"]]
    [schema] = catalog["catalog_db_schemas"]
    tables = {table["table_name"]: table for table in schema["db_schema_tables"]}
    assert {name: table["table_type"] for name, table in tables.items()} == {
        "cheap": "VIEW",
        "things": "TABLE",
    }
    columns = [(c["column_name"], c["xdbc_type_name"]) for c in tables["things"]["table_columns"]]
    assert columns == [("id", "bigint"), ("price", "decimal(12,2)"), ("tags", "array(varchar)")]
    assert connection.adbc_get_table_schema("things", db_schema_filter="listed") == pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("price", pa.decimal128(12, 2)),
            pa.field("tags", pa.list_(pa.field("element", pa.string()))),
        ]
    )
    assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]
    cursor.execute("DROP SCHEMA listed CASCADE")


def test_the_current_catalog_and_schema(connection: Any, cursor: Any) -> None:
    cursor.execute("CREATE SCHEMA current")
    assert connection.adbc_current_catalog == "lake"
    connection.adbc_current_db_schema = "current"
    assert connection.adbc_current_db_schema == "current"
    cursor.execute("SELECT current_catalog, current_schema")
    assert cursor.fetchone() == ("lake", "current")
    cursor.execute("USE lake.default")
    assert connection.adbc_current_db_schema == "default"
    with pytest.raises(adbc_driver_manager.Error):
        connection.adbc_current_db_schema = "nowhere"
    cursor.execute("DROP SCHEMA current")


def test_session_options(connection: Any, cursor: Any) -> None:
    prefix = ConnectionOptions.OPTION_SESSION_OPTION_PREFIX.value
    connection.adbc_connection.set_options(**{f"{prefix}time_zone_id": "Asia/Tokyo"})
    cursor.execute("SELECT current_timezone()")
    assert cursor.fetchone() == ("Asia/Tokyo",)
    assert connection.adbc_connection.get_option(f"{prefix}time_zone_id") == "Asia/Tokyo"
    cursor.execute("SET TIME ZONE 'UTC'")
    with pytest.raises(adbc_driver_manager.Error):
        connection.adbc_connection.set_options(**{f"{prefix}no_such_option": "1"})


def test_one_connection_closes_and_another_goes_on(connect_as: Connect) -> None:
    """Both send the same key, and one of them says that it closes its session."""
    first, second = connect_as("joe"), connect_as("joe")
    with first.cursor() as cursor, second.cursor() as other:
        cursor.execute("USE system.runtime")
        other.execute(
            "SELECT n FROM UNNEST(sequence(1, 10000)) AS t(n) CROSS JOIN UNNEST(sequence(1, 20)) AS u(m)"
        )
        assert other.fetchone() is not None
        cursor.execute("SELECT 1")
        first.close()
        assert len(other.fetchall()) == 199_999
        other.execute("SELECT current_schema")
        assert other.fetchone() is not None


def test_errors_say_what_and_where(cursor: Any) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError) as caught:
        cursor.execute("SELECT 1 +\n nothing_like_it")
    assert "line 2:2" in str(caught.value)
    details: dict[Any, bytes] = dict(caught.value.details)  # by bytes, not by str as its type says
    assert details[b"x-sqe-error-code"] == b"COLUMN_NOT_FOUND"


def test_transactions_are_refused_and_announced(connect_as: Connect, server: OpenServer) -> None:
    options = {DatabaseOptions.AUTHORIZATION_HEADER.value: f"Bearer {KEYS['ann']}"}
    with (
        pytest.warns(Warning, match="autocommit"),
        adbc.connect(f"grpc://127.0.0.1:{server.flight.port}", db_kwargs=options) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_cancel(connect_as: Connect, lane: str) -> None:
    connection = connect_as("ann")
    failed: list[Exception] = []
    with connection.cursor() as cursor, connect_as("ann").cursor() as other:
        cursor.execute(f"SET SESSION lane = '{lane}'")

        def work() -> None:
            try:
                cursor.execute(LONG)
                cursor.fetchall()
            except adbc_driver_manager.Error as error:
                failed.append(error)

        worker = threading.Thread(target=work)
        worker.start()
        _until(lambda: _running(other))
        while worker.is_alive():
            cursor.adbc_cancel()
            worker.join(0.2)
        _until(lambda: not _running(other))
    assert len(failed) == 1 and "cancel" in str(failed[0]).lower()
    with connection.cursor() as again:
        again.execute("RESET SESSION lane")
        again.execute("SELECT 1")
        assert again.fetchall() == [(1,)]


def _running(cursor: Any) -> bool:
    cursor.execute(
        "SELECT count(*) FROM system.runtime.queries WHERE state = 'RUNNING' AND query = ?", (LONG,)
    )
    return bool(cursor.fetchone()[0])


def _until(condition: Any) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_connections_with_one_key_keep_apart(connect_as: Connect) -> None:
    one, other = connect_as("ann"), connect_as("ann")
    with one.cursor() as first, other.cursor() as second:
        first.execute("CREATE SCHEMA of_one")
        first.execute("USE of_one")
        second.execute("SELECT current_schema")
        assert second.fetchone() == ("default",)
        first.execute("SELECT current_schema")
        assert first.fetchone() == ("of_one",)
        first.execute("DROP SCHEMA of_one")


def test_a_key_that_was_removed_ends_the_sessions_that_it_began(serve: Serve, tmp_path: Path) -> None:
    keys = tmp_path / "keys.toml"
    key = "old_removed_0123456789abcdef0123456789abcdef"
    entry = f'[[keys]]\nuser = "{{}}"\nhash = "{hash_of(key)}"\n'
    keys.touch(mode=0o600)
    keys.write_text(entry.format("eve"))
    # Of another prefix than those of the other provider, which would refuse it.
    server = serve(f'[[auth.providers]]\ntype = "api_key"\nkey_prefix = "old_"\nkeys_file = "{keys}"\n')
    with adbc.connect(
        f"grpc://127.0.0.1:{server.flight.port}",
        db_kwargs={"username": "eve", "password": key},
        autocommit=True,
    ) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            assert cursor.fetchone() == ("eve",)
        keys.write_text("keys = []\n")
        with pytest.raises(adbc_driver_manager.Error, match="log in again"), connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
