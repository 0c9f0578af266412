"""What may be kept of a statement after its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from sqe.foundation.record import record

if TYPE_CHECKING:
    from sqe.foundation.scanned import Scanned


@record
class Record:
    """Times are seconds since the epoch. It holds no rows. `owner` is `Identity.who` of its user, where that
    is more than the name."""

    id: str
    user: str
    text: str
    state: str
    created: float
    ended: float | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    rows: int | None = None
    updated: int | None = None
    lane: str | None = None
    lane_reason: str | None = None
    error_kind: str | None = None
    error_code: str | None = None
    owner: str = ""
    scanned: Scanned | None = None
    source: str | None = None
