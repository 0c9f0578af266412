"""Iceberg's types, as they stand in metadata JSON, and ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sqe.errors import NotSupported
from sqe.foundation.recursion import MAX_NESTING
from sqe.types import sql_types as t

_FROM_ICEBERG: dict[str, t.Type] = {
    "boolean": t.BOOLEAN,
    "int": t.INTEGER,
    "long": t.BIGINT,
    "float": t.REAL,
    "double": t.DOUBLE,
    "date": t.DATE,
    "time": t.Time(6),
    "timestamp": t.Timestamp(6),
    "timestamptz": t.TimestampTz(6),
    "timestamp_ns": t.Timestamp(9),
    "timestamptz_ns": t.TimestampTz(9),
    "string": t.VARCHAR,
    "uuid": t.UUID,
    "binary": t.VARBINARY,
    "unknown": t.UNKNOWN,
}
_TO_ICEBERG: dict[t.Type, str] = {
    t.BOOLEAN: "boolean",
    t.TINYINT: "int",
    t.SMALLINT: "int",
    t.INTEGER: "int",
    t.BIGINT: "long",
    t.REAL: "float",
    t.DOUBLE: "double",
    t.DATE: "date",
    t.UUID: "uuid",
    t.JSON: "string",
    t.VARBINARY: "binary",
}
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_FIXED = re.compile(r"fixed\[\s*(\d+)\s*\]")


def from_iceberg(stored: Any, *, depth: int = 0) -> t.Type:
    """Our type for a stored one. A type that we do not have (variant, geometry, or one from the future)
    becomes a Simple of its name, so that its table loads; `unsupported` finds it where it is used. ValueError
    for one that is nested deeper than a statement could say it."""
    if isinstance(stored, dict):
        if depth > MAX_NESTING:
            raise ValueError(f"a type is nested more than {MAX_NESTING} levels deep")
        kind, inner = stored.get("type"), depth + 1
        if kind == "struct":
            fields = stored["fields"]
            return t.Row(tuple(t.RowField(f["name"], from_iceberg(f["type"], depth=inner)) for f in fields))
        if kind == "list":
            return t.Array(from_iceberg(stored["element"], depth=inner))
        if kind == "map":
            key, value = (from_iceberg(stored[part], depth=inner) for part in ("key", "value"))
            return t.Map(key, value)
        return t.Simple(str(kind))
    text = str(stored)
    simple = _FROM_ICEBERG.get(text)
    if simple is not None:
        return simple
    if decimal := _DECIMAL.fullmatch(text):
        return t.Decimal(int(decimal[1]), int(decimal[2]))
    if fixed := _FIXED.fullmatch(text):
        return t.Fixed(int(fixed[1]))
    return t.Simple(re.split(r"[(\[<]", text)[0].strip())


def leaf_types(fields: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, t.Type]]:
    """The ids and types of all that is not nested: columns, fields of rows, elements, keys and values."""
    for f in fields:
        stored = f["type"]
        if not isinstance(stored, dict):
            yield int(f["id"]), from_iceberg(stored)
        elif stored.get("type") == "struct":
            yield from leaf_types(stored["fields"])
        else:
            parts = ((part, f"{part}-id") for part in ("element", "key", "value") if part in stored)
            yield from leaf_types({"id": stored[key], "type": stored[part]} for part, key in parts)


_SUPPORTED = {kind for kind in _FROM_ICEBERG.values() if isinstance(kind, t.Simple)} | set(_TO_ICEBERG)


def unsupported(type_: t.Type) -> str | None:
    """The name of the part of a column's type that statements cannot use yet; None if all of it can be."""
    match type_:
        case t.Simple():
            return None if type_ in _SUPPORTED else type_.name
        case t.Array(element):
            return unsupported(element)
        case t.Map(key, value):
            return unsupported(key) or unsupported(value)
        case t.Row(fields):
            return next((name for f in fields if (name := unsupported(f.type))), None)
    return None


def to_iceberg(type_: t.Type, next_id: Callable[[], int], *, column: str) -> Any:
    """The JSON of a type, its nested fields numbered by `next_id`: siblings before their children."""
    match type_:
        case t.Array(element):
            element_id = next_id()
            return {
                "type": "list",
                "element-id": element_id,
                "element": to_iceberg(element, next_id, column=column),
                "element-required": False,
            }
        case t.Map(key, value):
            key_id, value_id = next_id(), next_id()
            return {
                "type": "map",
                "key-id": key_id,
                "key": to_iceberg(key, next_id, column=column),
                "value-id": value_id,
                "value": to_iceberg(value, next_id, column=column),
                "value-required": False,
            }
        case t.Row(fields):
            names = [f.name for f in fields]
            if None in names or len(set(names)) < len(names):
                raise NotSupported(
                    f"column '{column}': each field of a stored row needs a name of its own",
                    hint="write row(name type, ...)",
                )
            ids = [next_id() for _ in fields]
            return {
                "type": "struct",
                "fields": [
                    {
                        "id": field_id,
                        "name": f.name,
                        "required": False,
                        "type": to_iceberg(f.type, next_id, column=column),
                    }
                    for field_id, f in zip(ids, fields, strict=True)
                ],
            }
    return _primitive(type_, column)


def needs_version_3(stored: Any) -> bool:
    """Whether a stored type exists only since format version 3."""
    if isinstance(stored, dict):
        parts = [stored.get("element"), stored.get("key"), stored.get("value")]
        parts += [f["type"] for f in stored.get("fields", ())]
        return any(needs_version_3(part) for part in parts if part is not None)
    return str(stored).endswith("_ns")


def _primitive(type_: t.Type, column: str) -> str:
    match type_:
        case t.Decimal(precision, scale):
            return f"decimal({precision}, {scale})"
        case t.Varchar() | t.Char():
            return "string"
        case t.Fixed(length):
            return f"fixed[{length}]"
        case t.Time(precision) if precision <= 6:
            return "time"
        case t.Timestamp(precision) if precision <= 9:
            return "timestamp" if precision <= 6 else "timestamp_ns"
        case t.TimestampTz(precision) if precision <= 9:
            return "timestamptz" if precision <= 6 else "timestamptz_ns"
    stored = _TO_ICEBERG.get(type_)
    if stored is None:
        raise NotSupported(
            f"column '{column}': Iceberg cannot store the type {type_}",
            hint=INSTEAD.get(type(type_)) or (_INTERVAL if t.is_interval(type_) else None),
        )
    return stored


_INTERVAL = "store the length as a number, or the two ends as timestamps"
INSTEAD: dict[type[t.Type], str] = {
    t.Time: "a time has at most 6 digits of a second",
    t.Timestamp: "a timestamp has at most 9 digits of a second",
    t.TimestampTz: "a timestamp has at most 9 digits of a second",
    t.Opaque: "store what a function makes of it: st_asbinary, or CAST(… AS varbinary) of a sketch",
    t.ConstantTime: "a table keeps microseconds, and times without a zone: CAST it to timestamp(6)",
}
"""What to do with a value of a type that no table has."""
