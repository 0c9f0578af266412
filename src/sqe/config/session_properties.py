"""The properties of a session: what SET SESSION takes, and what SHOW SESSION shows."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqe.config.config import Config
from sqe.foundation.record import record
from sqe.session import Session

LANES = ("auto", "spark", "fast")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*")


@record
class SessionProperty:
    """`check` returns the value as it is kept, or raises ValueError with what is wrong."""

    name: str
    type: str
    description: str
    check: Callable[[str], str]
    default: Callable[[Config], str]


def seconds(duration: str) -> float:
    """The seconds of `90s`, `10m`, `1.5h`; 0 is no limit."""
    match = _DURATION.fullmatch(duration)
    if match is None:
        raise ValueError(f"{duration!r} is no duration such as '90s', '10m' or '2h'")
    return float(match[1]) * _UNITS[match[2]]


def _lane(value: str) -> str:
    if value not in LANES:
        raise ValueError(f"{value!r} is not one of " + ", ".join(f"'{lane}'" for lane in LANES))
    return value


def _duration(value: str) -> str:
    seconds(value)
    return value.strip()


def _zone(value: str) -> str:
    from sqe.types.zones import canonical

    return canonical(value)


PROPERTIES = {
    p.name: p
    for p in (
        SessionProperty(
            "lane",
            "varchar",
            "Which engine answers: auto, spark or fast",
            _lane,
            lambda config: config.engine.lane,
        ),
        SessionProperty(
            "query_max_run_time",
            "varchar",
            "How long a statement may run; '0s' is no limit",
            _duration,
            lambda config: f"{config.query.timeout_secs}s",
        ),
        SessionProperty(
            "time_zone_id",
            "varchar",
            "The session's time zone, as SET TIME ZONE sets it",
            _zone,
            lambda config: "UTC",
        ),
    )
}


def value_of(session: Session, name: str, config: Config) -> str:
    """As SET SESSION left it, else the configuration's."""
    if name == "time_zone_id":
        return session.time_zone
    return session.properties.get(name) or PROPERTIES[name].default(config)


@record
class TimeLimit:
    """How long a statement may run, and what says so, by the name under which it can be changed."""

    seconds: float
    set_by: str

    def __str__(self) -> str:
        return f"{self.seconds:g} s ({self.set_by})"


def time_limit(session: Session, config: Config) -> TimeLimit | None:
    """Of the statements of this session. What a session asks for may be less than what is configured for
    its roles, not more."""
    role_limits = [
        config.query.role_overrides[role]
        for role in session.identity.roles & set(config.query.role_overrides)
    ]
    if role_limits:
        configured = TimeLimit(0 if 0 in role_limits else max(role_limits), "query.role_overrides")
    else:
        configured = TimeLimit(config.query.timeout_secs, config.query.timeout_set_by)
    duration = session.properties.get("query_max_run_time")
    own_limit = TimeLimit(seconds(duration) if duration else 0.0, "session property query_max_run_time")
    limits = [limit for limit in (configured, own_limit) if limit.seconds]
    return min(limits, key=lambda limit: limit.seconds, default=None)
