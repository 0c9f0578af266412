"""SHOW STATS FOR a table: what the manifests know of its rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.catalog.iceberg.table import Column, Table
from sqe.commands.answer import answer
from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.errors import AccessDenied
from sqe.tree.statements import ShowStats
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.catalog.iceberg.manifests import DataFile

COLUMNS: list[tuple[str, t.Type]] = [
    ("column_name", t.VARCHAR),
    ("data_size", t.DOUBLE),
    ("distinct_values_count", t.DOUBLE),
    ("nulls_fraction", t.DOUBLE),
    ("row_count", t.DOUBLE),
    ("low_value", t.VARCHAR),
    ("high_value", t.VARCHAR),
]


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    tree = plan.tree
    assert isinstance(tree, ShowStats)
    if not plan.guard.sees_all_of(tree.table):
        # Counts and bounds tell of rows and values that are hidden.
        raise AccessDenied(f"cannot show the statistics of '{tree.table}'")
    table = plan.tables[tree.table]
    files: list[DataFile] = []
    if table.current_snapshot is not None:
        from sqe.catalog.iceberg.manifests import data_files

        files = list(data_files(table))
    answer(statement, COLUMNS, [*_rows(table, files)], plan, coordinator)


def _rows(table: Table, files: list[DataFile]) -> list[tuple[object, ...]]:
    data = [f for f in files if f.content == 0]
    count = float(sum(f.record_count for f in data))
    # Rows that delete files take away are still in the counts and bounds of the data files.
    exact = len(data) == len(files)
    columns = [_column(c, data, count) for c in table.columns]
    return [*columns, (None, None, None, None, count if exact else None, None, None)]


def _column(column: Column, files: list[DataFile], count: float) -> tuple[object, ...]:
    from sqe.catalog.iceberg.metadata_tables import measure

    sizes = [(f.column_sizes or {}).get(column.field_id) for f in files]
    statistics = measure(files, column.field_id)
    nulls = statistics["null_count"]
    fraction = None
    if isinstance(nulls, int):
        fraction = nulls / count if count else 0.0
    texts = [None if statistics[k] is None else _text(statistics[k]) for k in ("min", "max")]
    is_sized = t.is_text(column.type) or column.type == t.VARBINARY
    size = float(sum(s for s in sizes if s is not None)) if is_sized and None not in sizes else None
    # Bounds of texts are cut short, so that only those of other types are values of the table.
    low, high = (None, None) if is_sized else texts
    return column.name, size, None, fraction, None, low, high


def _text(value: object) -> str:
    from sqe.catalog.iceberg.manifests import human

    return human(value).replace("T", " ")
