"""Tables in rendered SQL: under their own names for people, and under those of the gateway for Spark.

A name is marked while a statement is put together, and written when it is known who reads it. No text of a
user's can hold the mark (quoting.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqe.engine.spark.types import quote_name
from sqe.tree.relations import TableName

_MARK = "\x12"
_TARGET = ">"
_MARKED = re.compile(f"{_MARK}{_TARGET}?([^{_MARK}]*){_MARK}")


def table_name(table: TableName) -> str:
    """Of a table that is read."""
    return f"{_MARK}{_quoted(table)}{_MARK}"


def target_name(table: TableName) -> str:
    """Of the table that the statement writes, which it may read too."""
    return f"{_MARK}{_TARGET}{_quoted(table)}{_MARK}"


def with_own_names(sql: str) -> str:
    return _MARKED.sub(lambda name: name[1], sql)


def with_names(sql: str, read: Mapping[TableName, str], written: Mapping[TableName, str]) -> str:
    """The text with these names, which may be of several parts."""
    names = {table_name(table): _parts(name) for table, name in read.items()}
    names |= {target_name(table): _parts(name) for table, name in written.items()}
    return _MARKED.sub(lambda name: names[name[0]], sql)


def _parts(name: str) -> str:
    return ".".join(quote_name(part) for part in name.split("."))


def _quoted(table: TableName) -> str:
    return ".".join(quote_name(part) for part in (table.catalog, *table.namespace, table.name))
