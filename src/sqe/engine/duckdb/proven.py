"""What the proof found equal on both lanes: functions by the types of their arguments, and casts.

`proven.json` is written by `make test-lanes` and by nothing else. What is not in it is not for the fast lane.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqe.foundation.record import record
from sqe.types.sql_types import (
    UNKNOWN,
    VARBINARY,
    Array,
    Char,
    ConstantTime,
    Decimal,
    Fixed,
    FunctionType,
    Map,
    Row,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
)

FILE = Path(__file__).with_name("proven.json")
# More digits are in another representation, in both engines.
SHORT_DIGITS = 18
# Any number of arguments: those of one type that follow each other count as one.
_ANY_NUMBER = frozenset(
    {"coalesce", "concat", "concat_ws", "greatest", "least", "$and", "$or", "$array", "$concat", "map_concat"}
)
# Each argument is looked at by itself.
_EACH = frozenset({"$row", "format", "$json_object", "$json_object_without_nulls", "$json_array"})


def type_key(t: Type) -> str:
    """The types whose values are proven together."""
    match t:
        case Decimal():
            return "decimal(short)" if t.precision <= SHORT_DIGITS else "decimal(long)"
        case Varchar():
            return "varchar"
        case Char():
            return "char"
        case Fixed():
            return str(VARBINARY)
        case Timestamp():
            return "timestamp"
        case TimestampTz():
            return "timestamp with time zone"
        case Array():
            return f"array({type_key(t.element)})"
        case Map():
            return f"map({type_key(t.key)}, {type_key(t.value)})"
        case Row():
            return "row"
        case FunctionType():
            return "function"
        case ConstantTime():
            # A text to engines: only what hands values on is ever called with one.
            return "varchar"
    return str(t)


def call_keys(function: str, types: Sequence[Type]) -> list[str]:
    """What has to be proven of a call."""
    keys = [type_key(t) for t in types]
    if function in _EACH:
        return list(dict.fromkeys(keys))
    if function in _ANY_NUMBER:
        keys = [key for key, before in zip(keys, [None, *keys], strict=False) if key != before]
    return [", ".join(keys)]


def cast_keys(source: Type, target: Type) -> list[tuple[str, str]]:
    """What has to be proven of a cast: of a container, that it is cast at all, and the casts inside it."""
    match source, target:
        case Array(), Array():
            inner = [(source.element, target.element)]
        case Map(), Map():
            inner = [(source.key, target.key), (source.value, target.value)]
        case Row(), Row():
            inner = [(a.type, b.type) for a, b in zip(source.fields, target.fields, strict=False)]
        case _:
            return [(type_key(source), type_key(target))]
    word = type_key(source).partition("(")[0]
    keys = [(word, word)]
    for a, b in inner:
        if a not in (b, UNKNOWN):
            keys += cast_keys(a, b)
    return keys


@record
class Outcome:
    """Names with the keys that were found equal; what differs has a reason."""

    functions: Mapping[str, frozenset[str]]
    casts: Mapping[str, frozenset[str]]
    try_casts: Mapping[str, frozenset[str]]
    differs: Mapping[str, str]

    def of_call(self, function: str, key: str) -> str | None:
        if key in self.functions.get(function, ()):
            return None
        return self._reason(f"{function}({key})")

    def of_cast(self, source: str, target: str, *, safe: bool) -> str | None:
        if target in (self.try_casts if safe else self.casts).get(source, ()):
            return None
        return self._reason(f"{'TRY_CAST' if safe else 'CAST'}({source} AS {target})")

    def _reason(self, what: str) -> str:
        if what in self.differs:
            return f"{what} differs on the fast lane: {self.differs[what]}"
        return f"{what} is not proven on the fast lane"


def read(text: str) -> Outcome:
    content: dict[str, Any] = json.loads(text)

    def sets(name: str) -> dict[str, frozenset[str]]:
        return {key: frozenset(values) for key, values in content[name].items()}

    return Outcome(sets("functions"), sets("casts"), sets("try_casts"), content["differs"])


@lru_cache(maxsize=1)
def outcome() -> Outcome:
    return read(FILE.read_text(encoding="utf-8"))


def call_refusal(function: str, types: Sequence[Type]) -> str | None:
    """Why calls with such arguments are not known to answer alike on both lanes; None where they are."""
    proof = outcome()
    for key in call_keys(function, types):
        reason = proof.of_call(function, key)
        if reason is not None:
            return reason
    return None


def cast_refusal(source: Type, target: Type, safe: bool) -> str | None:
    """As call_refusal, of CAST(source AS target); `safe` is TRY_CAST."""
    if source in (target, UNKNOWN):
        return None
    proof = outcome()
    for a, b in cast_keys(source, target):
        reason = proof.of_cast(a, b, safe=safe)
        if reason is not None:
            return reason
    return None
