"""How large a batch of a client's becomes when it is decoded: found before anything of that size is made.

A few kilobytes can stand for gigabytes: compressed zeros, a thousand columns over the same bytes, many
references to one long text, a number of rows without any. Arrow would make them all.
"""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

# Rows that take no bytes at all, as those of a column of type null.
FREE_ROWS = 1 << 20
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3


def declared_size(header: bytes, body: bytes) -> int:
    """Bytes of all buffers of an IPC message, as its sender declares them; ValueError if they cannot be, or
    if there are more rows than they could have."""
    try:
        return _declared_size(header, body)
    except struct.error:
        raise ValueError("the header cannot be read") from None


def padded_body(header: bytes, body: bytes) -> bytes:
    """As long as the header says, since Arrow would read on into the next message; ValueError if the sender
    did not send so much. Some leave out what only fills the last eight bytes."""
    try:
        length = _scalar(header, _root(header), 3, "<q")
    except struct.error:
        raise ValueError("the header cannot be read") from None
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
    message = _root(header)
    batch, kind = _table(header, message, 2), _scalar(header, message, 1, "<B")
    if batch is None or kind not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        return len(body)
    if kind == _DICTIONARY_BATCH:
        batch = _table(header, batch, 1)
        if batch is None:
            return len(body)
    is_compressed = _table(header, batch, 3) is not None
    total = 0
    for offset, length in _buffers(header, batch):
        if offset < 0 or length < 0 or offset + length > len(body):
            raise ValueError("a buffer is outside of its message")
        if is_compressed and length >= 8:
            (size,) = struct.unpack_from("<q", body, offset)
            if size < -1:
                raise ValueError("a compressed buffer has no size")
            length = max(length, size)
        total += length
    rows = _scalar(header, batch, 0, "<q")
    if rows < 0 or rows > 8 * total + FREE_ROWS:
        raise ValueError("there are more rows than bytes for them")
    return total


# FlatBuffers are read by hand. Arrow's own reader says nothing of a message's buffers before it decodes them,
# and the library flatbuffers checks no bounds: a table of it may lie before its message, a vector beyond it.
# A table is the distance to its list of distances, of which each is that of one field, or 0.


def _root(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 0)[0])


def _field(data: bytes, table: int, number: int) -> int | None:
    distances = table - struct.unpack_from("<i", data, table)[0]
    if distances < 0:
        raise ValueError("a table is outside of its message")
    if 4 + 2 * number + 2 > struct.unpack_from("<H", data, distances)[0]:
        return None
    distance = struct.unpack_from("<H", data, distances + 4 + 2 * number)[0]
    return table + distance if distance else None


def _table(data: bytes, table: int, number: int) -> int | None:
    place = _field(data, table, number)
    return None if place is None else place + int(struct.unpack_from("<I", data, place)[0])


def _scalar(data: bytes, table: int, number: int, form: str) -> int:
    place = _field(data, table, number)
    return 0 if place is None else int(struct.unpack_from(form, data, place)[0])


def _buffers(data: bytes, batch: int) -> list[tuple[int, int]]:
    vector = _table(data, batch, 2)
    if vector is None:
        return []
    count = struct.unpack_from("<I", data, vector)[0]
    if count * 16 > len(data):
        raise ValueError("there are more buffers than their list has")
    return list(struct.iter_unpack("<qq", data[vector + 4 : vector + 4 + 16 * count]))
