"""What TRY makes of functions that may fail: the same, with NULL in place of the error.

Each is a row of its own, `$try:` and the name of the function, so that nothing changes outside TRY. What is
not in the index cannot be guarded, and TRY refuses it.
"""

from __future__ import annotations

from dataclasses import replace

from sqe.functions import binary, datetime, json, math, operators, regular_expressions, strings, urls, zones
from sqe.functions.bodies import TRIED
from sqe.functions.function import Function
from sqe.functions.index import FAMILIES, TRY_PREFIX

_FAMILIES = (operators, math, strings, binary, regular_expressions, urls, datetime, zones, json)
_ROWS: dict[str, Function] = {row.name: row for family in _FAMILIES for row in family.FUNCTIONS}


def _try_function(name: str) -> Function:
    row = _ROWS[name]
    return replace(
        row,
        body=row.body and row.body + TRIED,
        name=TRY_PREFIX + name,
        leakproof=True,
        leak="",
        help=f"TRY of {name}",
    )


FUNCTIONS = tuple(_try_function(name.removeprefix(TRY_PREFIX)) for name in FAMILIES["try_functions"])

# NULL for NULL: what failed inside makes the whole NULL. Of the other functions that is not certain.
_NOT_STRICT = ("$and", "$or", "$is_null", "$is_distinct", "$array", "$row", "$concat", "concat", "concat_ws")
STRICT = frozenset(row.name for row in _ROWS.values() if row.kind == "scalar") - frozenset(
    (*_NOT_STRICT, "format", "typeof")
)
