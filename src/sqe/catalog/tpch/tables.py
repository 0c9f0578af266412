"""The tables and scales: columns by the names and types of Trino's connector, and what DuckDB calls them."""

from __future__ import annotations

import re

from sqe.types import sql_types as t

Columns = tuple[tuple[str, t.Type], ...]

_KEY, _COUNT, _AMOUNT = t.BIGINT, t.INTEGER, t.DOUBLE


def _text(length: int) -> t.Type:
    return t.Varchar(length)


TABLES: dict[str, Columns] = {
    "customer": (
        ("custkey", _KEY),
        ("name", _text(25)),
        ("address", _text(40)),
        ("nationkey", _KEY),
        ("phone", _text(15)),
        ("acctbal", _AMOUNT),
        ("mktsegment", _text(10)),
        ("comment", _text(117)),
    ),
    "lineitem": (
        ("orderkey", _KEY),
        ("partkey", _KEY),
        ("suppkey", _KEY),
        ("linenumber", _COUNT),
        ("quantity", _AMOUNT),
        ("extendedprice", _AMOUNT),
        ("discount", _AMOUNT),
        ("tax", _AMOUNT),
        ("returnflag", _text(1)),
        ("linestatus", _text(1)),
        ("shipdate", t.DATE),
        ("commitdate", t.DATE),
        ("receiptdate", t.DATE),
        ("shipinstruct", _text(25)),
        ("shipmode", _text(10)),
        ("comment", _text(44)),
    ),
    "nation": (
        ("nationkey", _KEY),
        ("name", _text(25)),
        ("regionkey", _KEY),
        ("comment", _text(152)),
    ),
    "orders": (
        ("orderkey", _KEY),
        ("custkey", _KEY),
        ("orderstatus", _text(1)),
        ("totalprice", _AMOUNT),
        ("orderdate", t.DATE),
        ("orderpriority", _text(15)),
        ("clerk", _text(15)),
        ("shippriority", _COUNT),
        ("comment", _text(79)),
    ),
    "part": (
        ("partkey", _KEY),
        ("name", _text(55)),
        ("mfgr", _text(25)),
        ("brand", _text(10)),
        ("type", _text(25)),
        ("size", _COUNT),
        ("container", _text(10)),
        ("retailprice", _AMOUNT),
        ("comment", _text(23)),
    ),
    "partsupp": (
        ("partkey", _KEY),
        ("suppkey", _KEY),
        ("availqty", _COUNT),
        ("supplycost", _AMOUNT),
        ("comment", _text(199)),
    ),
    "region": (
        ("regionkey", _KEY),
        ("name", _text(25)),
        ("comment", _text(152)),
    ),
    "supplier": (
        ("suppkey", _KEY),
        ("name", _text(25)),
        ("address", _text(40)),
        ("nationkey", _KEY),
        ("phone", _text(15)),
        ("acctbal", _AMOUNT),
        ("comment", _text(101)),
    ),
}
PREFIXES = {
    "customer": "c_",
    "lineitem": "l_",
    "nation": "n_",
    "orders": "o_",
    "part": "p_",
    "partsupp": "ps_",
    "region": "r_",
    "supplier": "s_",
}
"""What the generator puts before the name of a column."""
OF_EVERY_SCALE = frozenset({"nation", "region"})
"""Tables whose rows are the same at every scale."""
TINY = 0.01
LISTED = ("tiny", "sf1", "sf10", "sf100")
"""The schemas that are listed; any other `sf<number>` is there for whoever names it."""
_SCALE = re.compile(r"sf(0\.0*[1-9][0-9]*|[1-9][0-9]*(\.[0-9]*[1-9])?)")


def scale_of(schema: str) -> float | None:
    """None for a name that is no schema. Each scale has one name: `sf1`, and neither `sf01` nor `sf1.0`."""
    if schema == "tiny":
        return TINY
    return float(schema[2:]) if len(schema) <= 12 and _SCALE.fullmatch(schema) else None
