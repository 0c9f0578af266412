"""A cursor: one statement at a time, and its rows as Python values or as Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sqe.api.dbapi import Column, Progress, Warning
from sqe.api.values import rows
from sqe.errors import InterfaceError, NotSupported, SqeError, UserError
from sqe.types import sql_types as t

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from sqe.api.protocols import RunningStatement, StatementRunner
    from sqe.results.result import Result
    from sqe.tree.expressions import Expression

# How many rows become Python values at a time, however large the engine's batches are.
CHUNK = 1024
Row = tuple[Any, ...]


class Cursor:
    """Made by `Connection.cursor()`. It belongs to one thread; `cancel` and `progress` are for all.

    fetchone, fetchmany, fetchall and iteration move on through the rows. What gives Arrow, data frames or
    a display always has all rows, as often as it is asked.
    """

    def __init__(self, connection: StatementRunner[Any]) -> None:
        self.connection = connection
        self.arraysize = 1
        self.statement: RunningStatement | None = None
        self._closed = False
        self._rows: Iterator[Row] = iter(())
        self._failure: SqeError | None = None

    def execute(self, sql: str, parameters: Sequence[object] | None = None) -> Cursor:
        """Runs one statement, with a value for each `?` of it. Rows may still arrive when this returns."""
        self._clear()
        self._run(sql, _bound(parameters), parameters or ())
        return self

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> Cursor:
        """Runs a statement with each row of values. INSERT ... VALUES (?, ...) writes all of them in one
        commit; any other statement runs, and commits, once a row."""
        self._clear()
        bound_rows = [(_bound(row, of_row=number), row) for number, row in enumerate(rows, start=1)]
        if len(bound_rows) > 1 and _takes_rows(sql):
            if len({len(row) for row, _ in bound_rows}) > 1:
                raise UserError("the rows are of different lengths", code="INVALID_PARAMETER_USAGE")
            bound = tuple(value for row, _ in bound_rows for value in row)
            self._run(sql, bound, [value for _, row in bound_rows for value in row], rows=len(bound_rows))
            return self
        updated = 0
        for row, values in bound_rows:
            statement = self._run(sql, row, values)
            if statement.result is not None:
                self._clear()
                raise NotSupported("executemany is for statements that return no rows", hint="use execute")
            if statement.updated is not None:
                updated += statement.updated
                statement.updated = updated
            if statement.cancelled:
                break
        return self

    def _run(
        self, sql: str, parameters: tuple[Expression, ...], values: Sequence[object], *, rows: int = 1
    ) -> RunningStatement:
        if not isinstance(sql, str):
            raise InterfaceError(f"a statement is text, and this is {type(sql).__name__}")
        statement: RunningStatement = self.connection.statement(sql, parameters, values, rows=rows)
        self.statement = statement
        with _blamed_on(statement):
            self.connection.run(statement)
        if statement.result is not None:
            self._rows = _rows_of(statement.result)
        return statement

    def cancel(self) -> None:
        """Ends the running statement; for other threads."""
        if self.statement is not None:
            self.connection.cancel(self.statement)

    def progress(self) -> Progress | None:
        """None until the engine reports."""
        statement = self.statement
        tasks = None if statement is None else statement.progress
        if statement is None or tasks is None:
            return None
        result = statement.result
        return Progress(*tasks, result.rows if result is not None else 0)

    @property
    def stage(self) -> str:
        """What the statement is waiting for: `running`, `starting Spark`, `queued`."""
        return "running" if self.statement is None else self.connection.stage(self.statement)

    @property
    def description(self) -> list[Column] | None:
        """A column each, with the name of its SQL type. None where the statement returns no rows."""
        columns = self.columns
        return None if columns is None else [_described(name, type_) for name, type_ in columns]

    @property
    def columns(self) -> list[tuple[str, t.Type]] | None:
        statement = self.statement
        if statement is None or statement.result is None:
            return None
        return [(field.name, field.type) for field in statement.result.fields]

    @property
    def rowcount(self) -> int:
        """The rows that a statement changed; -1 where it changes none."""
        statement = self.statement
        return -1 if statement is None or statement.updated is None else statement.updated

    @property
    def update_type(self) -> str:
        """INSERT, CREATE TABLE, …; empty before the first statement."""
        return "" if self.statement is None else self.statement.kind

    @property
    def query_id(self) -> str | None:
        return None if self.statement is None else self.statement.id

    @property
    def warnings(self) -> list[str]:
        return [] if self.statement is None else list(self.statement.warnings)

    @property
    def messages(self) -> list[tuple[type[Warning], Warning]]:
        """The warnings, in PEP 249's form."""
        return [(Warning, Warning(text)) for text in self.warnings]

    def fetchone(self) -> Row | None:
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        most = self.arraysize if size is None else size
        if not isinstance(most, int) or most < 0:
            raise InterfaceError(f"a number of rows is 0 or more, not {most!r}")
        return self._fetch(most)

    def fetchall(self) -> list[Row]:
        return self._fetch(None)

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def _fetch(self, most: int | None) -> list[Row]:
        self._result()
        if self._failure is not None:
            # An iterator that has failed says that it is at its end, and the rows would seem to be too.
            raise self._failure
        assert self.statement is not None
        try:
            with _blamed_on(self.statement):
                return list(islice(self._rows, most))
        except SqeError as error:
            self._failure = error
            raise

    def fetch_record_batches(self) -> pa.RecordBatchReader:
        """All rows, batch by batch as they arrive."""
        import pyarrow as pa

        result = self._result()
        return pa.RecordBatchReader.from_batches(result.schema, self._batches(result))

    def fetch_arrow_table(self) -> pa.Table:
        return self.fetch_record_batches().read_all()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """All rows, for what reads Arrow: `pyarrow.table(cursor)`, `polars.DataFrame(cursor)`."""
        # Once it is the other side's, an error is the other side's too: so wait for ours here.
        result = self._result()
        assert self.statement is not None
        with _blamed_on(self.statement):
            result.wait()
        return self.fetch_record_batches().__arrow_c_stream__(requested_schema)

    def fetch_df(self) -> pd.DataFrame:
        """All rows as a pandas DataFrame."""
        return self.fetch_arrow_table().to_pandas()

    df = fetch_df

    def pl(self) -> pl.DataFrame:
        """All rows as a polars DataFrame."""
        try:
            import polars as pl
        except ImportError:
            raise InterfaceError("polars is not installed", hint="pip install polars") from None
        return pl.DataFrame(self.fetch_arrow_table())

    def _batches(self, result: Result) -> Iterator[pa.RecordBatch]:
        # Keeps the cursor, so that the result is not given up while it is read.
        assert self.statement is not None
        with _blamed_on(self.statement):
            yield from result.batches()

    def __repr__(self) -> str:
        if self.closed:
            return "<sqe.Cursor, closed>"
        if self.statement is None:
            return "<sqe.Cursor>"
        from sqe.api.display import column_list, outcome

        columns = self.description
        return f"<sqe.Cursor: {outcome(self.statement) if columns is None else column_list(columns)}>"

    def _repr_html_(self) -> str:
        """The first rows, with the types in the head. The cursor stays where it is."""
        from sqe.api.display import ROWS, html_table, html_text, outcome

        columns = self.description
        if self.closed or columns is None:
            return html_text(repr(self) if self.closed else outcome(self.statement))
        result = self._result()
        # One more than is shown, which tells that there are more.
        heads = (batch.slice(0, ROWS + 1) for batch in self._batches(result))
        return html_table(columns, (row for head in heads for row in rows(head, result.fields)))

    def close(self) -> None:
        """Frees the rows; a statement that still runs is cancelled."""
        if not self._closed:
            self._closed = True
            self._give_up()

    @property
    def closed(self) -> bool:
        return self._closed or self.connection.closed

    def __enter__(self) -> Cursor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        statement: RunningStatement | None = getattr(self, "statement", None)
        if statement is not None and statement.result is not None:
            self.connection.abandon(statement.result)

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """Does nothing, as PEP 249 allows."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing, as PEP 249 allows."""

    def _clear(self) -> None:
        """Ready for the next statement."""
        if self._closed:
            raise InterfaceError("the cursor is closed")
        self.connection.check_open()
        self._give_up()
        self.statement, self._failure, self._rows = None, None, iter(())

    def _give_up(self) -> None:
        if self.statement is not None and self.statement.result is not None:
            self.statement.result.close()

    def _result(self) -> Result:
        if self._closed:
            raise InterfaceError("the cursor is closed")
        self.connection.check_open()
        if self.statement is None:
            raise InterfaceError("there is nothing to fetch: no statement was executed")
        if self.statement.result is None:
            raise InterfaceError("there is nothing to fetch: the statement returns no rows")
        return self.statement.result


def _rows_of(result: Result) -> Iterator[Row]:
    # Not a method: a cursor that holds an iterator that holds the cursor would live on.
    for batch in result.batches():
        for start in range(0, batch.num_rows, CHUNK):
            yield from rows(batch.slice(start, CHUNK), result.fields)


@contextmanager
def _blamed_on(statement: RunningStatement) -> Iterator[None]:
    try:
        yield
    except SqeError as error:
        error.query_id = statement.id or error.query_id
        raise


def _bound(values: Sequence[object] | None, *, of_row: int | None = None) -> tuple[Expression, ...]:
    if values is None:
        return ()
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes, Mapping)):
        raise UserError(
            f"the values of ? are given as a list or tuple, not as {type(values).__name__}",
            code="INVALID_PARAMETER_USAGE",
        )
    try:
        from sqe.bind.parameters import bind_values

        return bind_values(values)
    except SqeError as error:
        if of_row is None:
            raise
        message = f"row {of_row}, {error.message}"
        raise type(error)(message, code=error.code, hint=error.hint) from None


def _takes_rows(sql: str) -> bool:
    from sqe.sql.parse import parse
    from sqe.sql.rows import takes_rows

    try:
        return takes_rows(parse(sql))
    except SqeError:
        # Running it says why.
        return False


def _described(name: str, type_: t.Type) -> Column:
    match type_:
        case t.Decimal(precision, scale):
            return Column(name, str(type_), None, None, precision, scale)
        case t.Time(precision) | t.Timestamp(precision) | t.TimestampTz(precision):
            return Column(name, str(type_), precision=precision)
        case t.Varchar(length) | t.Char(length) | t.Fixed(length):
            return Column(name, str(type_), internal_size=length)
    return Column(name, str(type_))
