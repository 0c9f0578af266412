"""What an engine did for a statement: steps that take rows from the steps below them."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.foundation.record import record


@record
class Step:
    """One step, in words that both lanes use. None where its engine does not say; `details` are the
    engine's own words, `requests` are those to object stores. `plain` steps only pass rows on."""

    operation: str
    rows: int | None = None
    milliseconds: float | None = None
    files_read: int | None = None
    files_total: int | None = None
    bytes: int | None = None
    requests: int | None = None
    details: str = ""
    plain: bool = False
    inputs: tuple[Step, ...] = ()


def in_order(steps: tuple[Step, ...], *, all_of_them: bool, depth: int = 0) -> Iterator[tuple[int, Step]]:
    """Each step with its depth, before its inputs. Steps that only pass rows on are left out unless all
    are wanted."""
    for step in steps:
        shown = all_of_them or not step.plain
        if shown:
            yield depth, step
        yield from in_order(step.inputs, all_of_them=all_of_them, depth=depth + shown)
