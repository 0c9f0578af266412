"""Calls of every function, by every signature and over every type that fits: what both lanes are asked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.lanes import by_hand
from tests.lanes.columns import KINDS, LETTERS

from sqe.engine.duckdb.functions import rendering
from sqe.functions import internal, registry
from sqe.functions.function import Function
from sqe.functions.signatures import (
    ArrayOf,
    Exactly,
    FunctionOf,
    MapOf,
    Pattern,
    RowOf,
    Signature,
    Sized,
    Variable,
    parse,
)


@dataclass(frozen=True, slots=True)
class Probe:
    """An expression over `a.x`, `b.x`, `c.x`. `kind` is scalar, aggregate or window."""

    function: str
    text: str
    kind: str = "scalar"


# Columns for a parameter of exactly such a type, and of a type of such a family.
_EXACTLY = {
    "boolean": ("b",), "tinyint": ("t8",), "smallint": ("t16",), "integer": ("i", "pi"), "bigint": ("l", "p"),
    "real": ("f", "fn"), "double": ("d", "dn"), "varchar": ("s", "w"), "varbinary": ("bin",),
    "date": ("dt", "dn2"), "json": ("j",), "uuid": ("u",), "interval year to month": ("ym",),
    "interval day to second": ("ds",), "Geometry": ("geo",), "SphericalGeography": ("geog",),
    "BingTile": ("tile",), "HyperLogLog": ("hll",), "SetDigest": ("sets",), "tdigest": ("td",),
}  # fmt: skip
_FAMILIES = {
    "varchar": ("s", "w", "v"),
    "char": ("c",),
    "decimal": ("n", "n18", "n0", "big", "n38", "n20"),
    "timestamp": ("ts", "tn", "ts3"),
    "timestamp with time zone": ("tz", "tz3"),
}
# Columns of every type that a T may be.
SCALARS = ("b", "t8", "t16", "i", "l", "f", "d", "n", "big", "s", "v", "c", "bin", "dt", "ts", "tz", "u",
           "ym", "ds", "j")  # fmt: skip
NESTED = ("ai", "ad", "as_", "aa", "ms", "md", "r", "rd")
# Where there are several to be found out, these go with each other.
USUAL = ("l", "i", "s", "d", "n", "big", "dt", "ts", "b", "f", "bin", "tz")
_ARRAYS = ("ai", "ad", "as_", "ab", "aa", "aint", "af", "an", "abig", "adt", "ats", "atz", "abin", "an1",
    "ap",
           "as1", "an2", "ar", "ari")  # fmt: skip
# Beside those that a T may be of.
_GEOMETRIES = ("ageo",)
_MAPS = ("ms", "md", "mi", "mss", "mii", "mint", "mdt", "msa")
# Constants of the statement, and what has no answer to compare.
APART = frozenset({"now", "current_timestamp", "localtimestamp", "current_date", "shuffle", "$ordered"})
# What statistics of a table bring in: tables of all kinds meet them, constants do not.
_INTERNAL = frozenset(function.name for function in internal.FUNCTIONS)


def probes(names: Sequence[str] | None = None) -> Iterator[Probe]:
    """Of these functions, else of all that the fast lane has."""
    for name in names or rendering.names():
        function = registry.lookup(name)
        assert function is not None, name
        if name in APART or name in _INTERNAL:
            continue
        seen = set()
        for call in itertools.chain(by_hand.calls(name), _generated(function)):
            text = by_hand.moderate(name, call)
            if text not in seen:
                seen.add(text)
                yield Probe(name, text, function.kind)


def _generated(function: Function) -> Iterator[str]:
    if function.name in by_hand.ONLY or function.name.startswith("$try:"):
        return
    for spec in function.signatures:
        if isinstance(spec, (str, tuple)):
            signature = parse(spec if isinstance(spec, str) else spec[0])
            if function.name in by_hand.CONSTANT_COUNT and len(signature.parameters) > 1:
                continue
            # The arguments of an aggregate are of one row.
            letters = LETTERS if function.kind == "scalar" else "aaa"
            yield from _of_signature(function.name, signature, letters)


def _of_signature(name: str, signature: Signature, letters: str) -> Iterator[str]:
    parameters = list(signature.parameters)
    if signature.repeats:
        parameters.append(parameters[-1])
    variables = {v for p in parameters for v in _variables(p)}
    if not variables:
        choices = [_columns(p, {}) for p in parameters]
        if all(choices):
            for row in _together(parameters, choices):
                yield _call(name, row, letters)
        return
    for assigned in _assignments(parameters, sorted(variables)):
        choices = [_columns(p, assigned) for p in parameters]
        if all(choices):
            for row in _together(parameters, choices):
                yield _call(name, row, letters)


def _together(parameters: Sequence[Pattern], choices: list[list[str]]) -> Iterator[list[str]]:
    """Side by side, as long as the longest; decimals each with each, since their digits add up."""
    decimals = [p for p in parameters if isinstance(p, Sized) and p.base == "decimal"]
    if len(decimals) > 1:
        yield from map(list, itertools.product(*choices))
        return
    for number in range(max((len(c) for c in choices), default=1)):
        yield [c[number % len(c)] for c in choices]


def _call(name: str, arguments: Sequence[str], letters: str) -> str:
    places = [a if "->" in a else f"{letters[min(i, 2)]}.{a}" for i, a in enumerate(arguments)]
    if name in by_hand.INFIX:
        return f"{places[0]} {by_hand.INFIX[name]} {places[1]}"
    if name in by_hand.WRITTEN:
        return by_hand.WRITTEN[name].format(*places)
    return f"{name}({', '.join(places)})"


def _variables(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case Variable(name=name):
            yield name
        case ArrayOf(element=element):
            yield from _variables(element)
        case MapOf(key=key, value=value):
            yield from _variables(key)
            yield from _variables(value)
        case RowOf(fields=fields):
            for field in fields:
                yield from _variables(field)
        case FunctionOf(arguments=arguments, result=result):
            for part in (*arguments, result):
                yield from _variables(part)


def _assignments(parameters: Sequence[Pattern], variables: Sequence[str]) -> Iterator[dict[str, str]]:
    """Types for each T, that some columns have."""
    plain = {p.name for p in parameters if isinstance(p, Variable)}
    pools = []
    for variable in variables:
        if variable in plain and not any(variable in _variables(p) for p in parameters if _holds(p)):
            pool = SCALARS + NESTED if len(plain) == 1 else USUAL
            pools.append([KINDS[column] for column in pool])
    if len(pools) == len(plain) and plain and plain == set(variables):
        for kinds in itertools.product(*pools):
            yield dict(zip(sorted(plain), kinds, strict=True))
        return
    # Types come from the arrays and maps that there are.
    held = [p for p in parameters if _holds(p)]
    seen = set()
    columns = [_ARRAYS if isinstance(p, ArrayOf) else _MAPS for p in held]
    # Where nothing binds them to each other, each type meets a few: all with all would be millions.
    bound = sum(len(set(_variables(p))) for p in held) > len({v for p in held for v in _variables(p)})
    several = itertools.product(*columns) if bound or len(held) < 2 else _shifted(columns)
    for chosen in several:
        assigned: dict[str, str] = {}
        if all(_unify(p, KINDS[c], assigned) for p, c in zip(held, chosen, strict=True)):
            for variable in variables:
                # The state of a reduction, or the result of a lambda.
                assigned.setdefault(variable, "bigint" if variable in plain else "")
            key = tuple(sorted(assigned.items()))
            if key not in seen:
                seen.add(key)
                yield assigned


def _shifted(columns: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    for start in range(max(map(len, columns))):
        for step in (0, 1, 4):
            yield tuple(c[(start + n * step) % len(c)] for n, c in enumerate(columns))


def _holds(pattern: Pattern) -> bool:
    return isinstance(pattern, (ArrayOf, MapOf)) and any(True for _ in _variables(pattern))


def _unify(pattern: Pattern, kind: str, assigned: dict[str, str]) -> bool:
    match pattern:
        case Variable(name=name):
            return assigned.setdefault(name, kind) == kind
        case Exactly(type=type_):
            return str(type_) == kind
        case ArrayOf(element=element):
            return kind.startswith("array(") and _unify(element, kind[6:-1], assigned)
        case MapOf(key=key, value=value):
            if not kind.startswith("map("):
                return False
            inner = _split(kind[4:-1])
            return _unify(key, inner[0], assigned) and _unify(value, inner[1], assigned)
        case RowOf(fields=fields):
            if not kind.startswith("row("):
                return False
            types = [part.split(" ", 1)[1] for part in _split(kind[4:-1])]
            return len(types) == len(fields) and all(map(lambda f, t: _unify(f, t, assigned), fields, types))
    return False


def _split(text: str) -> list[str]:
    """At commas that are in no parentheses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _columns(pattern: Pattern, assigned: dict[str, str]) -> list[str]:
    """The columns, or lambdas, that may stand for a parameter."""
    match pattern:
        case Exactly(type=type_):
            return list(_EXACTLY.get(str(type_), ()))
        case Sized(base=base):
            return list(_FAMILIES.get(base, ()))
        case Variable(name=name):
            return [c for c in (*SCALARS, *NESTED) if KINDS[c] == assigned[name]][:1]
        case FunctionOf(arguments=arguments, result=result):
            return _lambdas(arguments, result, assigned)
        case ArrayOf() | MapOf():
            pool = (*_ARRAYS, *_GEOMETRIES) if isinstance(pattern, ArrayOf) else _MAPS
            return [c for c in pool if _unify(_lengthless(pattern), KINDS[c], dict(assigned))]
    return []


def _lengthless(pattern: Pattern) -> Pattern:
    """Stored text has no length."""
    if isinstance(pattern, ArrayOf) and isinstance(pattern.element, Sized):
        assert pattern.element.base == "varchar"
        return parse("(array(varchar)) -> boolean").parameters[0]
    return pattern


def _lambdas(arguments: tuple[Pattern, ...], result: Pattern, assigned: dict[str, str]) -> list[str]:
    names = ["x", "y", "z"][: len(arguments)]
    head = names[0] if len(names) == 1 else f"({', '.join(names)})"
    last = names[-1]
    if isinstance(result, Exactly) and str(result.type) == "boolean":
        return [f"{head} -> {last} IS NULL", f"{head} -> {last} IS NOT NULL AND {names[0]} = {names[0]}"]
    if isinstance(result, Exactly):
        return [f"{head} -> 0"] if str(result.type) in ("bigint", "integer") else []
    same = [n for n, a in zip(names, arguments, strict=True) if a == result]
    return [f"{head} -> {body}" for body in dict.fromkeys([*same, *(() if same else (last,))])]
