"""Results that may be read more than once, and in several parts."""

from __future__ import annotations

import itertools
import math

from sqe.errors import NotFound
from sqe.server.running_statements import RunningStatement

# Results larger than this are handed out in several parts, if their rows are in no order.
PART_BYTES = 256 << 20
MOST_PARTS = 4

# The first batch of a part, and the first one after it.
Part = tuple[int, int]


def keep_if_large(running: RunningStatement) -> None:
    """When a client is told of a result: what is in memory, and whole, is handed out once; and so is what is
    being read already. The rest may be read again."""
    result = running.result
    is_whole = result is not None and result.done
    if result is not None and (not is_whole or result.spooled) and not running.readers:
        running.lasting = True


def parts_of(running: RunningStatement) -> list[Part] | None:
    """Parts that are worth reading at the same time; None where it is best read at once."""
    result = running.result
    if not running.lasting or result is None or not result.done or not result.spooled:
        return None
    if running.statement.ordered:
        return None
    count = min(MOST_PARTS, math.ceil(result.bytes / PART_BYTES), max(result.parts, 1))
    if count == 1:
        return None
    return list(itertools.pairwise(result.parts * number // count for number in range(count + 1)))


def check_part(running: RunningStatement, part: Part) -> None:
    """Parts are announced once all rows are there; any other is an invention. NotFound."""
    first, last = part
    batches = running.result.parts if running.done and running.result is not None else 0
    if not 0 <= first < last <= batches:
        raise no_such_part()


def no_such_part() -> NotFound:
    return NotFound("there is no such part of a result", code="NOT_FOUND")
