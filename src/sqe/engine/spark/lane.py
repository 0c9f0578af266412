"""The Spark lane: every statement that an engine has to run can run here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.engine.lane import Batches, Candidate, Measured, Order, Question, Rendered
from sqe.engine.row_limit import limited
from sqe.errors import NotSupported
from sqe.foundation.record import record
from sqe.session import Identity
from sqe.tree.expressions import walk
from sqe.tree.names import expands, unspeakable
from sqe.tree.relations import FileScan, Scan, TableName
from sqe.tree.statements import CreateTable, RowChange, Statement, Target
from sqe.types import sql_types as t
from sqe.types.iceberg import unsupported

if TYPE_CHECKING:
    from sqe.catalog.gateway.bindings import Bindings
    from sqe.catalog.iceberg.table import Table
    from sqe.engine.spark.bound import BoundStream
    from sqe.engine.spark.connect import Progress
    from sqe.engine.spark.metrics import Operator
    from sqe.engine.spark.render import SparkRendered
    from sqe.engine.spark.spark import Spark, SparkSession

_NANOSECONDS = 9


@record
class SparkCandidate(Candidate):
    tree: Statement
    tables: Mapping[TableName, Table]
    time_zone: str
    statement_id: str

    @property
    def reason(self) -> str:
        return "Spark writes all data" if self.tree.writes else "the session asks for it"


class SparkLane:
    """`session_of` is the Spark session of an identity, whose one catalog is the gateway; `bindings` are what
    that shows, asked for by the first statement."""

    name = "spark"
    tells_places = True

    def __init__(
        self,
        spark: Callable[[], Spark],
        session_of: Callable[[Identity], SparkSession],
        bindings: Callable[[], Bindings],
    ) -> None:
        self._spark = spark
        self._session_of = session_of
        self._bindings = bindings

    def eligible(self, question: Question) -> Candidate | str:
        _check_columns(question.tree)
        return SparkCandidate(question.tree, question.tables, question.time_zone, question.statement_id)

    def render(self, candidate: Candidate) -> SparkRendered:
        from sqe.engine.spark.render import render

        assert isinstance(candidate, SparkCandidate)
        rendered = render(
            candidate.tree, session_zone=candidate.time_zone, statement_id=candidate.statement_id
        )
        return replace(
            rendered,
            total_files=_total_files(candidate),
            read={node.table: candidate.tables[node.table] for node in _scans(candidate.tree)},
            written=_written(candidate),
        )

    def run(self, rendered: Rendered, order: Order) -> Batches:
        return self._run(rendered, order)

    def _run(
        self,
        rendered: Rendered,
        order: Order,
        on_metrics: Callable[[list[Operator]], None] | None = None,
    ) -> BoundStream:
        from sqe.engine.spark.bound import BoundStatement, BoundStream
        from sqe.engine.spark.render import SparkRendered

        assert isinstance(rendered, SparkRendered)

        def on_progress(progress: Progress) -> None:
            if order.on_progress is not None:
                order.on_progress(progress.tasks_done, progress.tasks_total)

        bound = BoundStatement(rendered, order.catalogs, self._bindings())
        try:
            stream = self._session_of(order.identity).run(
                bound.sql,
                statement_id=order.statement_id,
                user=order.identity.user,
                files={view.name: (view.format, view.paths) for view in rendered.views},
                tables=order.tables,
                bodies=rendered.bodies,
                on_progress=on_progress,
                on_metrics=None if on_metrics is None else bound.with_own_names(on_metrics),
                deadline=order.deadline,
            )
        except BaseException:
            bound.end()
            raise
        return BoundStream(stream, bound)

    def measure(self, rendered: Rendered, order: Order, *, most_rows: int) -> Measured:
        from sqe.engine.spark.metrics import steps_of
        from sqe.engine.spark.render import SparkRendered

        assert isinstance(rendered, SparkRendered)
        operators: list[Operator] = []
        stream = self._run(rendered, order, operators.extend)
        try:
            rows = sum(batch.num_rows for batch in limited(stream, most_rows))
        finally:
            stream.close()
        return Measured(rows, steps_of(operators, rendered.total_files.get), stream.scanned)

    def explain(self, rendered: Rendered, order: Order) -> list[str]:
        from sqe.engine.spark.bound import BoundStatement
        from sqe.engine.spark.render import SparkRendered, strip_positions

        assert isinstance(rendered, SparkRendered)
        lines = ["Spark SQL:", *("  " + line for line in strip_positions(rendered.sql).splitlines())]
        # Spark plans what is there, and no temporary views are made for an EXPLAIN.
        if not rendered.is_query or rendered.views or rendered.tables:
            return lines
        bound = BoundStatement(rendered, order.catalogs, self._bindings())
        try:
            plan = self._session_of(order.identity).explain(
                bound.sql,
                statement_id=order.statement_id,
                bodies=rendered.bodies,
                deadline=order.deadline,
            )
        finally:
            bound.end()
        return [*lines, "", "Spark plan:", *("  " + line for line in bound.own_names(plan).splitlines())]

    def cancel(self, statement_id: str) -> None:
        self._spark().cancel(statement_id)

    def close(self) -> None:
        """The Spark behind it is closed by whoever started it."""


def _check_columns(statement: Statement) -> None:
    """Spark cannot open a table with a column of such a type, whether the statement uses it or not. And names
    with control characters are no names to us."""
    for node in walk(statement):
        if not isinstance(node, (Scan, FileScan, Target)):
            continue
        for field in node.fields:
            character = unspeakable(field.name, field.type)
            if character is not None:
                raise NotSupported(
                    f"a column has the control character {character} in its name, or in that of a field",
                    hint="rename it: ALTER TABLE ... RENAME COLUMN",
                )
            if isinstance(node, FileScan) and expands(field.name, field.type):
                raise NotSupported(
                    f"column '{field.name}' of a file: Spark takes ${{...}} in its name for a variable",
                    hint="SET SESSION lane = 'fast', or rename the column in the file",
                )
            odd = unsupported(field.type)
            if isinstance(field.type, t.Time) or _is_nanoseconds(field.type):
                odd = str(field.type)
            if odd is not None:
                raise NotSupported(f"column '{field.name}' is of type {odd}, which no lane can read yet")


def _is_nanoseconds(type_: t.Type) -> bool:
    return isinstance(type_, (t.Timestamp, t.TimestampTz)) and type_.precision == _NANOSECONDS


def _scans(statement: Statement) -> Iterator[Scan]:
    return (node for node in walk(statement) if isinstance(node, Scan) and node.metadata is None)


def _written(candidate: SparkCandidate) -> dict[TableName, Table | None]:
    tree = candidate.tree
    if isinstance(tree, RowChange):
        return {tree.target.table: candidate.tables[tree.target.table]}
    return {tree.table: None} if isinstance(tree, CreateTable) else {}


def _total_files(candidate: SparkCandidate) -> dict[str, int]:
    """The data files of each table, where its snapshot says so and all scans of it read the same one."""
    counts: dict[str, set[int | None]] = {}
    for scan in walk(candidate.tree):
        if isinstance(scan, Scan):
            table = candidate.tables[scan.table]
            snapshot = table.current_snapshot
            if scan.as_of is not None:
                snapshot = table.snapshots.get(scan.as_of.snapshot_id)
            files = None if snapshot is None else snapshot.summary.get("total-data-files")
            counts.setdefault(str(scan.table), set()).add(None if files is None else int(files))
    certain = {name: next(iter(numbers)) for name, numbers in counts.items() if len(numbers) == 1}
    return {name: count for name, count in certain.items() if count is not None}
