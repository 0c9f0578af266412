"""The small language of signatures, and how arguments are matched to one.

"(array(T), function(T, U)) -> array(U)", "(varchar(x), bigint) -> varchar(x)", "(T:orderable, ...) -> T".
Capital letters are type variables, which `:comparable` and `:orderable` constrain; small letters inside
parentheses are variables for sizes; "..." repeats the parameter before it; the result "?" is computed by a
rule that stands beside the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from sqe.foundation.record import record
from sqe.functions.function import LambdaArgument, Resolution, ResultRule
from sqe.types.sql_types import (
    DATE,
    OPAQUE_TYPES,
    SIMPLE_TYPES,
    UNKNOWN,
    VARCHAR,
    Array,
    Char,
    Decimal,
    FunctionType,
    Map,
    Row,
    RowField,
    Time,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
    as_decimal,
    coerces,
    common_type,
    is_comparable,
    is_integer,
    is_orderable,
)


@record
class Pattern:
    pass


@record
class Exactly(Pattern):
    type: Type


@record
class Variable(Pattern):
    name: str
    needs: str = ""


@record
class Sized(Pattern):
    """decimal(p,s), varchar(x), timestamp(p) …; a size is a name or a number."""

    base: str
    sizes: tuple[str, ...]


@record
class ArrayOf(Pattern):
    element: Pattern


@record
class MapOf(Pattern):
    key: Pattern
    value: Pattern


@record
class RowOf(Pattern):
    fields: tuple[Pattern, ...]


@record
class FunctionOf(Pattern):
    arguments: tuple[Pattern, ...]
    result: Pattern


@record
class Signature:
    text: str
    parameters: tuple[Pattern, ...]
    repeats: bool
    result: Pattern | None
    generic: bool

    def expand(self, count: int) -> tuple[Pattern, ...] | None:
        """The parameters for so many arguments."""
        if not self.repeats:
            return self.parameters if count == len(self.parameters) else None
        if count < len(self.parameters):
            return None
        return self.parameters + self.parameters[-1:] * (count - len(self.parameters))


_ZONED = "timestamp with time zone"
_TOKEN = re.compile(
    r"\s*(interval year to month|interval day to second|with time zone|\.\.\.|->|\w+|[(),:?])"
)


@cache
def parse(text: str) -> Signature:
    return _Parser(text).signature()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        assert token and (expected is None or token == expected), (self.text, token, expected)
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def signature(self) -> Signature:
        self.take("(")
        parameters: list[Pattern] = []
        repeats = False
        while not self.accept(")"):
            if self.accept("..."):
                repeats = True
            else:
                parameters.append(self.pattern())
            self.accept(",")
        self.take("->")
        result = None if self.accept("?") else self.pattern()
        generic = any(not isinstance(p, Exactly) for p in parameters)
        return Signature(self.text, tuple(parameters), repeats, result, generic)

    def pattern(self) -> Pattern:
        name = self.take()
        if name[0].isupper():
            return Variable(name, self.take() if self.accept(":") else "")
        if not self.accept("("):
            return Exactly(SIMPLE_TYPES.get(name) or OPAQUE_TYPES[name])
        if name == "qdigest":
            element = self.take()
            self.take(")")
            return Exactly(OPAQUE_TYPES[f"{name}({element})"])
        if name in ("varchar", "char", "decimal", "timestamp", "time"):
            sizes = [self.take()]
            while self.accept(","):
                sizes.append(self.take())
            self.take(")")
            return Sized(_ZONED if self.accept("with time zone") else name, tuple(sizes))
        inner = [self.pattern()]
        while self.accept(","):
            inner.append(self.pattern())
        self.take(")")
        if name == "array":
            return ArrayOf(inner[0])
        if name == "map":
            return MapOf(inner[0], inner[1])
        if name == "row":
            return RowOf(tuple(inner))
        assert name == "function", self.text
        return FunctionOf(tuple(inner[:-1]), inner[-1])


Argument = Type | LambdaArgument


def match(
    signature: Signature, rule: ResultRule | None, arguments: Sequence[Argument], *, coerce: bool
) -> Resolution | None:
    """The signature's types for these arguments, or None where they do not fit. Without `coerce` every
    argument must have its parameter's type already."""
    patterns = signature.expand(len(arguments))
    if patterns is None:
        return None
    bindings = _Match(coerce)
    for pattern, argument in zip(patterns, arguments, strict=True):
        if isinstance(argument, (LambdaArgument, FunctionType)):
            if not isinstance(pattern, FunctionOf):
                return None
            if isinstance(argument, LambdaArgument) and argument.arity != len(pattern.arguments):
                return None
        elif isinstance(pattern, FunctionOf) or not bindings.unify(pattern, argument):
            return None
    if not bindings.bind_lambdas(patterns, arguments):
        return None
    parameters = tuple(
        _in_zone_of(bindings.build(pattern), argument)
        if isinstance(pattern, Sized)
        else bindings.build(pattern)
        for pattern, argument in zip(patterns, arguments, strict=True)
    )
    for parameter, argument in zip(parameters, arguments, strict=True):
        if isinstance(argument, (LambdaArgument, FunctionType)):
            continue
        if argument != parameter and not (coerce and _fits(argument, parameter)):
            return None
    if not bindings.satisfied():
        return None
    if signature.result is None:
        assert rule is not None, signature.text
        return Resolution(parameters, _in_first_zone(rule(parameters), parameters))
    return Resolution(parameters, _in_first_zone(bindings.build(signature.result), parameters))


def _in_zone_of(parameter: Type, argument: Argument) -> Type:
    """A function takes a zoned timestamp in any zone."""
    if isinstance(parameter, TimestampTz) and isinstance(argument, TimestampTz):
        return TimestampTz(parameter.precision, argument.zone)
    return parameter


def _in_first_zone(result: Type, parameters: Sequence[Type]) -> Type:
    """A zoned result is in the zone of the first zoned parameter."""
    first = next((p for p in parameters if isinstance(p, TimestampTz)), None)
    if first is not None and isinstance(result, TimestampTz):
        return TimestampTz(result.precision, first.zone)
    return result


class _Match:
    def __init__(self, coerce: bool) -> None:
        self.coerce = coerce
        self.types: dict[str, Type] = {}
        self.needs: dict[str, str] = {}
        self.sizes: dict[str, int | None] = {}
        self.sized: dict[Sized, Type] = {}

    def unify(self, pattern: Pattern, t: Type) -> bool:
        match pattern:
            case Exactly():
                return t == pattern.type or (self.coerce and _fits(t, pattern.type))
            case Variable():
                if pattern.needs:
                    self.needs[pattern.name] = pattern.needs
                return self._widen(pattern.name, t)
            case Sized():
                return self._size(pattern, t)
            case ArrayOf():
                return self._inside((pattern.element,), (t.element,) if isinstance(t, Array) else None, t)
            case MapOf():
                inner = (t.key, t.value) if isinstance(t, Map) else None
                return self._inside((pattern.key, pattern.value), inner, t)
            case RowOf():
                fields = tuple(f.type for f in t.fields) if isinstance(t, Row) else None
                return self._inside(pattern.fields, fields, t)
        raise AssertionError(pattern)

    def _inside(self, patterns: tuple[Pattern, ...], types: tuple[Type, ...] | None, t: Type) -> bool:
        if types is None:
            if t != UNKNOWN or not self.coerce:
                return False
            types = (UNKNOWN,) * len(patterns)
        if len(types) != len(patterns):
            return False
        return all(self.unify(p, inner) for p, inner in zip(patterns, types, strict=True))

    def _widen(self, name: str, t: Type) -> bool:
        current = self.types.get(name)
        if current is None or current == t:
            self.types[name] = t
            return True
        if not self.coerce:
            return False
        wider = common_type(current, t)
        if wider is None:
            return False
        self.types[name] = wider
        return True

    def _size(self, pattern: Sized, t: Type) -> bool:
        own = _in_family(pattern.base, t, self.coerce)
        if own is None:
            return False
        current = self.sized.get(pattern)
        if current is not None and current != own:
            wider = common_type(current, own) if self.coerce else None
            if wider is None:
                return False
            own = wider
        self.sized[pattern] = own
        for size, value in zip(pattern.sizes, _sizes(own), strict=True):
            if not size.isdigit():
                self.sizes[size] = value
        return True

    def bind_lambdas(self, patterns: Sequence[Pattern], arguments: Sequence[Argument]) -> bool:
        """Each lambda's body tells the type of its result. A body that is wider than what is known of its
        result (reduce's state) widens it, and all are bound again."""
        for _ in range(4):
            before = dict(self.types)
            for pattern, argument in zip(patterns, arguments, strict=True):
                if isinstance(argument, LambdaArgument):
                    assert isinstance(pattern, FunctionOf)
                    body = argument.bind(tuple(self.build(p) for p in pattern.arguments))
                    if not self._unify_body(pattern.result, body):
                        return False
                elif isinstance(argument, FunctionType):
                    assert isinstance(pattern, FunctionOf)
                    if not self._unify_body(pattern.result, argument.result):
                        return False
            if self.types == before:
                return True
        return False

    def _unify_body(self, pattern: Pattern, body: Type) -> bool:
        coerce, self.coerce = self.coerce, True
        try:
            return self.unify(pattern, body)
        finally:
            self.coerce = coerce

    def satisfied(self) -> bool:
        checks = {"comparable": is_comparable, "orderable": is_orderable}
        return all(checks[need](self.types[name]) for name, need in self.needs.items())

    def build(self, pattern: Pattern) -> Type:
        match pattern:
            case Exactly():
                return pattern.type
            case Variable():
                return self.types.get(pattern.name, UNKNOWN)
            case Sized():
                values = [int(s) if s.isdigit() else self.sizes.get(s) for s in pattern.sizes]
                return _make(pattern.base, values)
            case ArrayOf():
                return Array(self.build(pattern.element))
            case MapOf():
                return Map(self.build(pattern.key), self.build(pattern.value))
            case RowOf():
                return Row(tuple(RowField(None, self.build(f)) for f in pattern.fields))
            case FunctionOf():
                return FunctionType(
                    tuple(self.build(p) for p in pattern.arguments), self.build(pattern.result)
                )
        raise AssertionError(pattern)


def _fits(source: Type, target: Type) -> bool:
    if isinstance(source, Varchar) and isinstance(target, Char):
        # Trino widens text to char where a char is met; an unbounded text does not fit one.
        return source.length is not None and source.length <= target.length
    return coerces(source, target)


def _in_family(base: str, t: Type, coerce: bool) -> Type | None:
    """The member of a family of sized types that holds every value of `t`."""
    match base, t:
        case ("decimal", Decimal()) | ("varchar", Varchar()) | ("char", Char()):
            return t
        case ("timestamp", Timestamp()) | ("time", Time()):
            return t
        case ("timestamp with time zone", TimestampTz()):
            return t
    if not coerce:
        return None
    if t == UNKNOWN:
        return _SMALLEST[base]
    if base == "decimal":
        return as_decimal(t) if is_integer(t) else None
    if base == "varchar":
        return Varchar(t.length) if isinstance(t, Char) else None
    if base == "char":
        return Char(t.length) if isinstance(t, Varchar) and t.length else None
    if base == "timestamp":
        return Timestamp(0) if t == DATE else None
    if base == _ZONED:
        return TimestampTz(t.precision) if isinstance(t, Timestamp) else TimestampTz(0) if t == DATE else None
    return None


_SMALLEST: dict[str, Type] = {
    "decimal": Decimal(1, 0),
    "varchar": VARCHAR,
    "char": Char(1),
    "timestamp": Timestamp(0),
    "time": Time(0),
    _ZONED: TimestampTz(0),
}


def _sizes(t: Type) -> tuple[int | None, ...]:
    match t:
        case Decimal():
            return (t.precision, t.scale)
        case Varchar() | Char():
            return (t.length,)
        case Timestamp() | TimestampTz() | Time():
            return (t.precision,)
    raise AssertionError(t)


def _make(base: str, sizes: Sequence[int | None]) -> Type:
    if base == "varchar":
        return Varchar(sizes[0])
    numbers = [0 if size is None else size for size in sizes]
    if base == "decimal":
        return Decimal(numbers[0], numbers[1])
    families: dict[str, type[Char] | type[Timestamp] | type[Time] | type[TimestampTz]] = {
        "char": Char,
        "timestamp": Timestamp,
        "time": Time,
        _ZONED: TimestampTz,
    }
    return families[base](numbers[0])
