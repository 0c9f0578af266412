"""FlightData, put together and taken apart by hand: protobuf would copy every batch once more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from sqe.doors.flight.flight_pb2 import FlightData
from sqe.errors import InvalidArgument

_HEADER = b"\x12"  # field 2, bytes
_BODY = b"\xc2\x3e"  # field 1000, bytes
# Of a message in Arrow's stream format: a mark and the length of its header.
_PREFIX = 8
_MARK = b"\xff\xff\xff\xff"


def schema_bytes(schema: pa.Schema) -> bytes:
    """As FlightInfo and SchemaResult have it."""
    return bytes(schema.serialize())


def frames(schema: pa.Schema, messages: Iterable[memoryview]) -> Iterator[bytes]:
    """A whole stream: its schema, then each message as one FlightData."""
    yield _frame(memoryview(schema.serialize()))
    for message in messages:
        frame = _frame(message)
        # Released before the next: it may be a page of a file that is about to be closed.
        message.release()
        yield frame


def table_frames(table: pa.Table) -> Iterator[bytes]:
    batches = table.to_batches()
    return frames(table.schema, (memoryview(batch.serialize()) for batch in batches))


def compressed(messages: Iterable[memoryview], schema: pa.Schema, codec: str) -> Iterator[memoryview]:
    """The same batches with compressed buffers."""
    options = pa.ipc.IpcWriteOptions(compression=codec)
    for message in messages:
        batch = pa.ipc.read_record_batch(pa.py_buffer(bytes(message)), schema)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema, options=options) as writer:
            skipped = sink.tell()
            writer.write_batch(batch)
            end = sink.tell()
        yield memoryview(sink.getvalue())[skipped:end]


def _frame(message: memoryview) -> bytes:
    length = int.from_bytes(message[4:_PREFIX], "little")
    with message[_PREFIX : _PREFIX + length] as header, message[_PREFIX + length :] as body:
        if not len(body):
            return b"".join((_HEADER, _varint(length), header))
        return b"".join((_HEADER, _varint(length), header, _BODY, _varint(len(body)), body))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


class Received:
    """The Arrow stream that a client puts. Dictionaries and compression are Arrow's own business, so that
    its bytes are given to Arrow's reader as they would stand in a file."""

    def __init__(self, first: FlightData, rest: Iterator[FlightData], *, largest: int | None = None) -> None:
        self._messages = _chain(first, rest)
        self._left = memoryview(b"")
        self._largest = largest
        self.bytes = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        taken: list[memoryview] = []
        while size:
            if not self._left:
                self._left = memoryview(self._next())
                if not self._left:
                    break
            piece = self._left if size < 0 else self._left[:size]
            self._left = self._left[len(piece) :]
            taken.append(piece)
            if size > 0:
                size -= len(piece)
        return b"".join(taken)

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
        return reader.schema, _checked(reader)

    def _next(self) -> bytes:
        for message in self._messages:
            header = message.data_header
            if not header:
                continue
            padded = header + bytes(-len(header) % 8)
            self.bytes += len(message.data_body) + len(padded)
            if self._largest is not None and self.bytes > self._largest:
                raise InvalidArgument(
                    f"the stream is larger than {self._largest} bytes (coordinator.max_ingest_size)",
                    code="EXCEEDED_SPILL_LIMIT",
                )
            return b"".join((_MARK, len(padded).to_bytes(4, "little"), padded, message.data_body))
        return b""


def _chain(first: FlightData, rest: Iterator[FlightData]) -> Iterator[FlightData]:
    yield first
    yield from rest


def _checked(reader: Any) -> Iterator[pa.RecordBatch]:
    """Whatever a client says of its buffers is checked before anything reads them."""
    while True:
        try:
            batch = reader.read_next_batch()
            batch.validate(full=True)
        except StopIteration:
            return
        except (pa.ArrowException, ValueError, OSError):
            raise _not_arrow() from None
        yield batch


def _not_arrow() -> InvalidArgument:
    return InvalidArgument("what was sent is not a stream of Arrow batches")
