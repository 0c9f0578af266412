"""Folds casts of constant texts: DuckDB does not push down a filter that may fail."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from sqe.tree.expressions import Cast, Literal, rebuild
from sqe.tree.statements import Query
from sqe.types import sql_types as t

# Only what every reader of dates reads alike; the engine has to read, or refuse, the rest.
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")


def folded(query: Query) -> Query:
    changed = _change(query)
    assert isinstance(changed, Query)
    return changed


def _change(node: Any) -> Any:
    node = rebuild(node, _change)
    if isinstance(node, Cast) and isinstance(node.operand, Literal) and isinstance(node.operand.value, str):
        value = _value(node.operand.value, node.type)
        if value is not None:
            return Literal(node.type, value)
    return node


def _value(text: str, kind: t.Type) -> object | None:
    try:
        if kind == t.DATE and _DATE.fullmatch(text):
            return dt.date.fromisoformat(text)
        if isinstance(kind, t.Timestamp) and _TIMESTAMP.fullmatch(text):
            return dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return None
