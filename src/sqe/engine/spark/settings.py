"""What an operator may choose about Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sqe.record import record


@record
class SparkSettings:
    """`[spark]` of the configuration. `conf` holds `spark.*` keys, which win over ours. `drivers` names the
    databases of configured catalogs, for each of which our Spark gets a driver."""

    remote: str | None = field(default=None, repr=False)
    master: str = "local[*]"
    driver_memory: str = "2g"
    conf: Mapping[str, str] = field(default_factory=dict, repr=False)
    drivers: tuple[str, ...] = ()

    @property
    def effective_master(self) -> str:
        return self.conf.get("spark.master", self.master)


# What every session has, on a server of ours or not, because our answers depend on it; and what closes
# the ways that a mistake in rendered SQL could open.
SESSION_CONF: Mapping[str, str] = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.variable.substitute": "false",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.timeType.enabled": "true",
    # A text that a rendering uses twice is bound by a lambda, and may be a subquery (docs/adr/0019).
    "spark.sql.analyzer.allowSubqueryExpressionsInLambdasOrHigherOrderFunctions": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
}
