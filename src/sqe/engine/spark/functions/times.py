"""Times of day in Spark SQL, which has the type and little more: arithmetic is that of a timestamp of one
day, whose date is dropped again, so that it begins anew after midnight as Trino's does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.engine.render.renderings import Renderer
from sqe.engine.spark.types import spark_type
from sqe.functions.constants import constant_text, invalid
from sqe.tree.expressions import Call, Expression, Literal
from sqe.types.sql_types import Time, Timestamp

DAY = "1970-01-01"
UNITS = ("millisecond", "second", "minute", "hour")


def on_a_day(text: str) -> str:
    """A time as a timestamp."""
    return f"CAST(concat('{DAY} ', CAST({text} AS STRING)) AS TIMESTAMP_NTZ)"


def of_day(text: str, target: Time) -> str:
    """The time of a timestamp, which has no more digits than the target."""
    return f"CAST(date_format({text}, 'HH:mm:ss.SSSSSS') AS {spark_type(target)})"


def of_times_too(render: Renderer) -> Renderer:
    """A renderer for timestamps, for times as well."""

    def rendered(call: Call, texts: Sequence[str]) -> str:
        if not any(isinstance(argument.type, Time) for argument in call.arguments):
            return render(call, texts)
        arguments: list[Expression] = []
        on_days: list[str] = []
        for argument, text in zip(call.arguments, texts, strict=True):
            if isinstance(argument.type, Time):
                arguments.append(Literal(Timestamp(argument.type.precision), None))
                on_days.append(on_a_day(text))
            else:
                arguments.append(argument)
                on_days.append(text)
        text_of_call = render(replace(call, arguments=tuple(arguments)), on_days)
        return of_day(text_of_call, call.type) if isinstance(call.type, Time) else text_of_call

    return rendered


def by_unit(render: Renderer) -> Renderer:
    """As `of_times_too`, of a function whose first argument is a unit."""
    both = of_times_too(render)

    def rendered(call: Call, texts: Sequence[str]) -> str:
        if isinstance(call.arguments[-1].type, Time):
            unit = (constant_text(call, 0, "the unit") or "").lower()
            if unit not in UNITS:
                raise invalid(call, f"'{unit}' is not a valid TIME field")
        return both(call, texts)

    return rendered
