"""EXPLAIN: our tree, the lane and its reason, the engine's SQL, and Spark's plan where it is Spark's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.commands.pinned import pinned
from sqe.coordinator import Coordinator
from sqe.engine.explain import describe
from sqe.engine.spark.render import render, strip_positions
from sqe.tree.statements import CreateTable, Delete, Explain, Insert, Merge, Query, Update
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.statement import Statement

_TEXT = "'(?:[^']|'')*'"


def execute(statement: Statement, tree: Explain, binder: Binder, coordinator: Coordinator) -> None:
    inner = tree.statement
    lane = f"Lane: {statement.lane} ({statement.lane_reason})"
    if any(binder.decide(name).restricts for name in binder.tables):
        # Rules are not for those whom they restrict to read, and engines' plans name what is hidden.
        assert isinstance(statement.bound, Explain)
        return _answer(statement, [*describe(statement.bound.statement), "", lane], binder, coordinator)
    lines = [*describe(inner), "", lane]
    admitted = None if statement.route is None else statement.route.admitted
    if admitted is not None:
        statement.engine_sql = admitted.rendered.sql
        lines += ["", "DuckDB SQL:", *("  " + line for line in _shorter(admitted.rendered.sql).splitlines())]
        return _answer(statement, lines, binder, coordinator)
    writes_rows = isinstance(inner, CreateTable) and inner.source is not None
    if writes_rows or isinstance(inner, (Query, Insert, Update, Delete, Merge)):
        rendered = render(pinned(inner, binder.tables), session_zone=statement.time_zone)
        statement.engine_sql = rendered.sql
        lines += ["", "Spark SQL:", *("  " + line for line in strip_positions(rendered.sql).splitlines())]
        # Spark plans what is there, and no temporary views are made for an EXPLAIN.
        if isinstance(inner, Query) and not rendered.files and not rendered.tables:
            session = coordinator.spark_session(statement.session.identity)
            plan = session.explain(
                rendered.sql,
                statement_id=statement.id,
                pins=rendered.pins,
                bodies=rendered.bodies,
                deadline=statement.deadline,
            )
            lines += ["", "Spark plan:", *("  " + line for line in plan.splitlines())]
    _answer(statement, lines, binder, coordinator)


def _answer(statement: Statement, lines: list[str], binder: Binder, coordinator: Coordinator) -> None:
    import pyarrow as pa

    field = binder.fresh("Query Plan", t.VARCHAR)
    batch = pa.RecordBatch.from_arrays([pa.array(["\n".join(lines)])], names=["Query Plan"])
    statement.result = coordinator.spools.collect([batch], (field,), user=statement.user)


def _shorter(sql: str) -> str:
    """With the first of many files, and how many there are."""
    return re.sub(r"read_parquet\(\[('(?:[^']|'')*')((?:, '(?:[^']|'')*')+)\]", _few, sql)


def _few(found: re.Match[str]) -> str:
    return f"read_parquet([{found[1]} /* and {len(re.findall(_TEXT, found[2]))} more */]"
