"""Functions that choose among their arguments, in Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.casts import spark_cast
from sqe.engine.spark.functions.operators import compare
from sqe.engine.spark.functions.order import extreme
from sqe.engine.spark.functions.text import share
from sqe.tree.expressions import Call
from sqe.types.sql_types import APPROXIMATE, Array, Row, common_type


def _nullif(call: Call, texts: Sequence[str]) -> str:
    first, second = (argument.type for argument in call.arguments)
    common = common_type(first, second)
    assert common is not None
    left = spark_cast("{0}", first, common, safe=False)
    right = spark_cast("{1}", second, common, safe=False)
    return share(f"(CASE WHEN {compare('$eq', common, left, right)} THEN NULL ELSE {{0}} END)", texts)


def _extreme(name: str) -> Renderer:
    """NULL where any argument is (Spark skips it); NaN only where all are."""

    def render(call: Call, texts: Sequence[str]) -> str:
        if len(texts) == 1:
            return texts[0]
        places = [f"{{{index}}}" for index in range(len(texts))]
        absent = " OR ".join(f"{place} IS NULL" for place in places)
        best = f"{name}({', '.join(places)})"
        if isinstance(call.type, (Array, Row)):
            others = f"array({', '.join(places[1:])})"
            best = extreme(call.type, places[0], others, largest=name == "greatest")
        if name == "greatest" and call.type in APPROXIMATE:
            # Spark holds NaN for the largest.
            numbers = ", ".join(f"if(isnan({place}), NULL, {place})" for place in places)
            best = f"coalesce({name}({numbers}), {places[0]})"
        return share(f"(CASE WHEN {absent} THEN NULL ELSE {best} END)", texts)

    return render


RENDERINGS: dict[str, Rendering] = {
    "coalesce": "coalesce({args})",
    "nullif": _nullif,
    "greatest": _extreme("greatest"),
    "least": _extreme("least"),
}
