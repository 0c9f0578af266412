"""The limit on the rows of a result: more rows are an error that names it, never a shorter answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sqe.errors import LimitExceeded

if TYPE_CHECKING:
    import pyarrow as pa


def limited(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    """Passes batches on until there are more than `most` rows, which is an error. 0 is no limit."""
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        check_rows(rows, most)
        yield batch


def check_rows(rows: int, most: int) -> None:
    if most and rows > most:
        raise LimitExceeded(
            f"the result has more than query.max_result_rows = {most} rows",
            code="EXCEEDED_RESULT_ROWS",
            hint="add a LIMIT, or raise the limit",
        )
