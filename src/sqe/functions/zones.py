"""Zones: the clock on the wall of a zone, and the instant at which it shows something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.functions import duck_zones as duck
from sqe.functions.function import scalar
from sqe.functions.spark_text import share, string
from sqe.types.sql_types import TimestampTz

Texts = Sequence[str]

_OFFSET = "timestampdiff(MINUTE, {0}, from_utc_timestamp({0}, {1}))"


def _zone(call: Any) -> str:
    kind = call.arguments[0].type
    assert isinstance(kind, TimestampTz)
    return string(kind.zone)


def _offset_part(template: str) -> Any:
    def render(call: Any, texts: Texts) -> str:
        offset = _OFFSET.replace("{1}", _zone(call))
        return share(template.replace("{m}", offset), (texts[0],))

    return render


def _offset_text(call: Any, texts: Texts) -> str:
    hours, minutes = "lpad(abs({m}) div 60, 2, '0')", "lpad(abs({m}) % 60, 2, '0')"
    template = f"concat(if({{m}} < 0, '-', '+'), {hours}, ':', {minutes})"
    return share(template.replace("{m}", _OFFSET.replace("{1}", texts[1])), (texts[0],))


def _truncated(call: Any, texts: Texts) -> str:
    """Cut in the zone's clock and taken off the instant: in the hour that autumn repeats, the clock alone
    would not say which of the two it is."""
    unit = texts[0]
    wall = f"CAST(from_utc_timestamp({{0}}, {texts[2]}) AS TIMESTAMP_NTZ)"
    cut = f"CAST(date_trunc({unit}, {wall}) AS TIMESTAMP_NTZ)"
    return share(f"({{0}} - ({wall} - {cut}))", (texts[1],))


def _without_zone(call: Any, texts: Texts) -> str:
    from sqe.functions.casts import other_zone

    return share(f"CASE WHEN {other_zone()} ELSE {{0}} END", texts)


FUNCTIONS = (
    scalar(
        "$without_zone",
        "(varchar(x)) -> varchar(x)",
        spark=_without_zone,
        help="A text of a timestamp that names no zone",
        raises="a text that names a zone",
    ),
    scalar(
        "at_timezone",
        "(timestamp(p) with time zone, varchar(x)) -> timestamp(p) with time zone",
        spark=None,
        help="The same instant, shown in another zone",
    ),
    scalar(
        "with_timezone",
        "(timestamp(p), varchar(x)) -> timestamp(p) with time zone",
        spark=None,
        help="The instant at which clocks in a zone show a timestamp",
    ),
    scalar(
        "timezone",
        "(timestamp(p) with time zone) -> varchar",
        spark=lambda call, texts: f"if({texts[0]} IS NULL, NULL, {_zone(call)})",
        fast=duck.zone_name,
        help="The name of a timestamp's zone",
    ),
    scalar(
        "timezone_hour",
        "(timestamp(p) with time zone) -> bigint",
        spark=_offset_part("CAST({m} div 60 AS BIGINT)"),
        fast=duck.offset_part("({m} // 60)"),
        help="The hours of a timestamp's offset from UTC",
    ),
    scalar(
        "timezone_minute",
        "(timestamp(p) with time zone) -> bigint",
        spark=_offset_part("CAST({m} % 60 AS BIGINT)"),
        fast=duck.offset_part("({m} % 60)"),
        help="The minutes of a timestamp's offset from UTC",
    ),
    scalar(
        "$wall_clock",
        "(timestamp(p) with time zone, varchar) -> timestamp(p)",
        spark="CAST(from_utc_timestamp({0}, {1}) AS TIMESTAMP_NTZ)",
        fast=duck.wall_clock,
        help="What clocks in a zone show at an instant",
    ),
    scalar(
        "$from_wall_clock",
        "(timestamp(p), varchar) -> timestamp(p) with time zone",
        spark="to_utc_timestamp(CAST({0} AS TIMESTAMP), {1})",
        fast=duck.from_wall_clock,
        help="The instant at which clocks in a zone show a timestamp",
    ),
    scalar(
        "$trunc_in_zone",
        "(varchar, timestamp(p) with time zone, varchar) -> timestamp(p) with time zone",
        spark=_truncated,
        fast=duck.trunc_in_zone,
        help="Cut down to a unit of less than a day",
    ),
    scalar(
        "$offset_text",
        "(timestamp(p) with time zone, varchar) -> varchar",
        spark=_offset_text,
        fast=duck.offset_text,
        help="The offset from UTC, as +02:00",
    ),
)
