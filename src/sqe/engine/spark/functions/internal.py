"""Functions that only rewrites put into a tree, in Spark SQL."""

from __future__ import annotations

from sqe.engine.render.renderings import Rendering
from sqe.types.sql_types import REAL

RENDERINGS: dict[str, Rendering] = {
    "$plus_zero": lambda call, texts: f"({texts[0]} + {'CAST(0 AS FLOAT)' if call.type == REAL else '0D'})",
    "$sum_small": "sum({distinct}{0}){over}",
}
