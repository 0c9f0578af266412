"""Functions that choose among their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.errors import NotSupported
from sqe.functions import duck_text
from sqe.functions.casts import spark_cast
from sqe.functions.duck_casts import duck_cast
from sqe.functions.duck_operators import duck_compare
from sqe.functions.function import Resolution, scalar
from sqe.functions.operators import compare
from sqe.functions.spark_order import extreme
from sqe.functions.spark_text import share
from sqe.types.sql_types import APPROXIMATE, Array, Map, Row, Type, common_type, is_comparable


def _nullif_rule(types: tuple[Type, ...]) -> Resolution | None:
    """The result is the first argument as it was; only the comparison is made in a common type."""
    common = common_type(*types) if len(types) == 2 else None
    return None if common is None or not is_comparable(common) else Resolution(types, types[0])


def _nullif(call: Any, texts: Sequence[str]) -> str:
    first, second = (argument.type for argument in call.arguments)
    common = common_type(first, second)
    assert common is not None
    left = spark_cast("{0}", first, common, safe=False)
    right = spark_cast("{1}", second, common, safe=False)
    return share(f"(CASE WHEN {compare('$eq', common, left, right)} THEN NULL ELSE {{0}} END)", texts)


def _duck_nullif(call: Any, texts: Sequence[str]) -> str:
    first, second = (argument.type for argument in call.arguments)
    common = common_type(first, second)
    assert common is not None
    left = duck_cast("{0}", first, common, safe=False)
    right = duck_cast("{1}", second, common, safe=False)
    equal = duck_compare("$eq", common, left, right)
    return duck_text.share(f"(CASE WHEN {equal} THEN NULL ELSE {{0}} END)", texts)


def _extreme(name: str) -> Any:
    """NULL where any argument is (Spark skips it); NaN only where all are."""

    def render(call: Any, texts: Sequence[str]) -> str:
        if len(texts) == 1:
            return texts[0]
        places = [f"{{{index}}}" for index in range(len(texts))]
        absent = " OR ".join(f"{place} IS NULL" for place in places)
        chosen = f"{name}({', '.join(places)})"
        if isinstance(call.type, (Array, Row)):
            others = f"array({', '.join(places[1:])})"
            chosen = extreme(call.type, places[0], others, largest=name == "greatest")
        if name == "greatest" and call.type in APPROXIMATE:
            # Spark holds NaN for the largest.
            numbers = ", ".join(f"if(isnan({place}), NULL, {place})" for place in places)
            chosen = f"coalesce({name}({numbers}), {places[0]})"
        return share(f"(CASE WHEN {absent} THEN NULL ELSE {chosen} END)", texts)

    return render


def _duck_extreme(name: str) -> Any:
    def render(call: Any, texts: Sequence[str]) -> str:
        if isinstance(call.type, (Array, Row, Map)):
            raise NotSupported(f"{name} of {call.type}", position=call.position)
        if len(texts) == 1:
            return texts[0]
        places = [f"{{{index}}}" for index in range(len(texts))]
        absent = " OR ".join(f"{place} IS NULL" for place in places)
        chosen = f"{name}({', '.join(places)})"
        if call.type in APPROXIMATE:
            # DuckDB holds NaN for the largest, and makes -0 of a real 0.
            sign = ">" if name == "greatest" else "<"
            other = f"isnan(a_) OR (b_ {sign} a_ AND NOT isnan(b_))"
            better = f"lambda a_, b_: CASE WHEN {other} THEN b_ ELSE a_ END"
            chosen = f"list_reduce([{', '.join(places)}], {better})"
        return duck_text.share(f"(CASE WHEN {absent} THEN NULL ELSE {chosen} END)", texts)

    return render


FUNCTIONS = (
    scalar(
        "coalesce",
        "(T, ...) -> T",
        spark="coalesce({args})",
        fast="coalesce({args})",
        help="The first argument that is not NULL",
    ),
    scalar(
        "nullif",
        _nullif_rule,
        spark=_nullif,
        fast=_duck_nullif,
        help="NULL where both arguments are equal, else the first",
    ),
    scalar(
        "greatest",
        "(E:orderable, ...) -> E",
        spark=_extreme("greatest"),
        fast=_duck_extreme("greatest"),
        help="The largest argument; NULL where any is NULL",
        nested_raises="a NULL inside a value that is ordered",
    ),
    scalar(
        "least",
        "(E:orderable, ...) -> E",
        spark=_extreme("least"),
        fast=_duck_extreme("least"),
        help="The smallest argument; NULL where any is NULL",
        nested_raises="a NULL inside a value that is ordered",
    ),
)
