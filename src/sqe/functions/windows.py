"""Functions of a window. Aggregates may be used over one too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.functions.function import Renderer, window
from sqe.functions.spark_text import constant_integer, invalid

Texts = Sequence[str]


def _offset(name: str, nulls: str = "") -> Renderer:
    """lag and lead; Spark wants a constant offset. DuckDB wants IGNORE NULLS among the arguments."""

    def render(call: Any, texts: Texts) -> str:
        arguments = [texts[0]]
        if len(texts) > 1:
            offset = constant_integer(call, 1, "the offset")
            if offset is None or offset < 0:
                raise invalid(call, "Offset must be at least 0")
            arguments.append(str(offset))
        arguments.extend(texts[2:])
        return f"{name}({', '.join(arguments)}{nulls}){{over}}"

    return render


def _value(name: str, nulls: str = "") -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        return f"{name}({texts[0]}{nulls}){{over}}"

    return render


def _nth_value(nulls: str = "") -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        position = constant_integer(call, 1, "the position")
        if position is None or position < 1:
            raise invalid(call, "Offset must be at least 1")
        return f"nth_value({texts[0]}, {position}{nulls}){{over}}"

    return render


def _ntile(call: Any, texts: Texts) -> str:
    count = constant_integer(call, 0, "the number of buckets")
    if count is None or count < 1:
        raise invalid(call, "Buckets must be greater than 0")
    return f"CAST(ntile({count}){{over}} AS BIGINT)"


_SHIFTED = ("(T) -> T", "(T, bigint) -> T", "(T, bigint, T) -> T")
_NULLS = "{nulls}"


def _place(name: str, help: str) -> Any:
    """An INT to Spark."""
    text = f"{name}(){{over}}"
    return window(name, "() -> bigint", spark=f"CAST({text} AS BIGINT)", fast=text, help=help)


def _share(name: str, help: str) -> Any:
    text = f"{name}(){{over}}"
    return window(name, "() -> double", spark=text, fast=text, help=help)


def _shifted(name: str, help: str) -> Any:
    return window(name, *_SHIFTED, spark=_offset(name), fast=_offset(name, _NULLS), help=help)


def _framed(name: str, help: str) -> Any:
    return window(name, "(T) -> T", spark=_value(name), fast=_value(name, _NULLS), help=help)


FUNCTIONS = (
    _place("row_number", "The row's number, from 1"),
    _place("rank", "The rank, with gaps after peers"),
    _place("dense_rank", "The rank, without gaps"),
    _share("percent_rank", "The rank from 0 to 1"),
    _share("cume_dist", "The share of rows up to this one's peers"),
    window(
        "ntile",
        "(bigint) -> bigint",
        spark=_ntile,
        fast=_ntile,
        help="The number of the row's bucket among n",
    ),
    _shifted("lag", "The value so many rows before"),
    _shifted("lead", "The value so many rows after"),
    _framed("first_value", "The value at the frame's first row"),
    _framed("last_value", "The value at the frame's last row"),
    window(
        "nth_value",
        "(T, bigint) -> T",
        spark=_nth_value(),
        fast=_nth_value(_NULLS),
        help="The value at the frame's n-th row",
    ),
)
