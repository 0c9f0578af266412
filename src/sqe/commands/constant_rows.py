"""Many rows of constants, which travel to the engine as Arrow: as SQL it would take minutes to parse them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.errors import InvalidArgument
from sqe.tree.constants import value_of
from sqe.tree.relations import Values

if TYPE_CHECKING:
    import pyarrow as pa


def table_of(values: Values) -> pa.Table:
    import pyarrow as pa

    from sqe.types.arrow import arrow_type

    columns = []
    for index, field in enumerate(values.fields):
        cells = [value_of(row[index], field.type) for row in values.rows]
        try:
            columns.append(pa.array(cells, arrow_type(field.type)))
        except UnicodeEncodeError:
            raise InvalidArgument("a text contains half of a surrogate pair") from None
    return pa.table(columns, [f"c{index}" for index in range(len(columns))])
