"""One statement on a server: polled until it is done, and read as soon as there are rows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import adbc_driver_manager as adbc
import pyarrow as pa
import pyarrow.flight as flight

from sqe.api.remote.failures import broken_off, failure_of, translated
from sqe.api.remote.type_names import fields_of
from sqe.errors import Cancelled, InternalError, NotSupported, SqeError, UserError
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.api.remote.client import Client
    from sqe.results.result import Result

_INCREMENTAL = "adbc.statement.exec.incremental"
_LAST_INFO = "adbc.flight.sql.statement.exec.last_flight_info"
# How often to check whether the first rows are there.
LOOK_SECONDS = 0.1
# A cancel may fall between two polls, where no call is there to be broken off: so it is polled again.
CANCEL_AGAIN = 3
CANCEL_SECONDS = 0.1
# Longer than the server lets a poll wait.
POLL_SECONDS = 10.0


class RemoteStatement:
    """Has what a Statement of this process has, as far as the server tells."""

    def __init__(self, text: str, parameters: pa.RecordBatch | None = None) -> None:
        self.text = text
        self.id: str | None = None
        self.kind = ""
        self.lane: str | None = None
        self.lane_reason: str | None = None
        self.engine_sql: str | None = None
        self.timings: dict[str, float] = {}
        self.warnings: list[str] = []
        self.updated: int | None = None
        self.result: Result | None = None
        self.error: SqeError | None = None
        self.cancelled = False
        self._parameters = parameters
        self._stage = "running"
        self._progress: tuple[int, int] | None = None
        self._rows = 0
        self._asking: Any = None
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self._answer: tuple[list[bytes], pa.Schema] | None = None
        self._failure: SqeError | None = None

    def run(self, client: Client) -> None:
        """Rows may still arrive when this returns."""
        try:
            with client.busy():
                self._run(client)
        except SqeError as error:
            self.error = error
            self.id = self.id or error.query_id
            raise

    def cancel(self) -> None:
        self.cancelled = True
        with self._lock:
            if self._asking is not None:
                self._asking.cancel()

    @property
    def progress(self) -> tuple[int, int] | None:
        self._read_status()
        return self._progress

    @property
    def stage(self) -> str:
        self._read_status()
        return self._stage

    def _run(self, client: Client) -> None:
        client.start(self._ask, client, name="sqe-remote-statement")
        early = None
        while early is None and not self._answered.wait(LOOK_SECONDS):
            info = self._read_status()
            # With endpoints it is the last answer, which `_ask` brings.
            if info is not None and self._rows and not info.endpoints:
                early = info
        if early is not None:
            partitions, schema = [_whole(early)], early.schema
        elif self._failure is not None:
            raise self._failure
        else:
            assert self._answer is not None
            partitions, schema = self._answer
        fields = fields_of(schema)
        batches = self._batches(client, partitions)
        if fields:
            self.result = client.spools.collect(batches, fields, user="", cancel=self.cancel)
        else:
            for _ in batches:  # the server forgets it when it was read
                pass

    def _ask(self, client: Client) -> None:
        """In a thread: until everything is there, however long that takes."""
        try:
            with client.cursor() as cursor:
                statement = cursor.adbc_statement
                try:
                    with translated(client.where):
                        statement.set_options(**{_INCREMENTAL: "true"})
                        statement.set_sql_query(self.text)
                        if self._parameters is not None:
                            statement.prepare()
                            statement.bind(self._parameters)
                    self._asking = statement
                    if self.cancelled:
                        raise Cancelled("the statement was cancelled")
                    partitions, schema, _ = self._poll(statement, client)
                    self._read_status()
                    self._answer = partitions, pa.schema(schema)
                finally:
                    with self._lock:
                        self._asking = None
        except SqeError as error:
            self._failure = error
        except Exception as error:
            self._failure = InternalError(f"a bug of ours: {type(error).__name__} while asking the server")
            self._failure.__cause__ = error
        finally:
            self._answered.set()

    def _poll(self, statement: Any, client: Client) -> tuple[list[bytes], Any, int]:
        try:
            return statement.execute_partitions()  # type: ignore[no-any-return]
        except adbc.Error as error:
            broken_off = self.cancelled and error.status_code == adbc.AdbcStatusCode.CANCELLED
            # Without an answer yet, polling again would be running it again.
            if broken_off and self._read_status() is not None:
                _make_sure(statement)
            raise failure_of(error, client.where) from None

    def _read_status(self) -> Any:
        """The latest that the server said, while it is still asked."""
        with self._lock:
            try:
                content = b"" if self._asking is None else self._asking.get_option_bytes(_LAST_INFO)
            except adbc.Error:
                content = b""
        if not content:
            return None
        info = flight.FlightInfo.deserialize(content)
        status = json.loads(info.app_metadata)
        self.id, self.kind = status["query_id"], status["update_type"]
        self.updated, self.lane = status["updated"], status["lane"]
        self.warnings, self._stage = status["warnings"], status["stage"]
        self.lane_reason, self.timings = status["lane_reason"], status["timings"]
        self._progress = (status["tasks_done"], status["tasks"]) if status["tasks"] else None
        self._rows = status["rows"]
        return info

    def _batches(self, client: Client, partitions: Sequence[bytes]) -> Iterator[pa.RecordBatch]:
        with client.busy():
            for partition in partitions:
                with translated(client.where), client.reader() as reader:
                    batches = self._opened(client, reader, partition)
                    while (batch := self._next(batches)) is not None:
                        if self.cancelled:
                            raise Cancelled("the statement was cancelled")
                        yield batch

    def _opened(self, client: Client, reader: Any, partition: bytes) -> Iterator[pa.RecordBatch]:
        try:
            reader.adbc_read_partition(partition)
            return iter(reader.fetch_record_batch())
        except adbc.Error as error:
            raise self._reason() or failure_of(error, client.where) from None

    def _next(self, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
        try:
            return next(batches, None)
        except (OSError, pa.ArrowException) as error:
            raise self._reason() or broken_off(error) from None

    def _reason(self) -> SqeError | None:
        """Why there are no more rows. The driver says no more than that there are none, or that the statement
        is gone; rows that break off are those of a statement that still ran, and whoever polls it is told."""
        return self._failure if self._answered.wait(POLL_SECONDS) else None


def _whole(info: flight.FlightInfo) -> bytes:
    """All rows, also those that are still to come. The command to poll with is also the ticket."""
    endpoint = flight.FlightEndpoint(info.descriptor.command, [])
    return flight.FlightInfo(info.schema, info.descriptor, [endpoint], -1, -1).serialize()  # type: ignore[no-any-return]


def _make_sure(statement: Any) -> None:
    """Until the server says that there is no such statement."""
    for _ in range(CANCEL_AGAIN):
        timer = threading.Timer(CANCEL_SECONDS, statement.cancel)
        timer.start()
        try:
            statement.execute_partitions()
            return
        except adbc.Error as error:
            if error.status_code != adbc.AdbcStatusCode.CANCELLED:
                return
        finally:
            timer.cancel()
            timer.join()


def parameters_of(values: Sequence[object], types: Sequence[Any], *, rows: int) -> pa.RecordBatch | None:
    """As one batch of `rows` rows; None where there are none."""
    if not values:
        return None
    from sqe.api.remote.parameters import batch_of

    if len(values) % rows:
        raise UserError("the rows are of different lengths", code="INVALID_PARAMETER_USAGE")
    width = len(values) // rows
    for number, kind in enumerate(types):
        if t.has(kind, t.ConstantTime):
            raise NotSupported(
                f"parameter {number % width + 1}: Arrow has no time with a time zone",
                hint="write it into the statement, as TIME '01:02:03 +05:30'",
            )
    slices = [slice(start, start + width) for start in range(0, len(values), width)]
    return batch_of([values[part] for part in slices], [types[part] for part in slices])
