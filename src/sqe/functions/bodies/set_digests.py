"""Set digests: a HyperLogLog beside the smallest hashes of a set, which tell what two sets have in common.

The bytes are Trino's."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.hyperloglogs import cardinality as estimated
from sqe.functions.bodies.hyperloglogs import entry, hash_of_bytes, hash_of_number, merged, sketch

_VERSION = 1
_BITS = 11
_MOST_HASHES = 8192
_MOST_COUNT = 32767


def hash_of_long(value: int) -> int:
    """Signed, as an engine has it."""
    return _signed(hash_of_number(value))


def hash_of_text(value: str) -> int:
    return _signed(hash_of_bytes(value.encode()))


def hash_of_binary(value: bytes) -> int:
    return _signed(hash_of_bytes(value))


def _signed(hashed: int) -> int:
    return hashed - (1 << 64) if hashed >> 63 else hashed


def of_hashes(hashes: list[int | None]) -> bytes | None:
    """NULL of none."""
    counts: dict[int, int] = {}
    for each in hashes:
        if each is not None:
            counts[each] = counts.get(each, 0) + 1
    if not counts:
        return None
    return _written(sketch((entry(each & ((1 << 64) - 1)) for each in counts), _BITS), counts)


def _written(log: bytes, counts: dict[int, int], most: int = _MOST_HASHES) -> bytes:
    smallest = sorted(counts)[:most]
    numbers = (min(counts[each], _MOST_COUNT) for each in smallest)
    size = len(smallest)
    tail = struct.pack(f"<ii{size}q{size}h", most, size, *smallest, *numbers)
    return struct.pack("<Bi", _VERSION, len(log)) + log + tail


def _read(data: bytes) -> tuple[bytes, dict[int, int], int]:
    try:
        version, length = struct.unpack_from("<Bi", data)
        most, size = struct.unpack_from("<ii", data, 5 + length)
        numbers = struct.unpack(f"<{size}q{size}h", data[13 + length :])
    except struct.error:
        version = length = size = most = 0
        numbers = ()
    if version != _VERSION:
        raise BodyError("INVALID_CAST_ARGUMENT", "the bytes are no SetDigest")
    return data[5 : 5 + length], dict(zip(numbers[:size], numbers[size:], strict=True)), most


def combined(digests: list[bytes | None]) -> bytes | None:
    read = [_read(each) for each in digests if each is not None]
    if not read:
        return None
    return _combined(read)


def _combined(read: Iterable[tuple[bytes, dict[int, int], int]]) -> bytes:
    counts: dict[int, int] = {}
    logs: list[bytes | None] = []
    sizes: list[int] = []
    for log, each, most in read:
        logs.append(log)
        sizes.append(most)
        for hashed, count in each.items():
            counts[hashed] = counts.get(hashed, 0) + count
    together = merged(logs)
    assert together is not None
    return _written(together, counts, min(sizes))


def cardinality(data: bytes) -> int:
    log, counts, most = _read(data)
    return len(counts) if len(counts) < most else estimated(log)


def jaccard_index(a: bytes, b: bytes) -> float:
    left, right = _read(a)[1], _read(b)[1]
    size = min(len(left), len(right))
    smallest = sorted(left.keys() | right.keys())[:size]
    return sum(each in left and each in right for each in smallest) / size


def intersection_cardinality(a: bytes, b: bytes) -> int:
    (_, left, most_left), (_, right, most_right) = _read(a), _read(b)
    if len(left) < most_left and len(right) < most_right:
        return len(left.keys() & right.keys())
    union = cardinality(_combined((_read(a), _read(b))))
    # As Java rounds. Of a set that is nearly within the other, its own size is the better estimate.
    return min(int(jaccard_index(a, b) * union + 0.5), cardinality(a), cardinality(b))


def hashes(data: bytes) -> list[int]:
    return list(_read(data)[1])


def counts(data: bytes) -> list[int]:
    return list(_read(data)[1].values())


def checked(data: bytes) -> bytes:
    """The same bytes, if they are a sketch: CAST asks once, and functions need not."""
    _read(data)
    return data
