"""A rendered statement on its way through Spark: its tables have names in the gateway until it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.catalog.gateway.bindings import Access, Binding, Bindings, Commit, aliases
from sqe.catalog.gateway.gateway import CATALOG
from sqe.errors import Cancelled, SqeError

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.catalog.catalogs import Catalogs
    from sqe.engine.spark.metrics import Operator
    from sqe.engine.spark.render import SparkRendered
    from sqe.engine.spark.spark import Stream
    from sqe.foundation.scanned import Scanned


class BoundStatement:
    """`sql` is the text with the names that it has while it runs."""

    def __init__(self, rendered: SparkRendered, catalogs: Catalogs, bindings: Bindings) -> None:
        read = {table: f"r{alias}" for table, alias in aliases(rendered.read).items()}
        written = {table: f"w{alias}" for table, alias in aliases(rendered.written).items()}
        bound = {
            alias: Binding(table, Access.READ, catalogs.get(table.catalog), rendered.read[table])
            for table, alias in read.items()
        }
        for table, alias in written.items():
            target = rendered.written[table]
            access = Access.DEFINE if target is None else Access.WRITE
            bound[alias] = Binding(table, access, catalogs.get(table.catalog), target)
        self._bindings = bindings
        self.namespace = bindings.begin(bound)
        prefix = f"{CATALOG}.{self.namespace.name}."
        self._names = {prefix + alias: str(table) for table, alias in [*read.items(), *written.items()]}
        self.sql = rendered.named(
            {table: prefix + alias for table, alias in read.items()},
            {table: prefix + alias for table, alias in written.items()},
        )

    def own_names(self, text: str) -> str:
        """A text of Spark's, with tables as their users call them."""
        for name, table in self._names.items():
            text = text.replace(name, table)
        return text

    def with_own_names(
        self, on_metrics: Callable[[list[Operator]], None]
    ) -> Callable[[list[Operator]], None]:
        def hear(operators: list[Operator]) -> None:
            on_metrics([replace(operator, name=self.own_names(operator.name)) for operator in operators])

        return hear

    def end(self) -> None:
        self._bindings.end(self.namespace)


class BoundStream:
    """The answer of a statement, which can load and commit until it is over."""

    def __init__(self, stream: Stream, bound: BoundStatement) -> None:
        self._stream = stream
        self._bound = bound

    @property
    def commits(self) -> Sequence[Commit]:
        return self._bound.namespace.commits

    @property
    def scanned(self) -> Scanned | None:
        return self._bound.namespace.scanned

    @property
    def schema(self) -> pa.Schema:
        with self._in_own_words():
            return self._stream.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        try:
            with self._in_own_words():
                yield from self._stream
        finally:
            self._bound.end()

    @contextlib.contextmanager
    def _in_own_words(self) -> Iterator[None]:
        """A statement that the catalog has refused something fails with that, and not with what Spark makes
        of it."""
        try:
            yield
        except Cancelled:
            raise
        except SqeError as error:
            refused = self._bound.namespace.failure
            if refused is None or self.commits:
                raise
            raise refused from error

    def close(self) -> None:
        try:
            self._stream.close()
        finally:
            self._bound.end()
