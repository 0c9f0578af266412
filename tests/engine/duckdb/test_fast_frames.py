"""Frames of an answer arrive in pieces of any size."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator

import pytest

from sqe.engine.duckdb import wire

KINDS = wire.SCHEMA + wire.BATCH + wire.END


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    here.setblocking(False)
    yield here, there
    here.close()
    there.close()


def _frames(sock: socket.socket) -> tuple[wire.Frames, list[int]]:
    waits: list[int] = []

    def wait(event: int) -> None:
        waits.append(event)
        poll = select.poll()
        poll.register(sock, event)
        assert poll.poll(10_000)

    return wire.Frames(sock, wait), waits


def test_small_frames_that_were_held_arrive_at_once(ends: tuple[socket.socket, socket.socket]) -> None:
    here, there = ends
    frames, waits = _frames(here)
    held = wire.small(wire.SCHEMA, b"s" * 100)
    more = wire.small(wire.BATCH, b"b" * 4000)
    assert held is not None and more is not None
    wire.send(there, wire.END, b"{}", before=held + more)
    got = [frames.next(KINDS) for _ in range(3)]
    assert [(kind, bytes(body)) for kind, body in got] == [
        (wire.SCHEMA, b"s" * 100),
        (wire.BATCH, b"b" * 4000),
        (wire.END, b"{}"),
    ]
    assert not waits


def test_a_large_frame_is_not_held() -> None:
    assert wire.small(wire.BATCH, bytes(wire.SMALL)) is None


@pytest.mark.parametrize("piece", [1, 7, 16384, 1 << 20])
def test_frames_in_pieces(ends: tuple[socket.socket, socket.socket], piece: int) -> None:
    here, there = ends
    frames, _ = _frames(here)
    sizes = [0, 1, 10, 5000, 16383, 16384, 16385, 70_000 if piece < 1000 else 3_000_000]
    whole = b"".join(_bytes_of(wire.BATCH, bytes([number]) * size) for number, size in enumerate(sizes))

    def send() -> None:
        for start in range(0, len(whole), piece):
            there.sendall(whole[start : start + piece])

    sender = threading.Thread(target=send)
    sender.start()
    for number, size in enumerate(sizes):
        kind, body = frames.next(KINDS)
        assert (kind, bytes(body)) == (wire.BATCH, bytes([number]) * size)
    sender.join()


def test_what_is_no_frame_is_refused(ends: tuple[socket.socket, socket.socket]) -> None:
    here, there = ends
    there.sendall(b"x" * 100)
    with pytest.raises(wire.Garbled):
        _frames(here)[0].next(KINDS)


def test_another_kind_is_refused(ends: tuple[socket.socket, socket.socket]) -> None:
    here, there = ends
    wire.send(there, wire.RUN, b"{}")
    with pytest.raises(wire.Garbled):
        _frames(here)[0].next(KINDS)


def test_an_end_in_the_middle_is_heard(ends: tuple[socket.socket, socket.socket]) -> None:
    here, there = ends
    there.sendall(_bytes_of(wire.BATCH, b"rows")[:-1])
    there.close()
    with pytest.raises(wire.Gone):
        _frames(here)[0].next(KINDS)


def _bytes_of(kind: bytes, payload: bytes) -> bytes:
    class Taken:
        data = b""

        def send(self, part: memoryview) -> int:
            self.data += part
            return len(part)

    taken = Taken()
    wire.send(taken, kind, payload)  # type: ignore[arg-type]
    return taken.data
