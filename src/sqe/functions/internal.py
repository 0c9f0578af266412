"""Functions that only rewrites put into a tree, and that no statement can name: on the fast lane some without
a guard, where statistics prove that their arguments need none; and one that hides the sign of a zero.
"""

from __future__ import annotations

from sqe.functions.function import Function, aggregate, scalar

_HELP = "As its namesake, of arguments that need no guard"


def _of_two(name: str) -> Function:
    return scalar(name, "(T, T) -> T", help=_HELP)


NARROWED = {"add": "+", "sub": "-", "mul": "*"}
COMPARED = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


FUNCTIONS = (
    scalar("$plus_zero", "(T) -> T", help="The same number; both zeros become one"),
    scalar("$narrow", "(T) -> T", help=_HELP),
    *(_of_two(f"${name}_narrow") for name in NARROWED),
    _of_two("$div_positive"),
    _of_two("$mod_positive"),
    *(_of_two(f"${name}_numbers") for name in COMPARED),
    aggregate("$sum_small", "(bigint) -> bigint", help=_HELP),
)
