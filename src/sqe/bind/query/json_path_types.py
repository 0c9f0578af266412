"""What a JSON path can never compute, whatever the document: known from its constants alone."""

from __future__ import annotations

from sqe.functions.bodies.json_path_syntax import Node, PathError
from sqe.functions.bodies.json_path_values import BITS, NUMERIC

_RESULTS = {"type": "varchar", "size": "integer", "double": "double"}


def check_types(node: Node) -> None:
    _kind(node)


def _kind(node: Node) -> str | None:
    """The type of what a path gives; None where the document decides."""
    match node:
        case ("literal", kind, *_):
            return str(kind)
        case ("sign", sign, base):
            return _number(_kind(base), sign)
        case ("arithmetic", operator, left, right):
            first, second = _kind(left), _kind(right)
            if first is None or second is None:
                return None
            if not {first, second} <= set(NUMERIC):
                raise PathError(f"{first} {operator} {second} is no arithmetic", None, "INVALID_PATH")
            return max(first, second, key=(*BITS, "decimal", "double").index)
        case ("method", base, name):
            kind = _kind(base)
            if name in ("abs", "ceiling", "floor"):
                return _number(kind, f"{name}()")
            if name == "double" and kind == "boolean":
                raise PathError("double() takes no boolean", None, "INVALID_PATH")
            return _RESULTS.get(name)
        case ("filter", base, predicate):
            _kind(predicate)
            return _kind(base)
    _check_parts(node)
    return None


def _number(kind: str | None, operation: str) -> str | None:
    if kind is not None and kind not in NUMERIC:
        raise PathError(f"{operation} takes a number, not {kind}", None, "INVALID_PATH")
    return kind


def _check_parts(node: Node) -> None:
    for part in node:
        if isinstance(part, tuple) and part and isinstance(part[0], str):
            _kind(part)
        elif isinstance(part, tuple):
            # Subscripts: pairs of paths.
            _check_parts(part)
