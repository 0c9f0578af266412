"""Frames between the coordinator and a child: one byte of kind, the length, and as many bytes.

The child imports this and nothing else of ours before its first statement.
"""

from __future__ import annotations

import json
import select
import socket
import struct
from collections.abc import Callable
from typing import Any

# Coordinator to child.
HELLO = b"H"
RUN = b"R"
TABLE = b"T"
CANCEL = b"C"
# Child to coordinator.
SCHEMA = b"S"
BATCH = b"B"
PROGRESS = b"P"
FAILED = b"F"
END = b"E"

_MARK = b"sq"
_HEADER = struct.Struct("<2scQ")
# No batch is as large; a longer one means that the bytes are not what they should be.
MAX_FRAME = 1 << 32

Wait = Callable[[int], None]
"""Returns as soon as the socket can be read (select.POLLIN) or written (POLLOUT), or raises."""


class Garbled(Exception):
    """What arrived is not a frame."""


class Gone(Exception):
    """The other side has closed, or died."""


def say(kind: bytes, message: dict[str, Any]) -> tuple[bytes, bytes]:
    return kind, json.dumps(message).encode()


def heard(payload: bytearray) -> dict[str, Any]:
    try:
        message = json.loads(payload)
    except ValueError:
        raise Garbled from None
    if not isinstance(message, dict):
        raise Garbled
    return message


def send(sock: socket.socket, kind: bytes, payload: Any = b"", wait: Wait | None = None) -> None:
    """`payload` is anything that has bytes. With `wait` the socket does not block."""
    view = memoryview(payload).cast("B")
    header = memoryview(_HEADER.pack(_MARK, kind, len(view)))
    # A small frame in one piece: one system call, one wake-up of the other side.
    parts = [memoryview(bytes(header) + bytes(view))] if len(view) < 4096 else [header, view]
    for part in parts:
        _send_all(sock, part, wait)


def offer(sock: socket.socket, kind: bytes, payload: bytes) -> None:
    """A small frame, if there is room for it: the socket takes all of it or nothing."""
    frame = memoryview(_HEADER.pack(_MARK, kind, len(payload)) + payload)
    try:
        sent = sock.send(frame, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return
    except OSError:
        raise Gone from None
    _send_all(sock, frame[sent:], None)


def receive(sock: socket.socket, kinds: bytes, wait: Wait | None = None) -> tuple[bytes, bytearray]:
    """The next frame, which has to be of one of these kinds."""
    mark, kind, length = _HEADER.unpack(_receive_exactly(sock, _HEADER.size, wait))
    if mark != _MARK or kind not in kinds or length > MAX_FRAME:
        raise Garbled
    return kind, _receive_exactly(sock, length, wait)


def _send_all(sock: socket.socket, view: memoryview, wait: Wait | None) -> None:
    while view:
        try:
            view = view[sock.send(view) :]
        except BlockingIOError:
            assert wait is not None
            wait(select.POLLOUT)
        except OSError:
            raise Gone from None


def _receive_exactly(sock: socket.socket, size: int, wait: Wait | None) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        try:
            count = sock.recv_into(view)
        except BlockingIOError:
            assert wait is not None
            wait(select.POLLIN)
            continue
        except OSError:
            raise Gone from None
        if not count:
            raise Gone
        view = view[count:]
    return data
