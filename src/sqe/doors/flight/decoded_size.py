"""How large a batch of a client's becomes when it is decoded: found before anything of that size is made.

A few kilobytes can stand for gigabytes: compressed zeros, a thousand columns over the same bytes, many
references to one long text, a number of rows without any. Arrow would make them all.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

# Rows that take no bytes at all, as those of a column of type null.
FREE_ROWS = 1 << 20
# The fields that are read of Arrow's Message.fbs, by their places in the list of a table's fields.
_HEADER_TYPE, _HEADER, _BODY_LENGTH = 6, 8, 10
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_DATA = 6
_LENGTH, _BUFFERS, _COMPRESSION = 4, 8, 10


def declared_size(header: bytes, body: bytes) -> int:
    """Bytes of all buffers of an IPC message, as its sender declares them; ValueError if they cannot be, or
    if there are more rows than they could have."""
    with _readable():
        return _declared_size(header, body)


def padded_body(header: bytes, body: bytes) -> bytes:
    """As long as the header says, since Arrow would read on into the next message; ValueError if the sender
    did not send so much. Some leave out what only fills the last eight bytes."""
    with _readable():
        length = _message(header).number(_BODY_LENGTH, "Int64Flags")
    if not 0 <= length < len(body) + 8:
        raise ValueError("a body is shorter than its header says")
    return body if length == len(body) else body[:length].ljust(length, b"\0")


def decoded_size(column: pa.Array) -> int:
    """Bytes of a column with everything written out that it refers to more than once; no less. Its buffers
    are as large as they have to be; what is in them may be wrong yet."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return decoded_size(column.storage)
    if pt.is_dictionary(kind):
        return int(column.nbytes) + _dictionary_size(column.indices, column.dictionary)
    if pt.is_run_end_encoded(kind):
        return len(column) * decoded_size(column.values)
    if pt.is_string_view(kind) or pt.is_binary_view(kind):
        return len(column) * 16 + _view_bytes(column)
    if pt.is_list_view(kind) or pt.is_large_list_view(kind):
        return len(column) * decoded_size(column.values)
    if pt.is_map(kind):
        return len(column) * 4 + decoded_size(column.keys) + decoded_size(column.items)
    if pt.is_fixed_size_list(kind) or pt.is_list(kind) or pt.is_large_list(kind):
        return len(column) * 8 + decoded_size(column.values)
    if pt.is_union(kind) and kind.mode == "dense":
        return len(column) * (8 + sum(decoded_size(column.field(i)) for i in range(kind.num_fields)))
    if pt.is_struct(kind) or pt.is_union(kind):
        return len(column) * 8 + sum(decoded_size(column.field(i)) for i in range(kind.num_fields))
    return int(column.nbytes)


def _dictionary_size(indices: pa.Array, values: pa.Array) -> int:
    if pt.is_primitive(values.type) or pt.is_decimal(values.type):
        return len(indices) * 32
    if pt.is_string(values.type) or pt.is_binary(values.type) or pt.is_large_string(values.type):
        return int(pc.sum(pc.binary_length(values).take(indices).cast(pa.int64())).as_py() or 0)
    return len(indices) * decoded_size(values)


def _view_bytes(column: pa.Array) -> int:
    """Each view begins with the length of its text."""
    views = column.buffers()[1]
    if views is None or not len(column):
        return 0
    whole = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), column.offset + len(column), [None, views])
    lengths = pa.Array.from_buffers(pa.int32(), 4 * len(whole), [None, whole.buffers()[1]])
    firsts = pa.array(range(4 * column.offset, 4 * len(whole), 4), pa.int64())
    own = lengths.take(firsts).cast(pa.int64())
    if pc.min(own).as_py() < 0:
        raise ValueError("a view has no length")
    return int(pc.sum(own).as_py())


def _declared_size(header: bytes, body: bytes) -> int:
    message = _message(header)
    batch, kind = message.table(_HEADER), message.number(_HEADER_TYPE, "Uint8Flags")
    if batch is None or kind not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        return len(body)
    if kind == _DICTIONARY_BATCH:
        batch = batch.table(_DATA)
        if batch is None:
            return len(body)
    is_compressed = batch.table(_COMPRESSION) is not None
    total = 0
    for offset, length in batch.pairs(_BUFFERS):
        if offset < 0 or length < 0 or offset + length > len(body):
            raise ValueError("a buffer is outside of its message")
        if is_compressed and length >= 8:
            (size,) = struct.unpack_from("<q", body, offset)
            if size < -1:
                raise ValueError("a compressed buffer has no size")
            length = max(length, size)
        total += length
    rows = batch.number(_LENGTH, "Int64Flags")
    if rows < 0 or rows > 8 * total + FREE_ROWS:
        raise ValueError("there are more rows than bytes for them")
    return total


class _Table:
    """A table of FlatBuffers. The library looks at no schema and verifies nothing beforehand, but it reads
    nothing outside of its bytes; Arrow verifies the whole header before it decodes anything."""

    def __init__(self, data: bytes, position: int) -> None:
        # Importing it takes numpy, which a server that receives no rows does without.
        from flatbuffers import number_types
        from flatbuffers.table import Table

        self._types = number_types
        self._data = data
        self._table = Table(data, position)

    def number(self, field: int, kind: str) -> int:
        return int(self._table.GetSlot(field, 0, getattr(self._types, kind)))

    def table(self, field: int) -> _Table | None:
        place = self._table.Offset(field)
        return _Table(self._data, self._table.Indirect(self._table.Pos + place)) if place else None

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """A vector of structs, each of two numbers of 64 bits."""
        place = self._table.Offset(field)
        if not place:
            return []
        begin, count = self._table.Vector(place), self._table.VectorLen(place)
        if count * 16 > len(self._data):
            raise ValueError("there are more buffers than their list has")
        return list(struct.iter_unpack("<qq", self._data[begin : begin + 16 * count]))


def _message(header: bytes) -> _Table:
    return _Table(header, struct.unpack_from("<I", header, 0)[0])


@contextmanager
def _readable() -> Iterator[None]:
    """ValueError for places that are after the end of a header, or before its beginning."""
    try:
        yield
    except (struct.error, TypeError):
        raise ValueError("the header cannot be read") from None
