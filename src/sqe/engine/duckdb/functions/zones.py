"""The clock on the wall of a zone, in DuckDB's SQL. Its rules are ICU's, those of Spark are Java's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.engine.duckdb.functions.text import share, string, struct
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.templates import fill
from sqe.errors import NotSupported
from sqe.functions.constants import constant_text
from sqe.tree.expressions import Call
from sqe.types.sql_types import TimestampTz

Texts = Sequence[str]
# Where the two disagree about some moment. Names without a slash are old ones, and not all known to both.
_DISPUTED = frozenset({"Asia/Tehran", "Europe/Chisinau", "Europe/Tiraspol"})
_FIXED = re.compile(r"([+-])([0-9]{2}):([0-9]{2})")


def _wall(zone: str) -> str:
    """A template of what clocks in a zone show at the instant {0}."""
    if zone == "UTC":
        return "make_timestamp(epoch_us({0}))"
    if _FIXED.fullmatch(zone):
        return f"make_timestamp(epoch_us({{0}}) + {_micros(zone)})"
    if "/" not in zone or zone in _DISPUTED:
        raise NotSupported(f"the fast lane does not have the zone {zone}")
    return f"({{0}} AT TIME ZONE {string(zone)})"


def _micros(zone: str) -> int:
    fixed = _FIXED.fullmatch(zone)
    if fixed is None:
        return 0
    minutes = int(fixed[2]) * 60 + int(fixed[3])
    return (minutes if fixed[1] == "+" else -minutes) * 60_000_000


def _zone(call: Call, index: int) -> str:
    zone = constant_text(call, index, "the zone")
    assert zone is not None
    return zone


def wall_clock(call: Call, texts: Texts) -> str:
    return fill(_wall(_zone(call, 1)), texts)


# A transition this long ago is over, and the one before that is not yet.
_BEFORE = 26 * 3_600_000_000


def from_wall_clock(call: Call, texts: Texts) -> str:
    """What a clock shows twice is the earlier of the two, and what it leaves out is as far after the
    transition: both are right by the offset before it. DuckDB takes the one after."""
    zone = _zone(call, 1)
    wall = _wall(zone)
    if "AT TIME ZONE" not in wall:
        return f"make_timestamptz(epoch_us({texts[0]}) - {_micros(zone)})"
    later = f"({{0}} AT TIME ZONE {string(zone)})"
    # c: what is shown; l: DuckDB's instant; e: by the offset of the day before.
    ago = f"make_timestamptz(epoch_us(l_.l) - {_BEFORE})"
    offset = f"(epoch_us({fill(wall, (ago,))}) - epoch_us({ago}))"
    earlier = f"make_timestamptz(epoch_us(l_.c) - {offset})"
    first = struct(c="{0}", l=later)
    second = struct(c="l_.c", l="l_.l", e=earlier)
    instant = (
        f"CASE WHEN {fill(wall, ('e_.l',))} <> e_.c OR {fill(wall, ('e_.e',))} = e_.c THEN e_.e ELSE e_.l END"
    )
    bound = f"list_transform(list_transform([{first}], lambda l_: {second}), lambda e_: {instant})[1]"
    return share(bound, (texts[0],))


def trunc_in_zone(call: Call, texts: Texts) -> str:
    wall = _wall(_zone(call, 2))
    unit = string(_zone(call, 0).lower())
    cut = f"(epoch_us({wall}) - epoch_us(date_trunc({unit}, {wall})))"
    return share(f"make_timestamptz(epoch_us({{0}}) - {cut})", (texts[1],))


def _minutes(zone: str) -> str:
    return f"((epoch_us({_wall(zone)}) - epoch_us({{0}})) // 60000000)"


def offset_text(call: Call, texts: Texts) -> str:
    minutes = _minutes(_zone(call, 1))
    return share(
        f"CASE WHEN {minutes} < 0 THEN '-' ELSE '+' END"
        f" || lpad(CAST(abs({minutes}) // 60 AS VARCHAR), 2, '0')"
        f" || ':' || lpad(CAST(abs({minutes}) % 60 AS VARCHAR), 2, '0')",
        (texts[0],),
    )


def offset_part(template: str) -> Renderer:
    """`template` is over {m}, the minutes of the offset."""

    def render(call: Call, texts: Texts) -> str:
        return share(template.replace("{m}", _minutes(_own_zone(call))), (texts[0],))

    return render


def zone_name(call: Call, texts: Texts) -> str:
    return f"(CASE WHEN {texts[0]} IS NOT NULL THEN {string(_own_zone(call))} END)"


def _own_zone(call: Call) -> str:
    kind = call.arguments[0].type
    assert isinstance(kind, TimestampTz)
    return kind.zone


RENDERINGS: dict[str, Rendering] = {
    "timezone": zone_name,
    "timezone_hour": offset_part("({m} // 60)"),
    "timezone_minute": offset_part("({m} % 60)"),
    "$wall_clock": wall_clock,
    "$from_wall_clock": from_wall_clock,
    "$trunc_in_zone": trunc_in_zone,
    "$offset_text": offset_text,
}
