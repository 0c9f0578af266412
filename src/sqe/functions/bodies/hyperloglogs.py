"""HyperLogLog sketches: how many different values there are, about, in two kilobytes.

The bytes are Trino's: few values are kept as entries of 26 bits of their hash and the count of zeros after
them, many as the largest count of zeros in each of 4096 buckets. So what Trino has stored can be read.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.hashes import murmur3

_SPARSE, _DENSE = 2, 3
_BITS = 12
_PREFIX = 26
_VALUE_BITS = 32 - _PREFIX
_64 = (1 << 64) - 1
# What a nibble of a bucket holds at most; the rest is listed.
_MOST_DELTA = 15


def hash_of_bytes(data: bytes) -> int:
    """The first 64 bits of the MurmurHash3 of 128 bits."""
    return int.from_bytes(murmur3(data)[:8], "little")


def hash_of_number(value: int) -> int:
    return hash_of_bytes(struct.pack("<q", value))


def hash_of_double(value: float) -> int:
    # Java has one NaN.
    return hash_of_bytes(struct.pack("<d", math.nan if math.isnan(value) else value))


def entry(hashed: int) -> int:
    """A hash as it is kept among few."""
    rest = hashed << _PREFIX & _64
    zeros = 64 - _PREFIX if rest == 0 else 64 - rest.bit_length()
    return hashed >> (64 - _PREFIX) << _VALUE_BITS | zeros


def entry_of_text(value: str) -> int:
    return entry(hash_of_bytes(value.encode()))


def entry_of_number(value: int) -> int:
    return entry(hash_of_number(value))


def entry_of_double(value: float) -> int:
    return entry(hash_of_double(value))


def of_entries(entries: list[int | None]) -> bytes | None:
    """NULL of no entry."""
    present = [each for each in entries if each is not None]
    return sketch(present, _BITS) if present else None


def sketch(entries: Iterable[int], bits: int) -> bytes:
    """The same bytes whatever the order of the entries."""
    largest: dict[int, int] = {}
    for each in entries:
        bucket, zeros = each >> _VALUE_BITS, each & ((1 << _VALUE_BITS) - 1)
        largest[bucket] = max(largest.get(bucket, 0), zeros)
    kept = [bucket << _VALUE_BITS | zeros for bucket, zeros in sorted(largest.items())]
    if len(kept) < (1 << bits) // 8:
        return struct.pack(f"<BBH{len(kept)}I", _SPARSE, bits, len(kept), *kept)
    return _dense(_buckets(kept, bits), bits)


def _buckets(entries: Iterable[int], bits: int) -> list[int]:
    """The largest count of zeros in each bucket, and one."""
    buckets = [0] * (1 << bits)
    for each in entries:
        # The bits of the prefix that are no index; if all are zero, those after it count too.
        rest = each >> _VALUE_BITS & ((1 << (_PREFIX - bits)) - 1)
        zeros = _PREFIX - bits - rest.bit_length()
        if rest == 0:
            zeros += each & ((1 << _VALUE_BITS) - 1)
        bucket = each >> (32 - bits)
        buckets[bucket] = max(buckets[bucket], zeros + 1)
    return buckets


def _dense(buckets: list[int], bits: int) -> bytes:
    base = min(buckets)
    deltas = [value - base for value in buckets]
    nibbles = [min(delta, _MOST_DELTA) for delta in deltas]
    packed = bytes(high << 4 | low for high, low in zip(nibbles[::2], nibbles[1::2], strict=True))
    over = [(bucket, delta - _MOST_DELTA) for bucket, delta in enumerate(deltas) if delta > _MOST_DELTA]
    places, values = [bucket for bucket, _ in over], [value for _, value in over]
    head = struct.pack("<BBB", _DENSE, bits, base)
    return head + packed + struct.pack(f"<H{len(over)}H{len(over)}B", len(over), *places, *values)


def _read(data: bytes) -> tuple[int, list[int] | None, list[int]]:
    """The index's bits, the entries of few, or else the buckets of many."""
    try:
        form, bits = data[0], data[1]
        if form == _SPARSE:
            (count,) = struct.unpack_from("<H", data, 2)
            return bits, list(struct.unpack(f"<{count}I", data[4:])), []
        if form == _DENSE and bits <= 16:
            base, half = data[2], (1 << bits) // 2
            buckets = [base + nibble for byte in data[3 : 3 + half] for nibble in (byte >> 4, byte & 15)]
            (count,) = struct.unpack_from("<H", data, 3 + half)
            numbers = struct.unpack(f"<{count}H{count}B", data[5 + half :])
            for bucket, over in zip(numbers[:count], numbers[count:], strict=True):
                buckets[bucket] += over
            if len(buckets) == 1 << bits:
                return bits, None, buckets
    except (struct.error, IndexError):
        pass
    raise BodyError("INVALID_CAST_ARGUMENT", "the bytes are no HyperLogLog")


def merged(sketches: list[bytes | None]) -> bytes | None:
    read = [_read(each) for each in sketches if each is not None]
    if not read:
        return None
    bits = read[0][0]
    if any(other != bits for other, _, _ in read):
        raise BodyError(
            "INVALID_FUNCTION_ARGUMENT", "HyperLogLogs with different numbers of buckets cannot be merged"
        )
    if all(entries is not None for _, entries, _ in read):
        return sketch((each for _, entries, _ in read for each in entries or ()), bits)
    many = [buckets if entries is None else _buckets(entries, bits) for _, entries, buckets in read]
    return _dense([max(values) for values in zip(*many, strict=True)], bits)


def cardinality(data: bytes) -> int:
    bits, entries, buckets = _read(data)
    if entries is not None:
        return _counted(1 << _PREFIX, (1 << _PREFIX) - len(entries))
    count, empty = 1 << bits, buckets.count(0)
    if empty > 0.4 * count:
        return _counted(count, empty)
    raw = 0.7213 / (1 + 1.079 / count) * count * count / math.fsum(2.0**-value for value in buckets)
    return math.floor((raw if raw > 5 * count else _between(buckets, bits)) + 0.5)


def _counted(count: int, empty: int) -> int:
    """Linear counting: by how many buckets are empty."""
    return math.floor(count * math.log(count / empty) + 0.5)


def _between(buckets: list[int], bits: int) -> float:
    """Ertl's improved estimate (arXiv 1702.01284): the raw one would need a table of biases."""
    count, most = len(buckets), 64 - bits
    counts = [buckets.count(value) for value in range(most + 2)]
    z = count * _tau(1 - counts[most + 1] / count)
    for value in range(most, 0, -1):
        z = 0.5 * (z + counts[value])
    z += count * _sigma(counts[0] / count)
    return count * count / (2 * math.log(2) * z)


def _sigma(x: float) -> float:
    y, z, before = 1.0, x, -1.0
    while z != before:
        x, before = x * x, z
        z += x * y
        y += y
    return z


def _tau(x: float) -> float:
    if x in (0, 1):
        return 0.0
    y, z, before = 1.0, 1 - x, -1.0
    while z != before:
        x, before, y = math.sqrt(x), z, 0.5 * y
        z -= (1 - x) ** 2 * y
    return z / 3


def checked(data: bytes) -> bytes:
    """The same bytes, if they are a sketch: CAST asks once, and functions need not."""
    _read(data)
    return data
