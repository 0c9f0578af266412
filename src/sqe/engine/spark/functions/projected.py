"""Functions whose rendering Spark takes for non-deterministic: each must be computed in a projection of its
own before an aggregate, a join condition or a MERGE may use it."""

from __future__ import annotations

from sqe.functions.aliases import ALIASES
from sqe.tree.expressions import AggregateCall, Call, Expression, WindowCall, walk

_RANDOM = frozenset({"rand", "random", "shuffle", "uuid"})
# By a method of Java's, of which Spark knows nothing.
_BY_JAVA = frozenset({"exp", "ln", "log", "log10", "log2", "pow", "power"})
PROJECTED = _RANDOM | _BY_JAVA | {"$apart"}


def needs_projection(expression: Expression) -> bool:
    """Whether Spark takes a part of the expression for non-deterministic."""
    return any(
        isinstance(node, (Call, AggregateCall, WindowCall))
        and ALIASES.get(node.function, node.function) in PROJECTED
        for node in walk(expression)
    )
