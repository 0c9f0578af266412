"""Functions of a window. Aggregates may be used over one too."""

from __future__ import annotations

from sqe.functions.function import Function, window

_SHIFTED = ("(T) -> T", "(T, bigint) -> T", "(T, bigint, T) -> T")


def _place(name: str, help: str) -> Function:
    return window(name, "() -> bigint", help=help)


def _share(name: str, help: str) -> Function:
    return window(name, "() -> double", help=help)


def _shifted(name: str, help: str) -> Function:
    return window(name, *_SHIFTED, help=help)


def _framed(name: str, help: str) -> Function:
    return window(name, "(T) -> T", help=help)


FUNCTIONS = (
    _place("row_number", "The row's number, from 1"),
    _place("rank", "The rank, with gaps after peers"),
    _place("dense_rank", "The rank, without gaps"),
    _share("percent_rank", "The rank from 0 to 1"),
    _share("cume_dist", "The share of rows up to this one's peers"),
    window("ntile", "(bigint) -> bigint", help="The number of the row's bucket among n"),
    _shifted("lag", "The value so many rows before"),
    _shifted("lead", "The value so many rows after"),
    _framed("first_value", "The value at the frame's first row"),
    _framed("last_value", "The value at the frame's last row"),
    window("nth_value", "(T, bigint) -> T", help="The value at the frame's n-th row"),
)
