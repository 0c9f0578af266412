"""Sketches say about what is true, and the same in whatever order and parts values come."""

from __future__ import annotations

import random

import pytest

from sqe.functions.bodies import hyperloglogs, set_digests, tdigests
from sqe.functions.bodies.arrow import BodyError

# Of 4096 buckets, 1.04 / sqrt(4096); an estimate is within three of it nearly always.
ERROR = 0.01625
SIZES = [0, 1, 500, 511, 512, 2000, 3500, 4500, 8000, 15000, 20000, 25000, 60000]


@pytest.mark.parametrize("size", SIZES)
def test_how_many_different_values_there_are(size: int) -> None:
    log = hyperloglogs.sketch([hyperloglogs.entry_of_number(n) for n in range(size)], 12)
    assert abs(hyperloglogs.cardinality(log) - size) <= 3 * ERROR * size


def parts(count: int, sizes: int) -> list[list[int]]:
    chance = random.Random(count)
    return [[chance.randrange(10**6) for _ in range(chance.randrange(1, sizes))] for _ in range(count)]


@pytest.mark.parametrize("sizes", [20, 400, 3000])
def test_merging_parts_is_making_one_of_all(sizes: int) -> None:
    split = parts(6, sizes)
    logs = [hyperloglogs.of_entries([hyperloglogs.entry_of_number(n) for n in part]) for part in split]
    digests = [set_digests.of_hashes([set_digests.hash_of_long(n) for n in part]) for part in split]
    whole = [n for part in split for n in part]
    random.Random(1).shuffle(whole)
    log = hyperloglogs.of_entries([hyperloglogs.entry_of_number(n) for n in whole])
    digest = set_digests.of_hashes([set_digests.hash_of_long(n) for n in whole])
    assert hyperloglogs.merged([*logs, None]) == log
    assert hyperloglogs.merged([hyperloglogs.merged(logs[:2]), hyperloglogs.merged(logs[2:])]) == log
    assert set_digests.combined(digests) == digest
    assert set_digests.combined([*reversed(digests)]) == digest


def test_what_two_sets_have_in_common() -> None:
    hashes = [set_digests.hash_of_long(n) for n in range(30000)]
    first, second = set_digests.of_hashes([*hashes[:20000]]), set_digests.of_hashes([*hashes[10000:]])
    assert first is not None and second is not None
    assert set_digests.jaccard_index(first, second) == pytest.approx(1 / 3, abs=0.02)
    assert set_digests.intersection_cardinality(first, second) == pytest.approx(10000, rel=0.1)


@pytest.mark.parametrize("size", [1, 2, 10, 1000, 50000])
def test_where_values_lie(size: int) -> None:
    values = [float(n) for n in range(size)]
    shuffled = random.Random(2).sample(values, size)
    digest = tdigests.of_values([*shuffled])
    assert digest is not None and digest == tdigests.of_values([*values])
    assert len(digest) < 2000
    for quantile in (0.0, 0.001, 0.1, 0.5, 0.9, 0.999, 1.0):
        assert abs(tdigests.value(digest, quantile) - quantile * size) <= max(1, 0.01 * size)
    merged = tdigests.merged(
        [tdigests.of_values([*shuffled[: size // 2]]), tdigests.of_values([*shuffled[size // 2 :]])]
    )
    assert merged is not None
    assert abs(tdigests.value(merged, 0.5) - size / 2) <= max(1, 0.02 * size)


@pytest.mark.parametrize("kind", [hyperloglogs, set_digests, tdigests])
@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\x02", b"\x03\x0c", b"\x02\x0c\x01\x00", b"\x01" * 40, b"\xff" * 99]
)
def test_other_bytes_are_no_sketch(kind: object, data: bytes) -> None:
    with pytest.raises(BodyError, match="INVALID_CAST_ARGUMENT"):
        kind.checked(data)  # type: ignore[attr-defined]
