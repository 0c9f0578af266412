"""The clock on the wall of a zone, in Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.text import share, string
from sqe.tree.expressions import Call
from sqe.types.sql_types import TimestampTz

Texts = Sequence[str]
_OFFSET = "timestampdiff(MINUTE, {0}, from_utc_timestamp({0}, {1}))"


def _zone(call: Call) -> str:
    kind = call.arguments[0].type
    assert isinstance(kind, TimestampTz)
    return string(kind.zone)


def _offset_part(template: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        offset = _OFFSET.replace("{1}", _zone(call))
        return share(template.replace("{m}", offset), (texts[0],))

    return render


def _offset_text(call: Call, texts: Texts) -> str:
    hours, minutes = "lpad(abs({m}) div 60, 2, '0')", "lpad(abs({m}) % 60, 2, '0')"
    template = f"concat(if({{m}} < 0, '-', '+'), {hours}, ':', {minutes})"
    return share(template.replace("{m}", _OFFSET.replace("{1}", texts[1])), (texts[0],))


def _truncated(call: Call, texts: Texts) -> str:
    """Cut in the zone's clock and taken off the instant: in the hour that autumn repeats, the clock alone
    would not say which of the two it is."""
    unit = texts[0]
    wall = f"CAST(from_utc_timestamp({{0}}, {texts[2]}) AS TIMESTAMP_NTZ)"
    cut = f"CAST(date_trunc({unit}, {wall}) AS TIMESTAMP_NTZ)"
    return share(f"({{0}} - ({wall} - {cut}))", (texts[1],))


def _without_zone(call: Call, texts: Texts) -> str:
    from sqe.engine.spark.functions.casts import other_zone

    return share(f"CASE WHEN {other_zone()} ELSE {{0}} END", texts)


RENDERINGS: dict[str, Rendering] = {
    "$without_zone": _without_zone,
    "timezone": lambda call, texts: f"if({texts[0]} IS NULL, NULL, {_zone(call)})",
    "timezone_hour": _offset_part("CAST({m} div 60 AS BIGINT)"),
    "timezone_minute": _offset_part("CAST({m} % 60 AS BIGINT)"),
    "$wall_clock": "CAST(from_utc_timestamp({0}, {1}) AS TIMESTAMP_NTZ)",
    "$from_wall_clock": "to_utc_timestamp(CAST({0} AS TIMESTAMP), {1})",
    "$trunc_in_zone": _truncated,
    "$offset_text": _offset_text,
}
