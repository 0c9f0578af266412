"""Streams of FlightData: what is sent to clients, and what they send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from sqe.doors.flight.decoded_size import declared_size, decoded_size, padded_body
from sqe.doors.flight.flight_pb2 import FlightData
from sqe.errors import InvalidArgument, LimitExceeded
from sqe.results.frames import frame, message_start

# What one message of a client's may become.
LARGEST_BATCH = 1 << 30


def schema_bytes(schema: pa.Schema) -> bytes:
    """As FlightInfo and SchemaResult have it."""
    return bytes(schema.serialize())


def frames(schema: pa.Schema, batches: Iterable[bytes]) -> Iterator[bytes]:
    """A whole stream: its schema, then each batch as one FlightData."""
    yield frame(schema.serialize())
    yield from batches


def table_frames(table: pa.Table) -> Iterator[bytes]:
    return frames(table.schema, (frame(batch.serialize()) for batch in table.to_batches()))


def compressed(batches: Iterable[pa.RecordBatch], schema: pa.Schema, codec: str) -> Iterator[bytes]:
    """Batches with compressed buffers."""
    options = pa.ipc.IpcWriteOptions(compression=codec)
    # A stream begins with the schema, which is written with the first batch and not before.
    skipped = schema.serialize().size
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema, options=options) as writer:
            writer.write_batch(batch)
            end = sink.tell()
        yield frame(sink.getvalue()[skipped:end])


class Received:
    """The Arrow stream that a client puts. Dictionaries and compression are Arrow's own business, so that
    its bytes are given to Arrow's reader as they would stand in a file."""

    def __init__(
        self, first: FlightData, rest: Iterator[FlightData], *, largest: int | None = None, limit: str = ""
    ) -> None:
        """`limit` is the name of the setting that says how large the whole may be."""
        self._messages = _chain(first, rest)
        self._limit = f" ({limit})" if limit else ""
        self._left = memoryview(b"")
        self._largest = largest
        self.bytes = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        pieces: list[memoryview] = []
        while size:
            if not self._left:
                self._left = memoryview(self._next())
                if not self._left:
                    break
            piece = self._left if size < 0 else self._left[:size]
            self._left = self._left[len(piece) :]
            pieces.append(piece)
            if size > 0:
                size -= len(piece)
        return b"".join(pieces)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def batches(self) -> tuple[pa.Schema, Iterator[pa.RecordBatch]] | None:
        """None where the client sent no schema."""
        try:
            reader = pa.ipc.open_stream(pa.PythonFile(self, mode="r"))
        except pa.ArrowInvalid:
            if not self.bytes:
                return None
            raise _not_arrow() from None
        except (pa.ArrowException, OSError, ValueError):
            raise _not_arrow() from None
        most = LARGEST_BATCH if self._largest is None else min(LARGEST_BATCH, self._largest)
        return _checked_schema(reader), _checked(reader, most)

    def _next(self) -> bytes:
        for message in self._messages:
            header = message.data_header
            if not header:
                continue
            padded = header + bytes(-len(header) % 8)
            try:
                body = padded_body(header, message.data_body)
                size = declared_size(header, body)
            except ValueError:
                raise _not_arrow() from None
            if size > LARGEST_BATCH:
                raise _too_large(LARGEST_BATCH)
            self.bytes += size + len(padded)
            if self._largest is not None and self.bytes > self._largest:
                raise LimitExceeded(
                    f"the stream is larger than {self._largest} bytes{self._limit}",
                    code="EXCEEDED_STREAM_SIZE",
                    hint="send less at a time",
                )
            return b"".join((message_start(len(padded)), padded, body))
        return b""


def _chain(first: FlightData, rest: Iterator[FlightData]) -> Iterator[FlightData]:
    yield first
    yield from rest


def _checked(reader: Any, most: int) -> Iterator[pa.RecordBatch]:
    """Whatever a client says of its buffers is checked before anything reads them."""
    while True:
        try:
            batch = reader.read_next_batch()
            batch.validate()
            # Before each value is looked at: a few may be very many.
            size = sum(map(decoded_size, batch.columns))
            if size <= most:
                batch.validate(full=True)
        except StopIteration:
            return
        except (pa.ArrowException, ValueError, OSError, KeyError):
            raise _not_arrow() from None
        if size > most:
            raise _too_large(most)
        yield batch


def _checked_schema(reader: Any) -> pa.Schema:
    """The schema, if its names are text, and its types some that can be spoken of."""
    try:
        schema = reader.schema
        for field in schema:
            _decode_names(field.name, field.type)
    except (pa.ArrowException, ValueError, KeyError):
        raise _not_arrow() from None
    return schema


def _decode_names(name: str, kind: pa.DataType) -> None:
    """Arrow decodes names when they are asked for, and not before."""
    if pt.is_timestamp(kind):
        str(kind.tz)
    elif pt.is_dictionary(kind):
        _decode_names(name, kind.value_type)
    elif isinstance(kind, pa.BaseExtensionType):
        _decode_names(name, kind.storage_type)
    for number in range(kind.num_fields):
        _decode_names(kind.field(number).name, kind.field(number).type)


def _too_large(most: int) -> LimitExceeded:
    return LimitExceeded(
        f"one batch has more than {most} bytes when it is written out",
        code="EXCEEDED_BATCH_SIZE",
        hint="send smaller batches",
    )


def _not_arrow() -> InvalidArgument:
    return InvalidArgument("what was sent is not a stream of Arrow batches")
