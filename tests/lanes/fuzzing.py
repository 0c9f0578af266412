"""Random statements on both lanes, and what came of each, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from tests.lanes.both import Lanes
from tests.lanes.comparing import Answer, Failure, difference, difference_of_tables, plain, same
from tests.lanes.random_statements import Made

from sqe.api.connection import Connection
from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.engine.spark.render import render
from sqe.errors import ErrorKind, NotSupported, Position, SqeError
from sqe.functions.registry import can_fail
from sqe.statement import Statement, plan
from sqe.tree.expressions import Call, Case, Exists, InList, InSubquery, Quantified, ScalarSubquery, walk
from sqe.tree.expressions import Lambda as LambdaNode
from sqe.tree.statements import Statement as Tree

_BATCH = 32
Sql = Callable[[Sequence[str]], str]
_LAZY = (Case, InList, InSubquery, Quantified, ScalarSubquery, Exists, LambdaNode)


@dataclass(slots=True)
class Figures:
    """`internal` and `different` hold what has to be mended."""

    counts: Counter[str] = field(default_factory=Counter)
    statements: int = 0
    internal: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = ", ".join(f"{count} {word}" for word, count in self.counts.most_common())
        return (
            f"{sum(self.counts.values())} made in {self.statements} statements: {told};"
            f" {len(self.internal)} internal errors, {len(self.different)} differences"
        )


@dataclass(frozen=True, slots=True)
class _Planned:
    """An expression or query that was bound; whether the fast lane takes it too."""

    text: str
    fast: bool
    failing: int
    lazy: bool

    @property
    def open(self) -> bool:
        """SQL does not say whether a part that fails is computed where another decides."""
        return self.failing > 0 and self.lazy


class Fuzz:
    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self.figures = Figures()

    # Expressions ----------------------------------------------------------------------------------------

    def expressions(self, texts: Iterable[str], source: str, rows: int) -> None:
        """Each over one row: which rows of several a lane computes is its own affair."""
        planned: dict[int, list[_Planned]] = {row: [] for row in range(rows)}
        for number, text in enumerate(texts):
            row = number % rows
            found = self._planned(f"SELECT {text} FROM {source} WHERE k = {row}", text)
            if found is not None:
                planned[row].append(found)
        for row, group in planned.items():
            self._row(source, row, group)

    def _row(self, source: str, row: int, group: Sequence[_Planned]) -> None:
        def sql(items: Sequence[str]) -> str:
            return f"SELECT {', '.join(items)} FROM {source} WHERE k = {row}"

        taken = [p for p in group if p.fast]
        answers = self._answers(self._lanes.fast_connection, sql, [p.text for p in taken])
        fast = dict(zip(taken, answers, strict=True))
        # What raises is asked alone; the rest goes together.
        raising = [p for p in group if isinstance(fast.get(p), Failure)]
        others = [p for p in group if p not in raising]
        spark = dict(
            zip(
                others,
                self._answers(self._lanes.spark_connection, sql, [p.text for p in others]),
                strict=True,
            )
        )
        for p in raising:
            spark[p] = self._answers(self._lanes.spark_connection, sql, [p.text])[0]
        for p in group:
            self._judge(p, sql([p.text]), fast.get(p), spark[p])

    def _answers(self, connection: Connection, sql: Sql, items: Sequence[str]) -> list[Answer]:
        found: list[Answer] = []
        for start in range(0, len(items), _BATCH):
            found += self._some(connection, sql, items[start : start + _BATCH])
        return found

    def _some(self, connection: Connection, sql: Sql, items: Sequence[str]) -> list[Answer]:
        text = sql(items)
        try:
            return [plain(column) for column in self._run(connection, text).columns]
        except SqeError as error:
            failure = _failure(error)
            guilty = _place(text, items, error.position)
        if len(items) == 1:
            return [failure]
        if guilty is None:
            middle = len(items) // 2
            return [a for part in (items[:middle], items[middle:]) for a in self._some(connection, sql, part)]
        others = self._some(connection, sql, [*items[:guilty], *items[guilty + 1 :]])
        return [*others[:guilty], failure, *others[guilty:]]

    # Queries --------------------------------------------------------------------------------------------

    def queries(self, made: Iterable[Made]) -> None:
        for query in made:
            planned = self._planned(query.text, query.text)
            if planned is None:
                continue
            fast = self._table(self._lanes.fast_connection, query.text) if planned.fast else None
            spark = self._table(self._lanes.spark_connection, query.text)
            if isinstance(fast, pa.Table) and isinstance(spark, pa.Table):
                told = difference_of_tables(fast, spark, ordered=False) if query.certain else ""
                self._count("differing" if told else "answered alike" if query.certain else "answered")
                if told:
                    self.figures.different.append(f"{query.text}\n    {told}")
            else:
                left = pa.array([0]) if isinstance(fast, pa.Table) else fast
                right = pa.array([0]) if isinstance(spark, pa.Table) else spark
                self._judge(planned, query.text, left, right)

    def _table(self, connection: Connection, sql: str) -> pa.Table | Failure:
        try:
            return self._run(connection, sql)
        except SqeError as error:
            return _failure(error)

    # Both -----------------------------------------------------------------------------------------------

    def _run(self, connection: Connection, sql: str) -> pa.Table:
        self.figures.statements += 1
        return connection.execute(sql).fetch_arrow_table()

    def _planned(self, sql: str, text: str) -> _Planned | None:
        try:
            tree = self._plan(self._lanes.spark_connection, sql)
        except SqeError as error:
            self._count("refused by the binder")
            if error.kind is ErrorKind.INTERNAL_ERROR:
                self.figures.internal.append(f"{sql}\n    binding: {error!r}")
            return None
        except Exception as bug:
            self._count("refused by the binder")
            self.figures.internal.append(f"{sql}\n    binding: {bug!r}")
            return None
        try:
            self._plan(self._lanes.fast_connection, sql)
            fast = True
        except NotSupported:
            fast = False
        except SqeError:  # of a rendering, which the lane makes again
            fast = True
        if not fast and not self._renders(tree, sql):
            return None
        nodes = list(walk(tree))
        lazy = any(
            isinstance(n, _LAZY) or (isinstance(n, Call) and n.function in ("$and", "$or")) for n in nodes
        )
        return _Planned(text, fast, sum(map(can_fail, nodes)), lazy)

    def _renders(self, tree: Tree, sql: str) -> bool:
        """Spark is not asked for what has no text."""
        try:
            render(tree, session_zone="UTC")
        except SqeError as error:
            self._count("refused by the renderer")
            if error.kind is ErrorKind.INTERNAL_ERROR:
                self.figures.internal.append(f"{sql}\n    rendering: {error!r}")
            return False
        except Exception as bug:
            self.figures.internal.append(f"{sql}\n    rendering: {bug!r}")
            return False
        return True

    def _plan(self, connection: Connection, sql: str) -> Tree:
        tree = plan(Statement(sql, connection.session), connection.coordinator).tree
        return tree

    def _judge(self, planned: _Planned, sql: str, fast: Answer | None, spark: Answer) -> None:
        internal = [
            f"{lane} {a.code}: {a.message}"
            for lane, a in (("fast", fast), ("Spark", spark))
            if isinstance(a, Failure) and _is_internal(a)
        ]
        if internal:
            self._count("an internal error")
            self.figures.internal.append(f"{sql}\n    {'; '.join(internal)}")
        elif fast is None or (isinstance(fast, Failure) and fast.given_up):
            self._count(
                "an error of Spark's alone" if isinstance(spark, Failure) else "answered by Spark alone"
            )
        elif same(fast, spark) or _are_zeros(fast, spark):
            self._count("failing alike" if isinstance(fast, Failure) else "answered alike")
        elif isinstance(spark, Failure) and spark.refused:
            self._count("refused by Spark")
            self.figures.different.append(f"{sql}\n    {difference('', fast, spark)}")
        elif _differ_as_sql_lets_them(planned, fast, spark):
            self._count("left open by SQL")
        else:
            self._count("differing")
            self.figures.different.append(f"{sql}\n    {difference('', fast, spark)}")

    def _count(self, word: str) -> None:
        self.figures.counts[word] += 1


def _place(text: str, items: Sequence[str], position: Position | None) -> int | None:
    """Which of the items an error's place is in."""
    if position is None or position.line != 1:
        return None
    end = text.index(items[0])
    for number, item in enumerate(items):
        end += len(item) + len(", ")
        if position.column <= end:
            return number
    return None


def _differ_as_sql_lets_them(planned: _Planned, fast: Answer, spark: Answer) -> bool:
    if isinstance(fast, Failure) and isinstance(spark, Failure):
        return planned.failing > 1
    if isinstance(fast, Failure) or isinstance(spark, Failure):
        return planned.open
    return False


def _are_zeros(fast: Answer, spark: Answer) -> bool:
    """Spark keeps one of both zeros as the key of a map."""
    if isinstance(fast, Failure) or isinstance(spark, Failure) or "map<" not in str(spark.type):
        return False
    return not difference_of_tables(*(pa.table({"x": a}) for a in (fast, spark)), ordered=True)


def _failure(error: SqeError) -> Failure:
    code = (
        "INTERNAL"
        if error.kind is ErrorKind.INTERNAL_ERROR and not isinstance(error, FastLaneFailed)
        else error.code
    )
    return Failure(code, f"{error.code} {error.message}" if code == "INTERNAL" else error.message)


def _is_internal(failure: Failure) -> bool:
    return failure.code == "INTERNAL" or (failure.code == "FAST_LANE_FAILED" and not failure.given_up)
