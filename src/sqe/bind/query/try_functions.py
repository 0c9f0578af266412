"""TRY(x): NULL where computing x fails.

No engine has it for every x. What may fail inside is replaced by a version that gives NULL instead, and what
stands around that must give NULL for NULL, so that the whole is NULL; anything else is refused.
"""

from __future__ import annotations

from dataclasses import replace

from sqe.errors import NotSupported, Position
from sqe.functions import registry
from sqe.functions.index import TRY_PREFIX
from sqe.functions.try_functions import STRICT
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Dereference,
    Expression,
    InList,
    Lambda,
    LambdaRef,
    Literal,
    Ref,
    WindowCall,
    walk,
)
from sqe.types import sql_types as t


def guard_failures(expression: Expression, position: Position | None) -> Expression:
    return _Guard(position).guard(expression)[0]


class _Guard:
    def __init__(self, position: Position | None) -> None:
        self.position = position

    def refuse(self, what: str) -> NotSupported:
        return NotSupported(f"TRY of {what} is not supported", position=self.position)

    def guard(self, node: Expression) -> tuple[Expression, bool]:
        """The guarded form, and whether it may be NULL because of a failure."""
        match node:
            # An aggregate is computed before TRY, which cannot catch its failure.
            case Literal() | Ref() | LambdaRef() | AggregateCall() | WindowCall():
                return node, False
            case Cast():
                operand, fails = self.guard(node.operand)
                if not registry.can_fail(node):
                    return replace(node, operand=operand), fails
                if node.implicit:
                    # Trino compares some such numbers without a cast that could fail.
                    raise self.refuse("numbers whose digits have no type in common")
                return replace(node, operand=operand, safe=True), True
            case Dereference():
                operand, fails = self.guard(node.operand)
                return replace(node, operand=operand), fails
            case Case():
                return self.case(node)
            case InList():
                if any(self.guard(part)[1] for part in (node.operand, *node.items)):
                    raise self.refuse("IN over what may fail")
                return node, False
            case Call() if node.function == "coalesce":
                return self.coalesce(node)
            case Call():
                return self.call(node)
        raise self.refuse("a subquery")

    def case(self, node: Case) -> tuple[Expression, bool]:
        if any(self.guard(condition)[1] for condition, _ in node.whens):
            raise self.refuse("a condition that may fail")
        results = [self.guard(result) for _, result in node.whens]
        default = self.guard(node.default) if node.default is not None else None
        whens = tuple(
            (condition, result) for (condition, _), (result, _) in zip(node.whens, results, strict=True)
        )
        fails = any(fails for _, fails in results) or (default is not None and default[1])
        return replace(node, whens=whens, default=default[0] if default else None), fails

    def coalesce(self, node: Call) -> tuple[Expression, bool]:
        """Only the last argument may fail: any other's failure would be skipped like its NULL."""
        parts = [self.guard(argument) for argument in node.arguments]
        if any(fails for _, fails in parts[:-1]):
            raise self.refuse("coalesce of what may fail")
        return replace(node, arguments=tuple(part for part, _ in parts)), parts[-1][1]

    def call(self, node: Call) -> tuple[Expression, bool]:
        function = registry.lookup(node.function)
        assert function is not None, node.function
        if any(isinstance(argument, Lambda) for argument in node.arguments):
            return self.with_lambdas(node, function)
        parts = [self.guard(argument) for argument in node.arguments]
        fails = any(part_fails for _, part_fails in parts)
        strict = node.function in STRICT or (node.function == "$concat" and isinstance(node.type, t.Varchar))
        if fails and not strict:
            raise self.refuse(f"{_word(node.function)} of what may fail")
        arguments = tuple(part for part, _ in parts)
        if not function.leaks(a.type for a in arguments) or _is_of_floats(node):
            return replace(node, arguments=arguments), fails
        if registry.lookup(TRY_PREFIX + node.function) is None:
            raise self.refuse(_word(node.function))
        return replace(node, function=TRY_PREFIX + node.function, arguments=arguments), True

    def with_lambdas(self, node: Call, function: registry.Function) -> tuple[Expression, bool]:
        for part in walk(node):
            if part is node:
                continue
            if isinstance(part, Cast) and registry.can_fail(part):
                raise self.refuse("a lambda that may fail")
            if isinstance(part, Call):
                inner = registry.lookup(part.function)
                if (
                    inner is not None
                    and inner.leaks(a.type for a in part.arguments)
                    and not _is_of_floats(part)
                ):
                    raise self.refuse("a lambda that may fail")
        if not function.leakproof:
            raise self.refuse(_word(node.function))
        return node, False


_ARITHMETIC = ("$add", "$sub", "$mul", "$div", "$mod", "$neg", "mod", "abs", "round")


def _is_of_floats(node: Call) -> bool:
    """Floats have infinities and NaN where other numbers fail."""
    return node.function in _ARITHMETIC and node.type in t.APPROXIMATE


def _word(function: str) -> str:
    return function.removeprefix("$")
