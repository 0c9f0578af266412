"""Times and timestamps to the picosecond, with whole numbers: the values of `ConstantTime`.

Engines keep microseconds of the years 1 to 9999, and have no time with a zone. Trino has more, and its
clients select such constants. They are read, rounded and written here, and engines carry their texts.
"""

from __future__ import annotations

import datetime as dt
import re

from sqe.errors import NotSupported
from sqe.foundation.record import record
from sqe.types import sql_types as t
from sqe.types.zones import canonical, zone

MAX_PRECISION = 12
SECOND = 10**12
DAY = 86_400 * SECOND
_EPOCH = dt.datetime(1970, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)
# The calendar, and with it the changes of clocks, repeats after so many days, which are 400 years.
_CYCLE = 146_097
_YEAR_2 = dt.date(2, 1, 1).toordinal() - _EPOCH.toordinal()
_YEAR_9999 = dt.date(9999, 1, 1).toordinal() - _EPOCH.toordinal()
_MOST_MINUTES = 14 * 60
# Trino counts microseconds in 64 bits, and the milliseconds of a timestamp with a zone in 52.
_MICROSECONDS = range(-9_223_372_036_854 * 10**6, 2**63)
_MILLISECONDS = range(-(2**51), 2**51)

_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2})(?::(?P<second>[0-9]{1,2})(?:\.(?P<fraction>[0-9]+))?)?"
_TIME = re.compile(_CLOCK + r"\s*(?P<zone>[+-][0-9]{2}:[0-9]{2})?")
_TIMESTAMP = re.compile(
    r"(?P<year>[+-]?[0-9]{4,})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})(?: (?:"
    + _CLOCK
    + r")?\s*(?P<zone>.+)?)?"
)
_OFFSET = re.compile(r"[+-][0-9]{2}:[0-9]{2}")
_ETC = re.compile(r"Etc/GMT([+-])([0-9]{1,2})")
_SHORT_OFFSET = re.compile(r"[+-][0-9]:.*")


@record
class Moment:
    """A value of `type`: picoseconds since midnight of a time, since 1970 of a timestamp. With a zone those
    of a time are on its clock, as `type` shows it, and those of a timestamp are in UTC."""

    type: t.ConstantTime
    picoseconds: int
    zone: str | None = None


def read(text: str, type_: t.ConstantTime) -> Moment:
    """The value of a text that `write` has written."""
    return read_time(text) if type_.base == "time" else read_timestamp(text)


def read_time(text: str) -> Moment:
    """ValueError where it is none."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(text)
    offset = match["zone"]
    if offset is not None:
        _minutes(offset)
        offset = "+00:00" if offset == "-00:00" else offset
    digits = match["fraction"] or ""
    kind = t.constant_time("time", len(digits), zoned=offset is not None)
    return Moment(kind, _clock(match), offset)


def read_timestamp(text: str, *, skipped: bool = False) -> Moment:
    """ValueError where it is none. What clocks never showed, since they were put forward, is one with
    `skipped` alone, and as much later."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise ValueError(text)
    picoseconds = _days(*(int(match[part]) for part in ("year", "month", "day"))) * DAY + _clock(match)
    kind = t.constant_time("timestamp", len(match["fraction"] or ""), zoned=match["zone"] is not None)
    if match["zone"] is None:
        return in_range(Moment(kind, picoseconds))
    name = _zone(match["zone"])
    instant = picoseconds - _offset_of_clock(picoseconds, name)
    if not skipped and instant + _offset_of_instant(instant, name) != picoseconds:
        raise ValueError(text)
    return in_range(Moment(kind, instant, name))


def in_range(moment: Moment) -> Moment:
    if moment.type.base == "timestamp":
        units, digits = (_MILLISECONDS, 3) if moment.type.zoned else (_MICROSECONDS, 6)
        if moment.picoseconds // _unit(digits) not in units:
            raise ValueError("the timestamp is out of range")
    return moment


def _unit(precision: int) -> int:
    """Of the last digit, in picoseconds."""
    return int(10 ** (MAX_PRECISION - precision))


def _clock(match: re.Match[str]) -> int:
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    dt.time(hour, minute, second)
    fraction = (match["fraction"] or "").ljust(MAX_PRECISION + 1, "0")
    # More digits than there are, which only the text of a CAST may have, are rounded.
    more = int(fraction[MAX_PRECISION]) >= 5
    return ((hour * 60 + minute) * 60 + second) * SECOND + int(fraction[:MAX_PRECISION]) + more


def _days(year: int, month: int, day: int) -> int:
    cycles, year_of_cycle = divmod(year, 400)
    first = dt.date(2000 + year_of_cycle, month, day)
    return first.toordinal() - _EPOCH.toordinal() + (cycles - 5) * _CYCLE


def _minutes(offset: str) -> int:
    hours, minutes = int(offset[1:3]), int(offset[4:6])
    if minutes > 59 or hours * 60 + minutes > _MOST_MINUTES:
        raise ValueError(f"{offset} is no offset: they are up to 14:00")
    return (hours * 60 + minutes) * (-1 if offset[0] == "-" else 1)


def _zone(text: str) -> str:
    if text != text.strip() or _SHORT_OFFSET.fullmatch(text):
        raise ValueError(text)
    if (
        _OFFSET.fullmatch(text)
        and int(text[4:6]) <= 59
        and int(text[1:3]) * 60 + int(text[4:6]) > _MOST_MINUTES
    ):
        raise NotSupported(f"Time zone not supported: {text}", hint="offsets are up to 14:00")
    etc = _ETC.fullmatch(text)
    # West of Greenwich is positive in these names.
    return canonical(("-" if etc[1] == "+" else "+") + etc[2] if etc else text)


def _of_python(picoseconds: int) -> dt.datetime:
    """In the years that Python has, with the same clocks: before year 2 none was put forward, after 9998 they
    are as 400 years before. The fraction of a second is left out."""
    days, rest = divmod(picoseconds, DAY)
    if days < _YEAR_2:
        days = _YEAR_2 + (days - _YEAR_2) % _CYCLE
    elif days >= _YEAR_9999:
        days = _YEAR_9999 - _CYCLE + (days - _YEAR_9999) % _CYCLE
    return _EPOCH + dt.timedelta(days=days, seconds=rest // SECOND)


def _offset_of_clock(picoseconds: int, name: str) -> int:
    """The first one where clocks show a time twice."""
    return _picoseconds(_of_python(picoseconds).replace(tzinfo=zone(name)).utcoffset())


def _offset_of_instant(picoseconds: int, name: str) -> int:
    return _picoseconds(_of_python(picoseconds).replace(tzinfo=dt.UTC).astimezone(zone(name)).utcoffset())


def _picoseconds(offset: dt.timedelta | None) -> int:
    assert offset is not None
    return offset // dt.timedelta(seconds=1) * SECOND


def local(moment: Moment) -> int:
    """The picoseconds that a clock in its zone shows."""
    if moment.type.base == "time" or moment.zone is None:
        return moment.picoseconds
    return moment.picoseconds + _offset_of_instant(moment.picoseconds, moment.zone)


def at_clock(type_: t.ConstantTime, picoseconds: int, name: str) -> Moment:
    """The timestamp at which clocks of a zone show it."""
    return in_range(Moment(type_, picoseconds - _offset_of_clock(picoseconds, name), name))


def ordinal(moment: Moment) -> int:
    """Orders times and timestamps of one base that all have a zone, or all have none."""
    if moment.type.base == "time" and moment.zone is not None:
        return (moment.picoseconds - _minutes(moment.zone) * 60 * SECOND) % DAY
    return moment.picoseconds


def rounded(moment: Moment, precision: int) -> Moment:
    """Half is rounded up, and a time goes on at midnight."""
    kind = t.constant_time(moment.type.base, precision, zoned=moment.type.zoned)
    step = _unit(precision)
    picoseconds = (moment.picoseconds + step // 2) // step * step
    return in_range(Moment(kind, picoseconds % DAY if kind.base == "time" else picoseconds, moment.zone))


def write(moment: Moment) -> str:
    """As Trino's clients see it."""
    days, rest = divmod(local(moment), DAY)
    seconds, fraction = divmod(rest, SECOND)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if moment.type.precision:
        text += f".{fraction:0{MAX_PRECISION}d}"[: 1 + moment.type.precision]
    if moment.type.base == "time":
        return text + (moment.zone or "")
    text = f"{date_text(days)} {text}"
    return text if moment.zone is None else f"{text} {moment.zone}"


def date_text(days: int) -> str:
    """A date of any year, by days since 1970: Python's end at the year 9999."""
    cycles, rest = divmod(days - dt.date(2000, 1, 1).toordinal() + _EPOCH.toordinal(), _CYCLE)
    day = dt.date(2000, 1, 1) + dt.timedelta(days=rest)
    year = day.year + 400 * cycles
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{day.month:02d}-{day.day:02d}"


def to_python(moment: Moment) -> dt.datetime | dt.time | None:
    """What engines keep too; None for what only constants are."""
    clock, more = divmod(moment.picoseconds, _unit(6))
    if more or moment.type.precision > 6:
        return None
    if moment.type.base == "time":
        return None if moment.type.zoned else (_EPOCH + clock * _MICROSECOND).time()
    try:
        plain = _EPOCH + clock * _MICROSECOND
        if moment.zone is None:
            return plain
        return plain.replace(tzinfo=dt.UTC).astimezone(zone(moment.zone))
    except OverflowError:
        return None


def of_python(
    value: dt.datetime | dt.date | dt.time, type_: t.ConstantTime, name: str | None = None
) -> Moment:
    """`name` is the zone of a timestamp that has one."""
    if isinstance(value, dt.time):
        plain = dt.datetime.combine(_EPOCH, value.replace(tzinfo=None))
        return Moment(type_, _micros(plain) * _unit(6), name)
    if not isinstance(value, dt.datetime):
        return Moment(type_, (value.toordinal() - _EPOCH.toordinal()) * DAY)
    instant = _micros(value.replace(tzinfo=None))
    if name is None:
        return Moment(type_, instant * _unit(6))
    offset = value.utcoffset()
    assert offset is not None
    return Moment(type_, (instant - offset // _MICROSECOND) * _unit(6), name)


def offset_text(offset: dt.timedelta | None) -> str:
    """The zone of a time. ValueError where it has no offset by itself, or one that no time may have."""
    if offset is None or offset % dt.timedelta(minutes=1):
        raise ValueError("the zone of a time is an offset of hours and minutes")
    minutes = offset // dt.timedelta(minutes=1)
    text = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    _minutes(text)
    return text


def _micros(plain: dt.datetime) -> int:
    return (plain - _EPOCH) // _MICROSECOND
