"""Functions that only rendering puts into a tree, and no statement can name: on the fast lane in the place of
others, where statistics prove that their arguments need no guard; and what hides a value from an engine.
"""

from __future__ import annotations

from sqe.functions.function import Function, aggregate, scalar

_HELP = "As its namesake, of arguments that need no guard"


def _hidden(name: str) -> Function:
    return scalar(name, "(T, T) -> T", help=_HELP)


NARROWED = {"add": "+", "sub": "-", "mul": "*"}
COMPARED = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


FUNCTIONS = (
    scalar("$plus_zero", "(T) -> T", help="The same number; both zeros become one"),
    scalar("$narrow", "(T) -> T", help=_HELP),
    *(_hidden(f"${name}_narrow") for name in NARROWED),
    _hidden("$div_positive"),
    _hidden("$mod_positive"),
    *(_hidden(f"${name}_numbers") for name in COMPARED),
    aggregate("$sum_small", "(bigint) -> bigint", help=_HELP),
)
