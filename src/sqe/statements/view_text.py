"""The text of a view for Spark, beside our own, so that plain Spark reads our views."""

from __future__ import annotations

from sqe.engine.spark.render import render, strip_positions
from sqe.errors import NotSupported
from sqe.policy.secure import without_rules
from sqe.tree.expressions import walk
from sqe.tree.relations import Scan
from sqe.tree.statements import Query, ViewQuery


def spark_text(query: ViewQuery) -> str | None:
    """None where Spark's text would not stay true: where it would freeze a moment, a user or a snapshot,
    name what only we can read, or leave out a rule under which its author reads."""
    if not query.portable:
        return None
    if any(isinstance(node, Scan) and node.as_of is not None for node in walk(query.relation)):
        return None
    try:
        rendered = render(Query(without_rules(query.relation)), session_zone="UTC")
    except NotSupported:
        return None
    if rendered.files or rendered.tables:
        # Temporary views of our own sessions.
        return None
    return strip_positions(rendered.sql)
