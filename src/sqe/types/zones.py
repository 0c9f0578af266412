"""Time zones by name: IANA's, UTC, and fixed offsets such as +01:00."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache

UTC = "UTC"
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_MOST_MINUTES = 14 * 60


def canonical(name: str) -> str:
    """The one spelling of a zone. ValueError says what a zone is."""
    text = name.strip()
    if text.upper() in ("UTC", "Z", "GMT", "UT", "ZULU", "ETC/UTC", "GMT0", "UNIVERSAL"):
        return UTC
    offset = _OFFSET.fullmatch(text)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        if minutes > _MOST_MINUTES or int(offset[3] or 0) > 59:
            raise ValueError(f"'{name}' is no time zone: offsets are up to 14:00")
        return f"{offset[1]}{minutes // 60:02d}:{minutes % 60:02d}" if minutes else UTC
    import zoneinfo

    for spelling in (str, _in_iana_case):
        candidate = spelling(text)
        if candidate:
            try:
                return zoneinfo.ZoneInfo(candidate).key
            except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError):
                continue
    raise ValueError(f"'{name}' is no time zone such as 'Europe/Berlin' or '+01:00'")


def _in_iana_case(name: str) -> str | None:
    """Trino's clients write zones in any case."""
    return _by_lower_case().get(name.lower())


@lru_cache(maxsize=1)
def _by_lower_case() -> dict[str, str]:
    # Cached: it walks through some hundred files.
    import zoneinfo

    return {name.lower(): name for name in zoneinfo.available_timezones()}


def zone(name: str) -> dt.tzinfo:
    """The zone of a name in any spelling."""
    zone_name = canonical(name)
    if zone_name == UTC:
        return dt.UTC
    if zone_name[0] in "+-":
        minutes = int(zone_name[1:3]) * 60 + int(zone_name[4:6])
        return dt.timezone(dt.timedelta(minutes=minutes if zone_name[0] == "+" else -minutes))
    from zoneinfo import ZoneInfo

    return ZoneInfo(zone_name)


def name_of(tzinfo: dt.tzinfo | None) -> str:
    """The name of a Python time zone, as `canonical` spells it."""
    if tzinfo is None:
        return UTC
    key = getattr(tzinfo, "key", None) or getattr(tzinfo, "zone", None)
    if key:
        return canonical(str(key))
    # Only a fixed offset can be asked without a moment.
    offset = tzinfo.utcoffset(None) if isinstance(tzinfo, dt.timezone) else None
    if offset is None:
        raise ValueError(f"{tzinfo!r} has no name and no fixed offset")
    return of_offset(offset)


def of_offset(offset: dt.timedelta) -> str:
    """The zone with a fixed offset from UTC."""
    minutes, seconds = divmod(offset, dt.timedelta(minutes=1))
    if seconds:
        raise ValueError("a zone's offset has hours and minutes alone")
    sign, minutes = ("-", -minutes) if minutes < 0 else ("+", minutes)
    return canonical(f"{sign}{minutes // 60:02d}:{minutes % 60:02d}")
