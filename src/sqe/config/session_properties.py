"""The properties of a session: what SET SESSION takes, and what SHOW SESSION shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqe.config.config import Config
from sqe.foundation.record import record
from sqe.session import Session

LANES = ("auto", "spark", "fast")
_TIME_LIMITS = ("query_max_run_time", "query_max_execution_time")
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

    @property
    def python_type(self) -> Any:
        """Of the values that SET SESSION takes."""
        return {"boolean": bool, "integer": int}.get(self.type, str)

    @staticmethod
    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)


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


def _hint(name: str, type_: str, default: str, *allowed: str) -> SessionProperty:
    """A property by which Trino is tuned and that changes no answer: its clients may set it, and it is shown
    to them. One that would limit or change something is not taken where it does not do so."""

    def check(value: str) -> str:
        text = value.strip().upper() if allowed else value.strip().lower()
        if allowed and text not in allowed:
            raise ValueError(f"Invalid value [{value}]. Valid values: [{', '.join(allowed)}]")
        if type_ == "boolean" and text not in ("true", "false"):
            raise ValueError(f"{value!r} is neither true nor false")
        if type_ == "integer" and not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 31):
            raise ValueError(f"{value!r} is no positive integer")
        return text

    return SessionProperty(
        name, type_, "Taken for Trino's clients, and of no effect", check, lambda _: default
    )


PROPERTIES = {
    p.name: p
    for p in (
        _hint("colocated_join", "boolean", "true"),
        _hint("distributed_sort", "boolean", "true"),
        _hint("enable_dynamic_filtering", "boolean", "true"),
        _hint("join_distribution_type", "varchar", "AUTOMATIC", "BROADCAST", "PARTITIONED", "AUTOMATIC"),
        _hint(
            "join_reordering_strategy", "varchar", "AUTOMATIC", "NONE", "ELIMINATE_CROSS_JOINS", "AUTOMATIC"
        ),
        SessionProperty(
            "lane",
            "varchar",
            "Which engine answers: auto, spark or fast",
            _lane,
            lambda config: config.engine.lane,
        ),
        SessionProperty(
            "query_max_execution_time",
            "varchar",
            "As query_max_run_time; the shorter one holds",
            _duration,
            lambda config: f"{config.query.timeout_secs}s",
        ),
        SessionProperty(
            "query_max_run_time",
            "varchar",
            "How long a statement may run; '0s' is no limit",
            _duration,
            lambda config: f"{config.query.timeout_secs}s",
        ),
        _hint("query_priority", "integer", "1"),
        _hint("redistribute_writes", "boolean", "true"),
        _hint("scale_writers", "boolean", "true"),
        _hint("spill_enabled", "boolean", "false"),
        _hint("task_concurrency", "integer", "1"),
        _hint("task_max_writer_count", "integer", "1"),
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
    own = {name: session.properties.get(name) for name in _TIME_LIMITS}
    own_limits = [
        TimeLimit(seconds(duration), f"session property {name}") for name, duration in own.items() if duration
    ]
    limits = [limit for limit in (configured, *own_limits) if limit.seconds]
    return min(limits, key=lambda limit: limit.seconds, default=None)
