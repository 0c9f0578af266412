"""t-digests (Dunning and Ertl): values in clusters that are small at both ends, where quantiles are exact.

The bytes are Trino's. All values of a group are sorted before they are put into clusters, so that the digest
does not depend on the order in which they come.
"""

from __future__ import annotations

import itertools
import math
import struct

from sqe.functions.bodies.arrow import BodyError

_VERSION = 0
_COMPRESSION = 100.0
_HEAD = "<Bddddi"
# The smallest value, the largest, and clusters: a mean with a weight.
_Clusters = list[tuple[float, float]]


def _invalid(message: str) -> BodyError:
    return BodyError("INVALID_FUNCTION_ARGUMENT", message)


def of_values(values: list[float | None]) -> bytes | None:
    return _of([(value, 1.0) for value in values if value is not None])


def of_weighted(pairs: list[list[float] | None]) -> bytes | None:
    """Of values with their weights."""
    present = [(pair[0], pair[1]) for pair in pairs if pair is not None]
    for _, weight in present:
        if not math.isfinite(weight):
            raise _invalid("weight must be finite")
        if weight < 1:
            raise _invalid("weight must be >= 1")
    return _of(present)


def _order(cluster: tuple[float, float]) -> tuple[float, float, float]:
    """-0.0 is before 0.0, so that no order of the rows shows."""
    return cluster[0], math.copysign(1, cluster[0]), cluster[1]


def _of(clusters: _Clusters) -> bytes | None:
    if not clusters:
        return None
    if not all(math.isfinite(value) for value, _ in clusters):
        raise _invalid("a t-digest has no NaN and no infinity")
    low, high = min(clusters, key=_order)[0], max(clusters, key=_order)[0]
    return _written(low, high, _COMPRESSION, clusters)


def _written(low: float, high: float, compression: float, clusters: _Clusters) -> bytes:
    total = math.fsum(weight for _, weight in clusters)
    kept = _compressed(clusters, compression, total)
    means, weights = [mean for mean, _ in kept], [weight for _, weight in kept]
    head = struct.pack(_HEAD, _VERSION, low, high, compression, total, len(kept))
    return head + struct.pack(f"<{2 * len(kept)}d", *means, *weights)


def _compressed(clusters: _Clusters, compression: float, total: float) -> _Clusters:
    """Neighbours become one, as long as their share is small for the quantile where they are."""
    normalizer = compression / (4 * math.log(total / compression) + 24)

    def most(quantile: float) -> float:
        return total * quantile * (1 - quantile) / normalizer

    (mean, weight), *rest = sorted(clusters, key=_order)
    kept: _Clusters = []
    before = 0.0
    for value, added in rest:
        together = weight + added
        if together <= min(most(before / total), most(min((before + together) / total, 1))):
            mean += (value - mean) * added / together
            weight = together
        else:
            kept.append((mean, weight))
            before += weight
            mean, weight = value, added
    return [*kept, (mean, weight)]


def _read(data: bytes) -> tuple[float, float, float, float, _Clusters]:
    try:
        version, low, high, compression, total, count = struct.unpack_from(_HEAD, data)
        numbers = struct.unpack(f"<{2 * count}d", data[struct.calcsize(_HEAD) :])
    except struct.error:
        version, low, high, compression, total, count, numbers = -1, 0.0, 0.0, 0.0, 0.0, 0, ()
    if version != _VERSION or not count:
        raise BodyError("INVALID_CAST_ARGUMENT", "the bytes are no t-digest")
    return low, high, compression, total, list(zip(numbers[:count], numbers[count:], strict=True))


def merged(digests: list[bytes | None]) -> bytes | None:
    read = [_read(each) for each in digests if each is not None]
    if not read:
        return None
    low = min(((each[0], 1.0) for each in read), key=_order)[0]
    high = max(((each[1], 1.0) for each in read), key=_order)[0]
    clusters = [cluster for each in read for cluster in each[4]]
    return _written(low, high, max(each[2] for each in read), clusters)


def value(data: bytes, quantile: float) -> float:
    return values(data, [quantile])[0]


def values(data: bytes, quantiles: list[float | None]) -> list[float]:
    wanted = [quantile for quantile in quantiles if quantile is not None]
    if len(wanted) < len(quantiles):
        raise _invalid("a quantile is NULL")
    if wanted != sorted(wanted):
        raise _invalid("percentiles must be sorted in increasing order")
    if not all(0 <= quantile <= 1 for quantile in wanted):
        raise _invalid("quantiles should be in [0, 1] range")
    low, high, _, total, clusters = _read(data)
    return [_at(quantile * total, low, high, total, clusters) for quantile in wanted]


def _at(rank: float, low: float, high: float, total: float, clusters: _Clusters) -> float:
    """The value at a place among all: a cluster of one is that value, between others lines are drawn."""
    first, last = clusters[0], clusters[-1]
    if len(clusters) == 1:
        return first[0]
    if rank < 1:
        return low
    if rank < first[1] / 2:
        return low + (rank - 1) / (first[1] / 2 - 1) * (first[0] - low)
    before = first[1] / 2
    for (mean, weight), (next_mean, next_weight) in itertools.pairwise(clusters):
        width = (weight + next_weight) / 2
        if rank < total - 1 and before + width > rank:
            into = rank - before
            if weight == 1 and into < 0.5:
                return mean
            if next_weight == 1 and into >= weight / 2:
                return next_mean
            if weight == 1:
                into, width = into - 0.5, next_weight / 2
            elif next_weight == 1:
                width = weight / 2
            return mean + into / width * (next_mean - mean)
        before += width
    if rank <= total - 1 and last[1] / 2 > 1:
        return high + (total - rank - 1) / (last[1] / 2 - 1) * (last[0] - high)
    return high


def checked(data: bytes) -> bytes:
    """The same bytes, if they are a sketch: CAST asks once, and functions need not."""
    _read(data)
    return data
