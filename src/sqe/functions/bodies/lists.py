"""A function of one row as a function of Arrow arrays, where it gives a list of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqe.functions.bodies.arrow import over_arrays


def over_lists(scalar: Callable[..., Any], element: str, *, safe: bool = False) -> Callable[..., Any]:
    """Rows are computed as those of a text are, which keeps whatever they give."""

    def run(*arrays: Any) -> Any:
        import pyarrow as pa

        found: list[Any] = []

        def keep(*row: Any) -> str:
            found.append(scalar(*row))
            return ""

        marks = over_arrays(keep, "string", safe=safe)(*arrays).to_pylist()
        values = iter(found)
        lists = [None if mark is None else next(values) for mark in marks]
        return pa.array(lists, type=pa.list_(pa.type_for_alias(element)))

    return run
