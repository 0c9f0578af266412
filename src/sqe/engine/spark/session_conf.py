"""What every session on Spark has, whoever runs that Spark."""

from __future__ import annotations

from collections.abc import Mapping

# Our answers depend on these; and some close what a mistake in rendered SQL could open.
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
    # It puts the constants of k * 2147483647 * 2 together, which overflows where k is 0.
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ReorderAssociativeOperator",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
}
