"""How much longer one engine takes than another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqe.bench.run import SuiteReport
from sqe.foundation.record import record


@record
class Ratio:
    """`total` compares the sums of seconds, `mean` is the geometric mean of the queries' ratios; both over
    the `queries` that both engines answered. `highest` is the ratio of the query `worst`. `cpu` compares the
    sums of CPU seconds, which others on the machine disturb less."""

    queries: int
    total: float
    mean: float
    highest: float
    worst: str
    cpu: float | None


def ratio(reports: Sequence[SuiteReport], engine: str, against: str) -> Ratio | None:
    """None if there is no query that both answered."""
    pairs: dict[str, tuple[float, float]] = {}
    cpu: list[tuple[float, float]] = []
    for report in reports:
        for query, outcomes in report.queries.items():
            if engine not in outcomes or against not in outcomes:
                continue
            ours, theirs = outcomes[engine].seconds, outcomes[against].seconds
            if ours is not None and theirs is not None:
                pairs[f"{report.suite} {query}"] = (ours, theirs)
                cpu.append((outcomes[engine].cpu_seconds or 0, outcomes[against].cpu_seconds or 0))
    if not pairs:
        return None
    each = {query: ours / theirs for query, (ours, theirs) in pairs.items()}
    worst = max(each, key=lambda query: each[query])
    return Ratio(
        queries=len(pairs),
        total=sum(a for a, _ in pairs.values()) / sum(b for _, b in pairs.values()),
        mean=math.exp(sum(map(math.log, each.values())) / len(each)),
        highest=each[worst],
        worst=worst,
        cpu=sum(a for a, _ in cpu) / spent if (spent := sum(b for _, b in cpu)) else None,
    )
