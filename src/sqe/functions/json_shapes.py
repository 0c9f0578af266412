"""What a cast from JSON tells its Python body about the type that it makes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from sqe.types.sql_types import (
    APPROXIMATE,
    BOOLEAN,
    DATE,
    JSON,
    UNKNOWN,
    Array,
    Decimal,
    Map,
    Row,
    Timestamp,
    Type,
    Varchar,
    is_integer,
    is_numeric,
)

Keys = Callable[[Row], Sequence[str]]


def castable_from_json(target: Type) -> bool:
    match target:
        case Array(element):
            return castable_from_json(element)
        case Map(key, value):
            return is_member_name(key) and castable_from_json(value)
        case Row(fields):
            # With a name for the first field, the others need one too.
            consistent = fields[0].name is None or all(f.name is not None for f in fields)
            return consistent and all(castable_from_json(f.type) for f in fields)
    return target in (BOOLEAN, JSON) or is_numeric(target) or isinstance(target, Varchar)


def castable_to_json(source: Type) -> bool:
    match source:
        case Array(element):
            return castable_to_json(element)
        case Map(key, value):
            return (is_member_name(key) or key == UNKNOWN) and castable_to_json(value)
        case Row(fields):
            return all(castable_to_json(f.type) for f in fields)
    moments = isinstance(source, Timestamp) or source == DATE
    return source in (BOOLEAN, JSON, UNKNOWN) or is_numeric(source) or isinstance(source, Varchar) or moments


def is_member_name(key: Type) -> bool:
    """Whether values of a type can be the names of an object's members."""
    return key == BOOLEAN or is_numeric(key) or isinstance(key, Varchar)


def has_parts(t: Type) -> bool:
    return isinstance(t, (Array, Map, Row))


def holds_map(t: Type) -> bool:
    match t:
        case Array(element):
            return holds_map(element)
        case Row(fields):
            return any(holds_map(f.type) for f in fields)
    return isinstance(t, Map)


def holds_json_to_read(source: Type, target: Type) -> bool:
    """Whether a part of a value is JSON that is cast to something else."""
    return any(a == JSON != b for a, b in leaves(source, target))


def leaves(source: Type, target: Type) -> Iterator[tuple[Type, Type]]:
    match source, target:
        case Array(), Array():
            yield from leaves(source.element, target.element)
        case Map(), Map():
            yield from leaves(source.key, target.key)
            yield from leaves(source.value, target.value)
        case Row(), Row():
            for a, b in zip(source.fields, target.fields, strict=True):
                yield from leaves(a.type, b.type)
        case _:
            yield source, target


def shape_of(target: Type, keys: Keys) -> str:
    """`keys` are the names that an engine gives to the fields of a row."""
    return json.dumps(_shape(target, keys), separators=(",", ":"))


def _shape(target: Type, keys: Keys) -> list[object]:
    match target:
        case Array(element):
            return ["array", _shape(element, keys)]
        case Map(key, value):
            return ["map", _shape(key, keys), _shape(value, keys)]
        case Row(fields):
            names = None if fields[0].name is None else [f.name for f in fields]
            return ["row", names, list(keys(target)), [_shape(f.type, keys) for f in fields]]
        case Decimal(precision, scale):
            return ["decimal", precision, scale]
        case Varchar(length):
            return ["varchar", length]
    assert target in (BOOLEAN, JSON, *APPROXIMATE) or is_integer(target)
    return [str(target)]
