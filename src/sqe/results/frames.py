"""Record batches as FlightData of Arrow Flight, assembled by hand: protobuf would copy each once more.

Spool files hold them in this form, so that what is read from one is sent as it is.
"""

from __future__ import annotations

import pyarrow as pa

# Of a message in Arrow's stream format: a mark and the length of its header.
_START = 8
_MARK = b"\xff\xff\xff\xff"
_HEADER = b"\x12"  # field 2, bytes
_BODY = b"\xc2\x3e"  # field 1000, bytes
Pieces = tuple[bytes, memoryview, bytes, memoryview]
"""Field and length of the header, the header, field and length of the body, the body."""


def pieces(message: pa.Buffer) -> Pieces:
    """The parts of the FlightData of a message in Arrow's stream format, none of them copied."""
    view = memoryview(message)
    length = int.from_bytes(view[4:_START], "little")
    header, body = view[_START : _START + length], view[_START + length :]
    return (
        _HEADER + _varint(length),
        header,
        _BODY + _varint(len(body)) if len(body) else b"",
        body,
    )


def frame(message: pa.Buffer) -> bytes:
    return b"".join(pieces(message))


def message_start(header: int) -> bytes:
    """The bytes before a header of this length in Arrow's stream format."""
    return _MARK + header.to_bytes(4, "little")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
