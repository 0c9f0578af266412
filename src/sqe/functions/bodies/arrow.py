"""A function of one row as a function of Arrow arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class BodyError(ValueError):
    """An error of Trino's; the text is what the renderings raise too."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"SQE:{code}:{message}:SQE")


def over_arrays(scalar: Callable[..., Any], arrow_type: str, *, safe: bool = False) -> Callable[..., Any]:
    """NULL where any argument is NULL. The result does not name this module: it travels by value."""

    def one(row: tuple[Any, ...]) -> Any:
        if None in row:
            return None
        try:
            return scalar(*row)
        except BodyError:
            if safe:
                return None
            raise

    def run(*arrays: Any) -> Any:
        import pyarrow as pa

        columns = [array.to_pylist() for array in arrays]
        values = [one(row) for row in zip(*columns, strict=True)]
        kind = pa.list_(pa.string()) if arrow_type == "list<string>" else pa.type_for_alias(arrow_type)
        return pa.array(values, type=kind)

    return run
