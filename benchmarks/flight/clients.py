"""Drivers that ask small statements: what each of them sends is part of what a statement costs."""

from __future__ import annotations

from typing import Any, Protocol

from benchmarks.flight.served import KEY, USER, Served


class Client(Protocol):
    """One session, logged in by a handshake. `calls` is how many a statement takes."""

    name: str
    calls: int

    def __init__(self, served: Served) -> None: ...

    def ask(self, sql: str) -> list[object]:
        """The only column of the answer."""

    def nothing(self) -> None:
        """As many calls as a statement takes, of the emptiest handler."""

    def close(self) -> None: ...


class Adbc:
    """CreatePreparedStatement, GetFlightInfo, DoGet, ClosePreparedStatement."""

    name = "ADBC"
    calls = 4
    _OPTIONS = "adbc.flight.sql.session.options"

    def __init__(self, served: Served) -> None:
        self._connection = served.connect()

    def ask(self, sql: str) -> list[object]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return [row[0] for row in cursor.fetchall()]

    def nothing(self) -> None:
        for _ in range(self.calls):
            self._connection.adbc_connection.get_option(self._OPTIONS)

    def close(self) -> None:
        self._connection.close()


class Pyarrow:
    """GetFlightInfo and DoGet."""

    name = "pyarrow.flight"
    calls = 2

    def __init__(self, served: Served) -> None:
        self._client, self._options = log_in(served.uri)

    def ask(self, sql: str) -> list[object]:
        info = start(self._client, self._options, sql)
        table = self._client.do_get(info.endpoints[0].ticket, self._options).read_all()
        return list(table.column(0).to_pylist())

    def nothing(self) -> None:
        for _ in range(self.calls):
            list(self._client.do_action(("GetSessionOptions", b""), self._options))

    def close(self) -> None:
        self._client.close()


def log_in(uri: str) -> tuple[Any, Any]:
    """pyarrow's client, and the options that say who calls."""
    import pyarrow.flight as flight

    client = flight.connect(uri)
    header = client.authenticate_basic_token(USER, KEY)
    return client, flight.FlightCallOptions(headers=[header])


def start(client: Any, options: Any, sql: str) -> Any:
    from sqe.doors.flight.flight_sql_pb2 import CommandStatementQuery
    from sqe.doors.flight.messages import pack

    return client.get_flight_info(descriptor(pack(CommandStatementQuery(query=sql))), options)


def descriptor(command: bytes) -> Any:
    import pyarrow.flight as flight

    return flight.FlightDescriptor.for_command(command)
