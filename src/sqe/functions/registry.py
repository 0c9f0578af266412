"""The registry: find a function by name, and the signature of it that fits some arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module

from sqe.errors import Position, TypeMismatch
from sqe.functions.aliases import ALIASES
from sqe.functions.function import Function, LambdaArgument, Resolution, ResultRule, SignatureSpec
from sqe.functions.index import FAMILIES, FAMILY_OF
from sqe.functions.signatures import Argument, Signature, match, parse
from sqe.tree.expressions import AggregateCall, Call, Cast, WindowCall
from sqe.types.sql_types import FunctionType, Type, holds_all

__all__ = [
    "Function",
    "LambdaArgument",
    "Resolution",
    "can_fail",
    "functions",
    "lookup",
    "names",
    "resolve",
]

_FUNCTIONS: dict[str, Function] = {}


def _import(family: str) -> None:
    rows: tuple[Function, ...] = import_module(f"sqe.functions.{family}").FUNCTIONS
    _FUNCTIONS.update((row.name, row) for row in rows)


def functions() -> list[Function]:
    """All of them, operators too."""
    for family in FAMILIES:
        _import(family)
    return [_FUNCTIONS[name] for name in FAMILY_OF]


def lookup(name: str) -> Function | None:
    name = ALIASES.get(name, name)
    function = _FUNCTIONS.get(name)
    if function is None and (family := FAMILY_OF.get(name)) is not None:
        _import(family)
        function = _FUNCTIONS[name]
    return function


def names(kind: str | None = None) -> list[str]:
    """The functions that a user may call, sorted."""
    return sorted(f.name for f in functions() if not f.hidden and kind in (None, f.kind))


def can_fail(node: object) -> bool:
    """Whether an expression itself, whatever its parts do, may fail for the values of some row."""
    if isinstance(node, Cast):
        # Two long decimals have a common type that neither fits whole.
        return not node.safe and not (node.implicit and holds_all(node.type, node.operand.type))
    if not isinstance(node, (Call, AggregateCall, WindowCall)):
        return False
    function = lookup(node.function)
    return function is not None and bool(function.leaks((*(a.type for a in node.arguments), node.type)))


def resolve(
    function: Function,
    arguments: Sequence[Argument],
    position: Position | None = None,
) -> Resolution:
    """The signature that fits best: one that needs no coercion, else the most specific of the others."""
    if any(isinstance(argument, LambdaArgument) for argument in arguments):
        resolution = _choose(function, tuple(arguments))
    else:
        resolution = _choose_cached(function.name, tuple(arguments))
    if isinstance(resolution, Resolution):
        return resolution
    raise _mismatch(function, arguments, ambiguous=resolution, position=position)


@lru_cache(maxsize=4096)
def _choose_cached(name: str, arguments: tuple[Argument, ...]) -> Resolution | bool:
    return _choose(_FUNCTIONS[name], arguments)


def _choose(function: Function, arguments: tuple[Argument, ...]) -> Resolution | bool:
    """A resolution; False where nothing fits, True where more than one does equally well."""
    signatures: list[tuple[Signature, ResultRule | None]] = []
    for spec in function.signatures:
        if isinstance(spec, (str, tuple)):
            signatures.append(_parsed(spec))
        elif types := [a for a in arguments if not isinstance(a, LambdaArgument)]:
            if len(types) == len(arguments) and (choice := spec(tuple(types))) is not None:
                return choice
        elif not arguments and (choice := spec(())) is not None:
            return choice
    for generic in (False, True):
        for signature, rule in signatures:
            if signature.generic == generic:
                choice = match(signature, rule, arguments, coerce=False)
                if choice is not None:
                    return choice
    fitting = []
    for signature, rule in signatures:
        choice = match(signature, rule, arguments, coerce=True)
        if choice is not None:
            fitting.append((signature, rule, choice))
    if not fitting:
        return False
    best = [
        choice
        for signature, _, choice in fitting
        if all(
            other is signature or match(other, rule, choice.parameters, coerce=True) is not None
            for other, rule, _ in fitting
        )
    ]
    if not best:
        best = [choice for _, _, choice in fitting]
    # Equally good ones may differ only in how they read a NULL.
    return best[0] if len({choice.result for choice in best}) == 1 else True


def _parsed(spec: str | tuple[str, ResultRule]) -> tuple[Signature, ResultRule | None]:
    return (parse(spec), None) if isinstance(spec, str) else (parse(spec[0]), spec[1])


_OPERATORS = {
    "$add": "+",
    "$sub": "-",
    "$mul": "*",
    "$div": "/",
    "$mod": "%",
    "$eq": "=",
    "$ne": "<>",
    "$lt": "<",
    "$le": "<=",
    "$gt": ">",
    "$ge": ">=",
    "$concat": "||",
    "$like": "LIKE",
    "$is_distinct": "IS DISTINCT FROM",
}


def _mismatch(
    function: Function, arguments: Sequence[Argument], *, ambiguous: bool, position: Position | None
) -> TypeMismatch:
    spellings = [_spell(argument) for argument in arguments]
    symbol = _OPERATORS.get(function.name)
    if symbol is not None and len(spellings) == 2:
        return TypeMismatch(
            f"Cannot apply operator: {spellings[0]} {symbol} {spellings[1]}", position=position
        )
    if function.hidden:
        return TypeMismatch(
            f"Cannot apply operator {function.name[1:]} to {', '.join(spellings)}", position=position
        )
    if ambiguous:
        return TypeMismatch(
            f"More than one {function.name} fits the arguments ({', '.join(spellings)})",
            position=position,
            hint="CAST an argument to the type that you mean",
        )
    overloads = ", ".join(
        function.name + _spelled(spec) for spec in function.signatures if not callable(spec)
    )
    expected = f" Expected: {overloads}" if overloads else ""
    return TypeMismatch(
        f"Unexpected parameters ({', '.join(spellings)}) for function {function.name}.{expected}",
        code="FUNCTION_NOT_FOUND",
        position=position,
    )


def _spelled(spec: SignatureSpec) -> str:
    text = spec if isinstance(spec, str) else spec[0] if isinstance(spec, tuple) else "(…)"
    return text.split(" -> ")[0]


def _spell(argument: Argument) -> str:
    if isinstance(argument, LambdaArgument):
        return "function"
    assert isinstance(argument, Type)
    return "function" if isinstance(argument, FunctionType) else str(argument)
