"""Values for a prepared statement, as a client's Arrow stream has them."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.doors.flight import stream
from sqe.doors.flight.flight_pb2 import FlightData
from sqe.doors.flight.parameters import rows_of
from sqe.server.prepared import Prepared, Values

MOST_BYTES = 256 << 20


def bind(prepared: Prepared, first: FlightData, messages: Iterator[FlightData]) -> list[Values] | None:
    """The rows that were sent, which may be none; None where nothing was bound."""
    received = stream.Received(first, messages, largest=MOST_BYTES).batches()
    if received is None:
        return None
    schema, batches = received
    description = prepared.description
    expected = len(description.parameters)
    rows: list[Values] = []
    for batch in batches:
        prepared.check_number(batch.num_columns)
        prepared.check_rows(len(rows) + batch.num_rows)
        rows += rows_of([batch], description.parameters, writes=not description.returns_rows)
    if expected and len(schema):
        prepared.check_number(len(schema))
    # Drivers send an empty stream where there is nothing to bind.
    prepared.rows = rows if rows or (expected and len(schema)) else None
    return prepared.rows
