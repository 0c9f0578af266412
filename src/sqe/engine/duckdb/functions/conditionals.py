"""Functions that choose among their arguments, in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.casts import duck_cast
from sqe.engine.duckdb.functions.operators import duck_compare
from sqe.engine.duckdb.functions.text import share
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.errors import NotSupported
from sqe.tree.expressions import Call
from sqe.types.sql_types import APPROXIMATE, Array, Map, Row, common_type


def _nullif(call: Call, texts: Sequence[str]) -> str:
    first, second = (argument.type for argument in call.arguments)
    common = common_type(first, second)
    assert common is not None
    left = duck_cast("{0}", first, common, safe=False)
    right = duck_cast("{1}", second, common, safe=False)
    equal = duck_compare("$eq", common, left, right)
    return share(f"(CASE WHEN {equal} THEN NULL ELSE {{0}} END)", texts)


def _extreme(name: str) -> Renderer:
    def render(call: Call, texts: Sequence[str]) -> str:
        if isinstance(call.type, (Array, Row, Map)):
            raise NotSupported(f"{name} of {call.type}", position=call.position)
        if len(texts) == 1:
            return texts[0]
        places = [f"{{{index}}}" for index in range(len(texts))]
        absent = " OR ".join(f"{place} IS NULL" for place in places)
        best = f"{name}({', '.join(places)})"
        if call.type in APPROXIMATE:
            # DuckDB holds NaN for the largest, and makes -0 of a real 0.
            sign = ">" if name == "greatest" else "<"
            other = f"isnan(a_) OR (b_ {sign} a_ AND NOT isnan(b_))"
            better = f"lambda a_, b_: CASE WHEN {other} THEN b_ ELSE a_ END"
            best = f"list_reduce([{', '.join(places)}], {better})"
        return share(f"(CASE WHEN {absent} THEN NULL ELSE {best} END)", texts)

    return render


RENDERINGS: dict[str, Rendering] = {
    "coalesce": "coalesce({args})",
    "nullif": _nullif,
    "greatest": _extreme("greatest"),
    "least": _extreme("least"),
}
