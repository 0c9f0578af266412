"""The text of a view for Spark, beside our own, so that plain Spark reads our views."""

from __future__ import annotations

from sqe.engine.spark.render import render, strip_positions
from sqe.errors import NotSupported
from sqe.functions import datetime, zones
from sqe.policy.secure import without_rules
from sqe.tree.expressions import Call, Cast, walk
from sqe.tree.relations import Scan
from sqe.tree.statements import Query, ViewQuery
from sqe.types.sql_types import Timestamp, TimestampTz

_OF_CLOCKS = frozenset(row.name for family in (datetime, zones) for row in family.FUNCTIONS)


def spark_text(query: ViewQuery) -> str | None:
    """None where Spark's text would not stay true: where it would freeze a moment, a user or a snapshot,
    name what only we can read, depend on the zone of Spark's session, or leave out a rule under which its
    author reads."""
    if not query.portable:
        return None
    for node in walk(query.relation):
        if (isinstance(node, Scan) and node.as_of is not None) or _depends_on_a_zone(node):
            return None
    try:
        rendered = render(Query(without_rules(query.relation)), session_zone="UTC")
    except NotSupported:
        return None
    if rendered.views or rendered.tables:
        # Temporary views of our own sessions.
        return None
    return strip_positions(rendered.sql)


def _depends_on_a_zone(node: object) -> bool:
    """Whether Spark computes it in its session's zone, which is UTC in ours alone."""
    if isinstance(node, Cast):
        zoned = [isinstance(k, TimestampTz) for k in (node.operand.type, node.type)]
        return zoned[0] != zoned[1]
    if not isinstance(node, Call) or node.function not in _OF_CLOCKS:
        return False
    kinds = (node.type, *(argument.type for argument in node.arguments))
    return any(isinstance(kind, (Timestamp, TimestampTz)) for kind in kinds)
