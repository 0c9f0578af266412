"""The query behind .summarize: one row a column, from one pass over the table."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.foundation.identifiers import quoted_if_needed

_NUMBERS = ("tinyint", "smallint", "integer", "bigint", "real", "double", "decimal")
_NESTED = ("array(", "map(", "row(", "json")
_QUARTILES = "ARRAY[0.25, 0.5, 0.75]"
_EPOCH = "DATE '1970-01-01'"


def summary(table: str, columns: Sequence[tuple[str, str]]) -> str:
    """`table` as it is written in SQL, `columns` with the names of their types."""
    aggregates, rows = ["count(*) AS n"], []
    for number, (name, type_) in enumerate(columns):
        new_aggregates, row = _column(number, name, type_)
        aggregates += new_aggregates
        rows.append(row)
    lists = [f"ARRAY[{', '.join(row[i] for row in rows)}]" for i in range(len(_HEADER))]
    return (
        f"SELECT {', '.join(f's.{name}' for name in _HEADER)}\n"
        f"FROM (SELECT {', '.join(aggregates)} FROM {table}) AS a\n"
        f"CROSS JOIN UNNEST({', '.join(lists)}) AS s ({', '.join(_HEADER)})"
    )


_HEADER = (
    *("column_name", "column_type", "min", "max", "approx_unique", "avg", "std", "q25", "q50", "q75"),
    *("count", "null_percentage"),
)


def _column(number: int, name: str, type_: str) -> tuple[list[str], list[str]]:
    """The aggregates of a column, and its row made of them."""
    column, prefix = quoted_if_needed(name), f"c{number}_"
    nothing = "CAST(NULL AS varchar)"
    aggregates = {"filled": f"count({column})"}
    cells = {"min": nothing, "max": nothing, "avg": "CAST(NULL AS double)", "std": "CAST(NULL AS double)"}
    unique = "CAST(NULL AS bigint)"
    quartiles = [nothing] * 3
    if not type_.startswith(_NESTED):
        aggregates["unique"] = f"approx_distinct({column})"
        unique = f"{prefix}unique"
        for end in ("min", "max"):
            aggregates[end] = _extreme(end, column, type_)
            cells[end] = f"CAST({prefix}{end} AS varchar)"
    if type_.startswith(_NUMBERS):
        aggregates |= {"avg": f"avg(CAST({column} AS double))", "std": f"stddev(CAST({column} AS double))"}
        cells |= {"avg": f"{prefix}avg", "std": f"{prefix}std"}
    position = _as_number(column, type_)
    if position is not None:
        aggregates["q"] = f"approx_percentile({position}, {_QUARTILES})"
        quartiles = [_from_number(f"{prefix}q[{i}]", type_) for i in (1, 2, 3)]
    percentage = f"CAST(100.0 * (n - {prefix}filled) / nullif(n, 0) AS decimal(5, 2))"
    row = [_text(name), _text(type_), cells["min"], cells["max"], unique, cells["avg"], cells["std"]]
    return (
        [f"{value} AS {prefix}{key}" for key, value in aggregates.items()],
        [*row, *quartiles, "n", percentage],
    )


def _extreme(end: str, column: str, type_: str) -> str:
    if type_ == "varbinary":
        return f"to_hex({end}({column}))"
    if type_ == "uuid":
        return f"{end}(CAST({column} AS varchar))"
    return f"{end}({column})"


def _as_number(column: str, type_: str) -> str | None:
    """What quartiles are computed of."""
    if type_.startswith(_NUMBERS):
        return column if type_.startswith(("real", "double")) else f"CAST({column} AS double)"
    if type_ == "date":
        return f"date_diff('day', {_EPOCH}, {column})"
    if type_.startswith("timestamp"):
        return f"to_unixtime({column})"
    return None


def _from_number(quartile: str, type_: str) -> str:
    if type_ == "date":
        return f"CAST(date_add('day', {quartile}, {_EPOCH}) AS varchar)"
    if type_.startswith("timestamp"):
        if type_.endswith("zone"):
            return f"CAST(from_unixtime({quartile}) AS varchar)"
        return f"CAST(CAST(from_unixtime({quartile}, 'UTC') AS timestamp(3)) AS varchar)"
    if type_.startswith(("tinyint", "smallint", "integer", "bigint")):
        return f"CAST(CAST({quartile} AS bigint) AS varchar)"
    return f"CAST({quartile} AS varchar)"


def _text(value: str) -> str:
    return "CAST('" + value.replace("'", "''") + "' AS varchar)"
