"""Sessions of connections to a server, and what is left when they end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trustme
from tests.flight_server import KEYS, Serve

import sqe
from sqe.api.remote.client import Client
from sqe.api.remote.statement import RemoteStatement
from sqe.doors.open import OpenServer

pytestmark = pytest.mark.spark

ENDLESS = "SELECT count(*) FROM TABLE(sequence(1, 300000)) a CROSS JOIN TABLE(sequence(1, 3000000)) b"


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_connections_with_one_key_have_sessions_of_their_own(server: OpenServer) -> None:
    port = server.flight.port
    before = len(server.clients.sessions)
    with (
        sqe.connect(host="127.0.0.1", port=port, token=KEYS["ann"]) as one,
        sqe.connect(host="127.0.0.1", port=port, token=KEYS["ann"]) as other,
        sqe.connect(host="127.0.0.1", port=port, user="ann", password=KEYS["ann"]) as third,
    ):
        one.execute("CREATE SCHEMA mine")
        one.execute("USE mine")
        for connection, schema in ((one, "mine"), (other, "default"), (third, "default")):
            assert connection.execute("SELECT current_schema").fetchall() == [(schema,)]
        one.execute("DROP SCHEMA mine")
    until(lambda: len(server.clients.sessions) <= before)


def test_nothing_is_left_of_what_was_read(server: OpenServer) -> None:
    before = len(server.clients.running)
    with sqe.connect(host="127.0.0.1", port=server.flight.port, token=KEYS["ann"]) as connection:
        for rows in (0, 1, 5000):
            sql = f"SELECT * FROM TABLE(sequence(1, 5000)) AS t (n) WHERE n <= {rows}"
            assert len(connection.execute(sql).fetchall()) == rows
        connection.execute("SET SESSION lane = 'auto'")
        until(lambda: len(server.clients.running) <= before)


@pytest.mark.parametrize("end", ["cancel", "close"])
def test_a_cancel_reaches_the_server(server: OpenServer, end: str) -> None:
    connection = sqe.connect(host="127.0.0.1", port=server.flight.port, token=KEYS["joe"])
    cursor = connection.cursor()
    caught: list[sqe.SqeError] = []

    def run() -> None:
        try:
            cursor.execute(ENDLESS).fetchall()
        except sqe.SqeError as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    until(lambda: server.admission.running == 1 and cursor.query_id is not None)
    cursor.cancel() if end == "cancel" else connection.close()
    thread.join(60)
    assert [(error.code, error.query_id) for error in caught] == [("USER_CANCELED", cursor.query_id)]
    until(lambda: server.admission.running == 0)
    connection.close()


def test_what_is_for_a_server_and_what_is_not() -> None:
    with pytest.raises(sqe.InterfaceError, match="host is for a server"):
        sqe.connect(host="h", memory=True)  # type: ignore[call-overload]
    with pytest.raises(sqe.InterfaceError, match="are for a server"):
        sqe.connect(user="joe")  # type: ignore[call-overload]
    with pytest.raises(sqe.OperationalError, match="does not answer"):
        sqe.connect(host="127.0.0.1", port=1)


def test_an_engine_in_this_process_loads_no_driver() -> None:
    code = (
        "import sys, sqe; c = sqe.connect(memory=True); c.execute('SELECT 1').fetchall(); c.close();"
        "drivers = {'adbc_driver_flightsql', 'adbc_driver_manager', 'grpc', 'pyarrow.flight'};"
        "print(sorted(drivers & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_tls(serve: Serve, tmp_path: Path) -> None:
    authority = trustme.CA()
    shown = authority.issue_cert("127.0.0.1")
    shown.private_key_pem.write_to_path(tmp_path / "key.pem")
    shown.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    files = f'cert_file = "{tmp_path}/cert.pem", key_file = "{tmp_path}/key.pem"'
    port = serve(coordinator=f"tls = {{ {files} }}").flight.port
    with sqe.connect(host="127.0.0.1", port=port, token=KEYS["ann"], tls=True, insecure=True) as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
    # Nobody that this machine trusts has signed it; and without TLS nobody answers at all.
    for tls in (True, False):
        with pytest.raises(sqe.OperationalError):
            sqe.connect(host="127.0.0.1", port=port, token=KEYS["ann"], tls=tls).execute("SELECT 1")


def test_a_session_that_has_ended_is_said_once(serve: Serve) -> None:
    server = serve("[session]\nidle_timeout_secs = 1\nexpiry_sweep_interval_secs = 1\n")
    port = server.flight.port
    with (
        sqe.connect(host="127.0.0.1", port=port, token=KEYS["ann"]) as by_token,
        sqe.connect(host="127.0.0.1", port=port, user="ann", password=KEYS["ann"]) as by_password,
    ):
        by_token.execute("CREATE SCHEMA mine")
        for connection in (by_token, by_password):
            connection.execute("USE mine")
        until(lambda: len(server.clients.sessions) == 0)
        for connection in (by_token, by_password):
            with pytest.raises(sqe.Error, match="USE and SET SESSION") as caught:
                connection.execute("SELECT current_schema")
            assert caught.value.code == "SESSION_EXPIRED"
            assert connection.execute("SELECT current_schema").fetchall() == [("default",)]


def test_a_password_without_a_user_is_sent(server: OpenServer) -> None:
    with sqe.connect(host="127.0.0.1", port=server.flight.port, password=KEYS["joe"]) as connection:
        assert connection.execute("SELECT current_user").fetchall() == [("joe",)]


@pytest.mark.parametrize("text", ["SELECT 1\0, 2", "", "SELECT '\ud800'"])
def test_a_text_that_cannot_be_sent_whole_is_refused_as_it_is_embedded(
    server: OpenServer, tmp_path: Path, text: str
) -> None:
    said = []
    with (
        sqe.connect(host="127.0.0.1", port=server.flight.port, token=KEYS["ann"]) as there,
        sqe.connect(warehouse=tmp_path) as here,
    ):
        for connection in (there, here):
            with pytest.raises(sqe.Error) as caught:
                connection.execute(text)
            said.append((caught.value.code, str(caught.value)))
    assert said[0] == said[1] and said[0][0] == "SYNTAX_ERROR"


FAILS_AMONG_ROWS = (
    "SELECT x, y, 1 / (x * 1000 + y - 10000300) FROM UNNEST(sequence(1, 10000)) a (x),"
    " UNNEST(sequence(1, 300)) b (y)"
)


def test_an_error_among_rows_is_that_of_the_statement(server: OpenServer) -> None:
    with sqe.connect(host="127.0.0.1", port=server.flight.port, token=KEYS["ann"]) as connection:
        for _ in range(3):
            with pytest.raises(sqe.Error, match="Division by zero") as caught:
                connection.execute(FAILS_AMONG_ROWS).fetchall()
            assert caught.value.code == "DIVISION_BY_ZERO"
            assert str(caught.value.position) == "1:14"


def test_rows_that_are_asked_for_after_the_statement_has_failed(
    server: OpenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has told whoever polled, and has forgotten the statement."""
    opened = RemoteStatement._opened

    def late(self: RemoteStatement, client: Client, reader: Any, partition: bytes) -> Any:
        assert self._answered.wait(30)
        return opened(self, client, reader, partition)

    monkeypatch.setattr(RemoteStatement, "_opened", late)
    with sqe.connect(host="127.0.0.1", port=server.flight.port, token=KEYS["ann"]) as connection:
        with pytest.raises(sqe.Error, match="Division by zero") as caught:
            connection.execute(FAILS_AMONG_ROWS).fetchall()
        assert caught.value.code == "DIVISION_BY_ZERO"


def test_threads_that_share_a_connection(server: OpenServer) -> None:
    """Also where the first poll has heard the last word already."""
    failed: list[BaseException] = []
    with sqe.connect(host="127.0.0.1", port=server.flight.port, token=KEYS["ann"]) as connection:

        def ask() -> None:
            try:
                for _ in range(5):
                    found = connection.execute("SELECT * FROM TABLE(sequence(1, 5000))").fetchall()
                    assert len(found) == 5000
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []


@pytest.mark.parametrize(
    "given",
    [
        {"host": "127.0.0.1:50051"},
        {"host": "http://localhost"},
        {"host": ""},
        {"host": "127.0.0.1", "port": 0},
        {"host": "127.0.0.1", "port": 70000},
        {"host": "127.0.0.1", "token": "a token\n"},
    ],
)
def test_what_is_no_address_is_refused_at_once(given: dict[str, Any]) -> None:
    with pytest.raises(sqe.Error) as caught:
        sqe.connect(**given)
    assert caught.value.code == "INVALID_ARGUMENT" or caught.value.hint
