"""Trino's Python client, and SQLAlchemy with its dialect."""

from __future__ import annotations

import datetime as dt
import threading
import time
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.auth.fake_idp import FakeIdp
from tests.doors.flight.test_limits import certificate
from tests.doors.trino.test_log_in_in_a_browser import Browser
from tests.doors.trino.test_pages_of_statements import ENDLESS
from tests.doors.trino.trino_door import KEYS, WITH_KEYS, Opened, opened_door

pytestmark = pytest.mark.trino


@pytest.fixture
def connection(shop: Opened, trino_client: Any) -> Any:
    return connect(trino_client, shop)


def connect(trino_client: Any, shop: Opened, **more: Any) -> Any:
    arguments = {"user": "joe", "catalog": "iceberg", "schema": "shop", **more}
    return trino_client.dbapi.connect(host="127.0.0.1", port=shop.port, **arguments)


def test_parameters(connection: Any) -> None:
    moment = dt.datetime(2026, 1, 2, 3, 4, 5, 678901)
    values = [
        41,
        "it's",
        1.5,
        Decimal("1.10"),
        True,
        None,
        dt.date(2026, 1, 2),
        moment,
        [1, None],
        b"\x00\xff",
    ]
    cursor = connection.cursor()
    cursor.execute(f"SELECT {', '.join('?' * len(values))}", values)
    assert cursor.fetchall() == [values]


def test_types(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(
        "SELECT TIMESTAMP '2026-11-15 12:34:56.123456 Europe/Berlin', TIME '12:34:56.123', DOUBLE 'NaN',"
        " MAP(ARRAY['a'], ARRAY[1]), CAST(ROW(1, 'x') AS ROW(a integer, b varchar)),"
        " UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59', INTERVAL '2' DAY,"
        " DECIMAL '12345678901234567890.123456'"
    )
    [row] = cursor.fetchall()
    assert row[0] == dt.datetime(2026, 11, 15, 12, 34, 56, 123456, ZoneInfo("Europe/Berlin"))
    assert row[1] == dt.time(12, 34, 56, 123000) and row[2] != row[2]
    assert row[3] == {"a": 1} and tuple(row[4]) == (1, "x") and row[4].a == 1
    assert row[5] == uuid.UUID("12151fd2-7586-11e9-8f9e-2a86e4085a59") and row[6] == dt.timedelta(days=2)
    assert row[7] == Decimal("12345678901234567890.123456")


@pytest.mark.parametrize("encoding", [None, "json", "json+lz4", "json+zstd"])
def test_large_results(shop: Opened, trino_client: Any, encoding: str | None) -> None:
    cursor = connect(trino_client, shop, encoding=encoding).cursor()
    cursor.execute("SELECT sequential_number, 'text' FROM TABLE(sequence(1, 200000))")
    rows = cursor.fetchall()
    assert len(rows) == 200000 and rows[-1] == [200000, "text"]


def test_cancel(shop: Opened, connection: Any) -> None:
    cursor = connection.cursor()
    caught: list[BaseException] = []

    def run() -> None:
        try:
            cursor.execute(ENDLESS)
            cursor.fetchall()
        except Exception as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while cursor.query_id is None:
        time.sleep(0.05)
    cursor.cancel()
    thread.join(60)
    assert not thread.is_alive()
    statement = shop.server.coordinator.running.get(cursor.query_id)
    assert statement is None or statement.cancelled


def test_transactions(shop: Opened, trino_client: Any) -> None:
    level = trino_client.transaction.IsolationLevel.READ_COMMITTED
    with connect(trino_client, shop, isolation_level=level) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT count(*) FROM orders")
        assert cursor.fetchone() == [3]
    assert len(shop.door.app.transactions) == 0


def test_prepared_the_old_way(shop: Opened, trino_client: Any) -> None:
    connection = connect(trino_client, shop, legacy_prepared_statements=True)
    cursor = connection.cursor()
    cursor.execute("SELECT region FROM orders WHERE id = ?", (2,))
    assert cursor.fetchall() == [["US"]]


def test_errors(connection: Any, trino_client: Any) -> None:
    cursor = connection.cursor()
    with pytest.raises(trino_client.exceptions.TrinoUserError) as caught:
        cursor.execute("SELECT * FROM nothing").fetchall()
    assert caught.value.error_name == "TABLE_NOT_FOUND"


def test_log_in_by_password_and_token_over_tls(
    tmp_path: Path, trino_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else it counts more than what the client is told.
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    key, cert, root = certificate(tmp_path, "server")
    tls = f'[coordinator.tls]\ncert_file = "{cert}"\nkey_file = "{key}"\n'
    with opened_door(tmp_path, tls, providers=WITH_KEYS) as door:

        def ask(auth: Any, user: str = "ann") -> Any:
            connection = trino_client.dbapi.connect(
                host="127.0.0.1", port=door.port, user=user, http_scheme="https", verify=str(root), auth=auth
            )
            return connection.cursor().execute("SELECT current_user").fetchall()

        assert ask(trino_client.auth.JWTAuthentication(KEYS["ann"])) == [["ann"]]
        with pytest.raises(trino_client.exceptions.TrinoUserError, match="cannot impersonate"):
            ask(trino_client.auth.JWTAuthentication(KEYS["ann"]), "joe")
        with pytest.raises(trino_client.exceptions.HttpError, match="401"):
            ask(trino_client.auth.BasicAuthentication("ann", "wrong"))


def test_log_in_in_a_browser(tmp_path: Path, trino_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    key, cert, root = certificate(tmp_path, "server")
    idp = FakeIdp()
    more = f'[coordinator.tls]\ncert_file = "{cert}"\nkey_file = "{key}"\n'
    more += f'[auth.external]\nissuer = "{idp.issuer}"\nclient_id = "cli"\n'
    providers = (
        f'[[auth.providers]]\ntype = "bearer_token"\nissuer = "{idp.issuer}"\n'
        'audience = "catalog"\nallow_insecure_jwks = true\n'
    )
    with opened_door(tmp_path, more, providers=providers) as door:
        opened: list[str] = []

        def browser(url: str) -> None:
            opened.append(url)
            assert Browser(root).log_in(url).status == 200

        connection = trino_client.dbapi.connect(
            host="127.0.0.1",
            port=door.port,
            user="alice",
            http_scheme="https",
            verify=str(root),
            auth=trino_client.auth.OAuth2Authentication(redirect_auth_url_handler=browser),
        )
        for _ in range(2):
            assert connection.cursor().execute("SELECT current_user").fetchall() == [["alice"]]
        assert len(opened) == 1
    idp.close()


def test_sqlalchemy(shop: Opened, trino_client: Any) -> None:
    import sqlalchemy as sa

    engine = sa.create_engine(f"trino://joe@127.0.0.1:{shop.port}/iceberg/shop")
    about = sa.inspect(engine)
    assert {"shop", "information_schema"} <= set(about.get_schema_names())
    assert about.get_table_names() == ["orders"] and about.get_view_names() == ["totals"]
    columns = {column["name"]: column for column in about.get_columns("orders")}
    assert columns["region"]["comment"] == "where" and str(columns["amount"]["type"]) == "DECIMAL(10, 2)"
    assert about.get_table_comment("orders") == {"text": "what was bought"}
    assert "sum(amount)" in str(about.get_view_definition("totals")).lower()
    assert about.has_table("orders") and not about.has_table("nothing")
    assert about.get_pk_constraint("orders")["constrained_columns"] == []
    orders = sa.Table("orders", sa.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        query = sa.select(orders.c.id).where(orders.c.region == "EU").order_by(orders.c.id)
        assert connection.execute(query).scalars().all() == [1, 3]
        with pytest.raises(sa.exc.DBAPIError):
            connection.execute(sa.text("SELECT * FROM nothing"))


def test_what_the_client_sets_and_writes(trino_client: Any, shop: Opened) -> None:
    """As the suite of its authors does."""
    with connect(
        trino_client, shop, session_properties={"query_max_run_time": "10m", "query_priority": "1"}
    ) as c:
        cursor = c.cursor(legacy_primitive_types=False)
        cursor.execute("SHOW SESSION")
        shown = {row[0]: row[1] for row in cursor.fetchall()}
        assert (shown["query_max_run_time"], shown["query_priority"]) == ("10m", "1")
        # Python writes the year 1 with one digit.
        values = [
            dt.date(1, 1, 1),
            dt.date(9999, 12, 31),
            float("inf"),
            5e-324,
            {"a": None},
            [None, 1],
            (1, "x"),
        ]
        cursor.execute(f"SELECT {', '.join('?' * len(values))}", values)
        assert cursor.fetchall() == [values]
        cursor.execute(
            "SELECT CAST(1.4E-45 AS REAL), INTERVAL '-18' MONTH, INTERVAL '1 11:11:11.116' DAY TO SECOND"
        )
        assert cursor.fetchall()[0][0] == 1.4e-45
        with pytest.raises(trino_client.exceptions.TrinoUserError, match="INVALID_LITERAL"):
            cursor.execute("SELECT ?", (dt.datetime(2021, 3, 28, 2, 30, tzinfo=ZoneInfo("Europe/Brussels")),))
            cursor.fetchall()
        cursor.execute("EXPLAIN (TYPE VALIDATE) SELECT 1")
        assert cursor.fetchall() == [[True]]
