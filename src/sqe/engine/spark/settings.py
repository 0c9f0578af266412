"""What an operator may choose about Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """`[spark]` of the configuration. `conf` holds `spark.*` keys, which win over ours."""

    remote: str | None = field(default=None, repr=False)
    master: str = "local[*]"
    driver_memory: str = "2g"
    conf: Mapping[str, str] = field(default_factory=dict, repr=False)
