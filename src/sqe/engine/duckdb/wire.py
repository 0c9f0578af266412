"""Frames between the coordinator and a child: one byte of kind, the length, and as many bytes.

The child imports this and nothing else of ours before its first statement.
"""

from __future__ import annotations

import json
import select
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

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
SMALL = 4096
_PIECE = 1 << 14

Wait = Callable[[int], None]
"""Returns as soon as the socket can be read (select.POLLIN) or written (POLLOUT), or raises."""


class Garbled(Exception):
    """What arrived is not a frame."""


class Gone(Exception):
    """The other side has closed, or died."""


def encode(kind: bytes, message: dict[str, Any]) -> tuple[bytes, bytes]:
    return kind, json.dumps(message).encode()


def decode(payload: bytearray) -> dict[str, Any]:
    try:
        message = json.loads(payload)
    except ValueError:
        raise Garbled from None
    if not isinstance(message, dict):
        raise Garbled
    return message


def send(
    sock: socket.socket, kind: bytes, payload: Any = b"", wait: Wait | None = None, *, before: bytes = b""
) -> None:
    """`payload` is anything that has bytes. With `wait` the socket does not block. `before` are small frames
    that go first."""
    view = memoryview(payload).cast("B")
    header = before + _HEADER.pack(_MARK, kind, len(view))
    # Small ones in one piece: one system call, one wake-up of the other side.
    parts = [memoryview(header + bytes(view))] if len(view) < SMALL else [memoryview(header), view]
    for part in parts:
        _send_all(sock, part, wait)


def small(kind: bytes, payload: Any) -> bytes | None:
    """The whole frame, if it may as well wait to go before another."""
    view = memoryview(payload).cast("B")
    return _HEADER.pack(_MARK, kind, len(view)) + bytes(view) if len(view) < SMALL else None


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


def receive(sock: socket.socket, kinds: bytes) -> tuple[bytes, bytearray]:
    """The next frame, which has to be of one of these kinds, and nothing after it."""
    kind, length = _opened(_receive_exactly(sock, _HEADER.size), kinds)
    return kind, _receive_exactly(sock, length)


class Frames:
    """All frames of one answer, from a socket that does not block. Taken in large pieces: in a server of many
    threads each system call gives the interpreter away."""

    def __init__(self, sock: socket.socket, wait: Wait) -> None:
        self._sock = sock
        self._wait = wait
        self._ahead = memoryview(b"")

    def next(self, kinds: bytes) -> tuple[bytes, bytearray]:
        """It has to be of one of these kinds."""
        kind, length = _opened(self._take(_HEADER.size), kinds)
        return kind, self._take(length)

    def _take(self, size: int) -> bytearray:
        data = bytearray(size)
        left = memoryview(data)
        while left:
            if not self._ahead and len(left) >= _PIECE:
                left = left[self._receive(partial(self._sock.recv_into, left)) :]
                continue
            if not self._ahead:
                self._ahead = memoryview(self._receive(partial(self._sock.recv, _PIECE)))
            count = min(len(left), len(self._ahead))
            left[:count] = self._ahead[:count]
            left, self._ahead = left[count:], self._ahead[count:]
        return data

    def _receive(self, attempt: Callable[[], T]) -> T:
        while True:
            try:
                received = attempt()
            except BlockingIOError:
                self._wait(select.POLLIN)
                continue
            except OSError:
                raise Gone from None
            if not received:
                raise Gone
            return received


def _opened(header: bytearray, kinds: bytes) -> tuple[bytes, int]:
    mark, kind, length = _HEADER.unpack(header)
    if mark != _MARK or kind not in kinds or length > MAX_FRAME:
        raise Garbled
    return kind, length


def _send_all(sock: socket.socket, view: memoryview, wait: Wait | None) -> None:
    while view:
        try:
            view = view[sock.send(view) :]
        except BlockingIOError:
            assert wait is not None
            wait(select.POLLOUT)
        except OSError:
            raise Gone from None


def _receive_exactly(sock: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        try:
            count = sock.recv_into(view)
        except OSError:
            raise Gone from None
        if not count:
            raise Gone
        view = view[count:]
    return data
