"""The rows of a result, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, Future

import pyarrow as pa

from sqe.doors.trino.json_columns import rows_as_json
from sqe.foundation.record import record
from sqe.results.result import Result
from sqe.types import sql_types as t

PAGE_BYTES = 1 << 20
"""A page is closed once it has this much."""
# Before anything is known of the rows: brackets and commas, and what a byte of Arrow becomes.
_PER_VALUE = 4
_GROWTH = 2.0


@record
class Rows:
    """`content` is the JSON of the rows without brackets around them. `last` if no more can come."""

    content: bytes
    first: int
    count: int
    last: bool


class RowReader:
    """Reads on from where it was. One reader at a time. While a client takes a page, the next is made by
    `threads`, if its rows are there."""

    def __init__(self, result: Result, types: Sequence[t.Type], *, precise: bool, threads: Executor) -> None:
        self._threads = threads
        self._ahead: Future[Rows] | None = None
        self._result = result
        self._types = types
        self._precise = precise
        self._part = 0
        self._batch: pa.RecordBatch | None = None
        self._offset = 0
        self._rows = 0
        self._bytes_per_row: float | None = None

    def read(self, seconds: float) -> Rows:
        """Waits that long for the first rows, and not for more of them. Raises what the statement failed
        with."""
        ahead, self._ahead = self._ahead, None
        rows = self._read(seconds) if ahead is None else ahead.result()
        if rows.count and (self._batch is not None or self._part < self._result.parts):
            self._ahead = self._threads.submit(self._read, 0)
        return rows

    def _read(self, seconds: float) -> Rows:
        first = self._rows
        pieces: list[bytes | memoryview] = []
        size = 0
        if self._batch is None:
            self._result.wait_beyond(self._part, seconds)
        while size < PAGE_BYTES and self._next_batch():
            piece = self._piece(PAGE_BYTES - size)
            pieces.append(piece)
            size += len(piece)
        is_last = self._batch is None and self._result.done and self._part >= self._result.parts
        if is_last:
            # What went wrong at the end is no shorter result.
            self._result.wait(0)
        return Rows(b",".join(pieces), first, self._rows - first, is_last)

    def _next_batch(self) -> bool:
        if self._batch is None and self._part < self._result.parts:
            self._batch = next(self._result.batches(self._part, self._part + 1))
            self._part, self._offset = self._part + 1, 0
        return self._batch is not None

    def _piece(self, room: int) -> memoryview:
        """As many rows of the batch as are likely to fit."""
        batch = self._batch
        assert batch is not None
        if self._bytes_per_row is None:
            self._bytes_per_row = _PER_VALUE * batch.num_columns + _GROWTH * batch.nbytes / batch.num_rows
        count = max(1, min(batch.num_rows - self._offset, int(room / self._bytes_per_row)))
        part = batch.slice(self._offset, count)
        piece = rows_as_json(part, self._types, precise=self._precise)
        self._bytes_per_row = max(1.0, len(piece) / count)
        self._rows += count
        self._offset += count
        if self._offset == batch.num_rows:
            self._batch = None
        return piece
