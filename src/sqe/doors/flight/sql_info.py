"""What the server and its SQL can do, by the numbers of Flight SQL's SqlInfo.

Drivers cast each value to the type that they expect, so each has its place in the union. There are no
numbers of our own: the JDBC driver asks for everything and fails on a number that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module

import pyarrow as pa

from sqe.config.config import Config
from sqe.doors.flight import schemas
from sqe.functions.casts import castable
from sqe.sql.keywords import KEYWORDS
from sqe.types import sql_types as t

# The children of the union by their position.
_TEXT, _FLAG, _LONG, _INT, _LIST, _MAP = range(6)
_CASE_INSENSITIVE, _LOWER_CASE = 1, 3
_NULLS_AT_END = 3
_NO_TRANSACTIONS = 0

_FLAGS: dict[int, bool] = {
    3: False,  # read only
    4: True,  # SQL
    5: False,  # Substrait
    9: True,  # cancel
    10: True,  # bulk ingestion
    11: False,  # bulk ingestion in transactions
    500: False,  # CREATE CATALOG
    501: True,  # CREATE SCHEMA
    502: True,  # CREATE TABLE
    506: True,  # every table that is listed can be read
    515: True,  # aliases of columns
    516: True,  # NULL || 'x' is NULL
    518: True,  # aliases of tables
    519: False,  # … that must differ from the tables' names
    520: True,  # expressions in ORDER BY
    521: True,  # ORDER BY of what is not selected
    523: True,  # LIKE … ESCAPE
    524: True,  # NOT NULL columns
    527: False,  # integrity enhancement
    532: True,  # a name begins with its catalog
    536: False,  # SELECT FOR UPDATE
    537: False,  # stored procedures
    539: True,  # correlated subqueries
    556: False,  # a limit of rows that includes blobs
    563: False,  # transactions
    565: False,  # DDL commits
    566: False,  # DDL is ignored in transactions
    572: True,  # batches
    573: False,  # savepoints
    574: False,  # named parameters
    575: False,  # updates of locators
    576: False,  # functions by CALL
}


def _bits(*positions: int) -> int:
    return sum(1 << position for position in positions)


_INTEGERS: dict[int, int] = {
    8: _NO_TRANSACTIONS,
    101: 0,  # transactions' time-out
    503: _LOWER_CASE,
    505: _CASE_INSENSITIVE,
    507: _NULLS_AT_END,
    522: _bits(0, 1),  # GROUP BY what is not selected, and more than is selected
    525: _bits(0, 1),  # ODBC's minimum and core grammar
    526: _bits(0),  # SQL-92 entry level
    # The protocol's text calls this an ordinal; the drivers read it as bits: limited and full outer joins.
    528: _bits(1, 2),
    533: 0,  # schemas in CALL, indexes, GRANT
    534: 0,  # catalogs in them
    535: 0,  # positioned updates
    538: _bits(0, 1, 2, 3),  # subqueries in comparisons, EXISTS, IN, ANY and ALL
    540: _bits(0, 1),  # UNION, UNION ALL
    564: _bits(0),  # isolation: none
    567: _bits(1),  # results are read forward
    568: 0,
    569: _bits(1),  # and are read only
    570: 0,
    571: 0,
}

# Limits are 0 where there is none. The protocol's text calls 562, the isolation level, an int32; the JDBC
# driver takes it from here.
_LIMIT_NUMBERS = (*range(541, 556), *range(557, 563))
_MAX_CONNECTIONS, _MAX_STATEMENT_LENGTH = 549, 557
_PREPARED_TIMEOUT = 100
_LARGEST_INT = 2**31 - 1

_FAMILIES: dict[int, tuple[str, ...]] = {
    509: ("math", "bits"),
    510: ("strings", "regular_expressions"),
    511: ("session", "conditionals"),
    512: ("datetime", "zones"),
}
# Of the session's functions, those that are about time.
_NOW = {"current_date", "current_timestamp", "current_timezone", "localtimestamp", "now"}

# The types of SqlSupportsConvert by their numbers.
_CONVERTIBLE: dict[int, t.Type] = {
    0: t.BIGINT,
    1: t.VARBINARY,
    2: t.BOOLEAN,
    3: t.Char(1),
    4: t.DATE,
    5: t.Decimal(38, 0),
    6: t.DOUBLE,
    7: t.INTEGER,
    8: t.DAY_SECOND,
    9: t.YEAR_MONTH,
    10: t.VARBINARY,
    11: t.VARCHAR,
    12: t.Decimal(38, 0),
    13: t.REAL,
    14: t.SMALLINT,
    15: t.Time(6),
    16: t.Timestamp(6),
    17: t.TINYINT,
    18: t.VARBINARY,
    19: t.VARCHAR,
}

# A value and its place in the union.
Value = tuple[int, object]


def table(requested: Sequence[int], config: Config) -> pa.Table:
    """The values of some numbers, or all of them. A number that has none is left out: a driver that is
    newer than this server still gets the others."""
    answers = values(config)
    numbers = sorted(answers) if not requested else [n for n in dict.fromkeys(requested) if n in answers]
    arrays = [pa.array(numbers, pa.uint32()), _union([answers[n] for n in numbers])]
    return pa.Table.from_arrays(arrays, schema=schemas.SQL_INFO)


def values(config: Config) -> Mapping[int, Value]:
    limits = dict.fromkeys(_LIMIT_NUMBERS, 0)
    limits[_MAX_CONNECTIONS] = config.sessions.max_sessions
    limits[_MAX_STATEMENT_LENGTH] = config.query.max_sql_bytes
    answers = dict(_fixed_values())
    answers.update((n, (_LONG, value)) for n, value in limits.items())
    # A prepared statement ends with its session.
    answers[_PREPARED_TIMEOUT] = (_INT, min(config.sessions.idle_timeout * 1000, _LARGEST_INT))
    return answers


@lru_cache(maxsize=1)
def _fixed_values() -> Mapping[int, Value]:
    from sqe.foundation.version import __version__

    texts = {
        0: "SQE",
        1: __version__,
        2: pa.__version__,
        6: "",  # Substrait's versions: none
        7: "",
        504: '"',
        513: "\\",
        514: "",
        529: "schema",
        530: "procedure",
        531: "catalog",
    }
    functions = {n: _functions(families) for n, families in _FAMILIES.items()}
    functions[511] -= _NOW
    functions[512] |= _NOW
    lists = {n: sorted(names) for n, names in {508: KEYWORDS, **functions}.items()}
    answers: dict[int, Value] = {517: (_MAP, _conversions())}
    for place, group in ((_TEXT, texts), (_FLAG, _FLAGS), (_INT, _INTEGERS), (_LIST, lists)):
        answers.update((n, (place, value)) for n, value in group.items())
    return answers


def _functions(families: Iterable[str]) -> set[str]:
    rows = [row for family in families for row in import_module(f"sqe.functions.{family}").FUNCTIONS]
    return {row.name for row in rows if not row.hidden and row.kind == "scalar"}


def _conversions() -> list[tuple[int, list[int]]]:
    return [
        (source, [target for target, other in _CONVERTIBLE.items() if castable(kind, other)])
        for source, kind in _CONVERTIBLE.items()
    ]


def _union(values: Sequence[Value]) -> pa.Array:
    kind = schemas.SQL_INFO_VALUE
    children: list[list[object]] = [[] for _ in range(kind.num_fields)]
    offsets = []
    for place, value in values:
        offsets.append(len(children[place]))
        children[place].append(value)
    # pyarrow's own maker of unions lets every child be NULL.
    return pa.Array.from_buffers(
        kind,
        len(values),
        [
            None,
            pa.array([place for place, _ in values], pa.int8()).buffers()[1],
            pa.array(offsets, pa.int32()).buffers()[1],
        ],
        children=[pa.array(child, kind.field(i).type) for i, child in enumerate(children)],
    )
