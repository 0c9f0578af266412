"""Zones: the clock on the wall of a zone, and the instant at which it shows something."""

from __future__ import annotations

from sqe.functions.function import scalar

FUNCTIONS = (
    scalar(
        "$without_zone",
        "(varchar(x)) -> varchar(x)",
        help="A text of a timestamp that names no zone",
        raises="a text that names a zone",
    ),
    scalar(
        "at_timezone",
        "(timestamp(p) with time zone, varchar(x)) -> timestamp(p) with time zone",
        help="The same instant, shown in another zone",
    ),
    scalar(
        "with_timezone",
        "(timestamp(p), varchar(x)) -> timestamp(p) with time zone",
        help="The instant at which clocks in a zone show a timestamp",
    ),
    scalar("timezone", "(timestamp(p) with time zone) -> varchar", help="The name of a timestamp's zone"),
    scalar(
        "timezone_hour",
        "(timestamp(p) with time zone) -> bigint",
        help="The hours of a timestamp's offset from UTC",
    ),
    scalar(
        "timezone_minute",
        "(timestamp(p) with time zone) -> bigint",
        help="The minutes of a timestamp's offset from UTC",
    ),
    scalar(
        "$wall_clock",
        "(timestamp(p) with time zone, varchar) -> timestamp(p)",
        help="What clocks in a zone show at an instant",
    ),
    scalar(
        "$from_wall_clock",
        "(timestamp(p), varchar) -> timestamp(p) with time zone",
        help="The instant at which clocks in a zone show a timestamp",
    ),
    scalar(
        "$trunc_in_zone",
        "(varchar, timestamp(p) with time zone, varchar) -> timestamp(p) with time zone",
        help="Cut down to a unit of less than a day",
    ),
    scalar(
        "$offset_text",
        "(timestamp(p) with time zone, varchar) -> varchar",
        help="The offset from UTC, as +02:00",
    ),
)
