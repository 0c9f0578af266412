"""Functions of a window. Aggregates may be used over one too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.functions.function import Renderer, window
from sqe.functions.spark_text import constant_integer, invalid

Texts = Sequence[str]


def _offset(name: str) -> Renderer:
    """lag and lead; Spark wants a constant offset."""

    def render(call: Any, texts: Texts) -> str:
        arguments = [texts[0]]
        if len(texts) > 1:
            offset = constant_integer(call, 1, "the offset")
            if offset is None or offset < 0:
                raise invalid(call, "Offset must be at least 0")
            arguments.append(str(offset))
        arguments.extend(texts[2:])
        return f"{name}({', '.join(arguments)}){{over}}"

    return render


def _value(name: str) -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        return f"{name}({texts[0]}){{over}}"

    return render


def _nth_value(call: Any, texts: Texts) -> str:
    position = constant_integer(call, 1, "the position")
    if position is None or position < 1:
        raise invalid(call, "Offset must be at least 1")
    return f"nth_value({texts[0]}, {position}){{over}}"


def _ntile(call: Any, texts: Texts) -> str:
    count = constant_integer(call, 0, "the number of buckets")
    if count is None or count < 1:
        raise invalid(call, "Buckets must be greater than 0")
    return f"CAST(ntile({count}){{over}} AS BIGINT)"


_SHIFTED = ("(T) -> T", "(T, bigint) -> T", "(T, bigint, T) -> T")

FUNCTIONS = (
    window(
        "row_number",
        "() -> bigint",
        spark="CAST(row_number(){over} AS BIGINT)",
        help="The row's number, from 1",
    ),
    window(
        "rank", "() -> bigint", spark="CAST(rank(){over} AS BIGINT)", help="The rank, with gaps after peers"
    ),
    window(
        "dense_rank",
        "() -> bigint",
        spark="CAST(dense_rank(){over} AS BIGINT)",
        help="The rank, without gaps",
    ),
    window("percent_rank", "() -> double", spark="percent_rank(){over}", help="The rank from 0 to 1"),
    window(
        "cume_dist",
        "() -> double",
        spark="cume_dist(){over}",
        help="The share of rows up to this one's peers",
    ),
    window("ntile", "(bigint) -> bigint", spark=_ntile, help="The number of the row's bucket among n"),
    window("lag", *_SHIFTED, spark=_offset("lag"), help="The value so many rows before"),
    window("lead", *_SHIFTED, spark=_offset("lead"), help="The value so many rows after"),
    window("first_value", "(T) -> T", spark=_value("first_value"), help="The value at the frame's first row"),
    window("last_value", "(T) -> T", spark=_value("last_value"), help="The value at the frame's last row"),
    window("nth_value", "(T, bigint) -> T", spark=_nth_value, help="The value at the frame's n-th row"),
)
