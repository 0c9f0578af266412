"""What a JSON path finds in a document.

A sequence is a list of items. An item is JSON as it was read, or a `Typed` value: of a literal, of a
variable, or computed. A predicate is True, False, or None for unknown, and never fails.
"""

from __future__ import annotations

from typing import Any

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.json_casts import cast
from sqe.functions.bodies.json_path_syntax import Node, Path
from sqe.functions.bodies.json_path_values import (
    NUMERIC,
    Missing,
    PathFailure,
    Typed,
    absolute,
    as_double,
    as_index,
    compared,
    computed,
    failed,
    negated,
    number_of_json,
    of_json,
    rounded,
)
from sqe.functions.bodies.json_text import Number, text_of


class Evaluation:
    """Of one path over one document."""

    def __init__(self, path: Path, document: Any, variables: dict[str, list[Any]]) -> None:
        self._lax = path.lax
        self._document = document
        self._variables = variables
        self._objects = 0
        # The items of the filters around, and the last indexes of the arrays around.
        self._items: list[Any] = []
        self._lasts: list[int] = []

    def sequence(self, node: Node) -> list[Any]:
        match node:
            case ("context",):
                return [self._document]
            case ("null",):
                return [None]
            case ("item",):
                if not self._items:
                    raise failed("accessing current filter item with no enclosing filter")
                return [self._items[-1]]
            case ("last",):
                if not self._lasts:
                    raise failed("accessing the last array index with no enclosing array")
                return [Typed("integer", self._lasts[-1])]
            case ("variable", name):
                return self._variables[name]
            case ("literal", kind, value, *precision):
                return [Typed(kind, value, *precision)]
            case ("arithmetic", operator, left, right):
                return [self._computed(operator, left, right)]
            case ("sign", sign, base):
                numbers = [_number(item) for item in self._unwrapped(base)]
                return numbers if sign == "+" else [negated(number) for number in numbers]
            case ("member", base, name):
                return self._members(base, name)
            case ("descendants", base, name):
                return [found for item in self.sequence(base) for found in _descendants(item, name)]
            case ("subscripts", base, subscripts):
                return self._elements(base, subscripts)
            case ("filter", base, predicate):
                return [item for item in self._unwrapped(base) if self._chosen(item, predicate)]
            case ("method", base, name):
                return self._method(base, name)
        raise ValueError(node[0])

    def _unwrapped(self, node: Node) -> list[Any]:
        return self._unwrap(self.sequence(node))

    def _unwrap(self, items: list[Any]) -> list[Any]:
        if not self._lax:
            return items
        return [part for item in items for part in (item if isinstance(item, list) else [item])]

    def _computed(self, operator: str, left: Node, right: Node) -> Typed:
        operands = self.sequence(left), self.sequence(right)
        a, b = (self._unwrap(items) for items in operands)
        if len(a) != 1 or len(b) != 1:
            raise failed("arithmetic binary expression requires singleton operands")
        # What is a value already is looked at there.
        first, second = (item if isinstance(item, Typed) else _number(item) for item in (a[0], b[0]))
        return computed(operator, first, second)

    def _members(self, base: Node, name: str | None) -> list[Any]:
        found: list[Any] = []
        for item in self._unwrapped(base):
            if not isinstance(item, dict):
                if not self._lax:
                    raise failed("invalid item type. Expected: OBJECT")
            elif name is None:
                found += item.values()
            elif name in item:
                found.append(item[name])
            elif not self._lax:
                raise failed("structural error: missing member in JSON object")
        return found

    def _elements(self, base: Node, subscripts: tuple[tuple[Node, Node | None], ...]) -> list[Any]:
        found: list[Any] = []
        for item in self.sequence(base):
            if not isinstance(item, list) and not self._lax:
                raise failed("invalid item type. Expected: ARRAY")
            elements = item if isinstance(item, list) else [item]
            if not subscripts:
                found += elements
            elif elements:
                self._lasts.append(len(elements) - 1)
                try:
                    for first, last in subscripts:
                        found += self._range(elements, first, last)
                finally:
                    self._lasts.pop()
            elif not self._lax:
                raise failed("structural error: invalid array subscript for empty array")
        return found

    def _range(self, elements: list[Any], first: Node, last: Node | None) -> list[Any]:
        bounds = [self.sequence(node) for node in (first, last) if node is not None]
        if any(len(bound) != 1 for bound in bounds):
            raise failed("an array subscript must be singleton numeric")
        start, *rest = (as_index(bound[0]) for bound in bounds)
        end = rest[0] if rest else start
        if not self._lax and not 0 <= start <= end < len(elements):
            raise failed("structural error: invalid array subscript")
        return elements[max(start, 0) : end + 1] if end >= 0 else []

    def _method(self, base: Node, name: str) -> list[Any]:
        if name == "type":
            return [Typed("varchar", _type_name(item)) for item in self.sequence(base)]
        if name == "size":
            return [Typed("integer", self._size(item)) for item in self.sequence(base)]
        items = self._unwrapped(base)
        if name == "keyvalue":
            return [pair for item in items for pair in self._pairs(item)]
        if name == "double":
            return [_double(item) for item in items]
        numbers = [_number(item) for item in items]
        if name == "abs":
            return [absolute(number) for number in numbers]
        return [rounded(number, up=name == "ceiling") for number in numbers]

    def _size(self, item: Any) -> int:
        if isinstance(item, list):
            return len(item)
        if not self._lax:
            raise failed("invalid item type. Expected: ARRAY")
        return 1

    def _pairs(self, item: Any) -> list[Any]:
        if not isinstance(item, dict):
            raise failed("invalid item type. Expected: OBJECT")
        number = Number(self._objects)
        self._objects += 1
        return [{"name": name, "value": value, "id": number} for name, value in item.items()]

    def _chosen(self, item: Any, predicate: Node) -> bool:
        self._items.append(item)
        try:
            return self._holds(predicate) is True
        finally:
            self._items.pop()

    def _holds(self, node: Node) -> bool | None:
        match node:
            case ("and", left, right):
                first = self._holds(left)
                if first is False:
                    return False
                second = self._holds(right)
                return False if second is False else None if None in (first, second) else True
            case ("or", left, right):
                first = self._holds(left)
                if first is True:
                    return True
                second = self._holds(right)
                return True if second is True else None if None in (first, second) else False
            case ("not", predicate):
                held = self._holds(predicate)
                return None if held is None else not held
            case ("unknown", predicate):
                return self._holds(predicate) is None
        try:
            match node:
                case ("exists", path):
                    return bool(self.sequence(path))
                case ("compare", operator, left, right):
                    first_items, second_items = self.sequence(left), self.sequence(right)
                    return self._compared(operator, self._unwrap(first_items), self._unwrap(second_items))
                case ("starts", path, prefix):
                    return self._starts(self.sequence(path), self.sequence(prefix))
        except PathFailure:
            return None
        raise ValueError(node[0])

    def _compared(self, operator: str, left: list[Any], right: list[Any]) -> bool | None:
        if not left or not right:
            return False
        a, b = set(map(_category, left)), set(map(_category, right))
        if ("parts" in a and b & {"parts", "scalar"}) or ("scalar" in a and "parts" in b):
            return None
        found = operator == "==" and "null" in a and "null" in b
        if operator in ("<>", "!="):
            found = bool(("null" in a and b - {"null"}) or ("null" in b and a - {"null"}))
        if found and self._lax:
            return True
        firsts, seconds = _scalars(left), _scalars(right)
        for first in firsts:
            for second in seconds:
                result = compared(operator, first, second)
                if result is None:
                    return None
                if result:
                    found = True
                    if self._lax:
                        return True
        return found

    def _starts(self, values: list[Any], prefixes: list[Any]) -> bool | None:
        prefix = _text(prefixes[0]) if len(prefixes) == 1 else None
        if prefix is None:
            return None
        found = False
        for item in self._unwrap(values):
            text = _text(item)
            if text is None:
                return None
            if text.startswith(prefix):
                found = True
                if self._lax:
                    return True
        return found


def _number(item: Any) -> Typed:
    if isinstance(item, Typed) and item.kind in NUMERIC:
        return item
    if isinstance(item, Number):
        return number_of_json(item)
    raise failed("invalid item type. Expected: NUMBER")


def _double(item: Any) -> Typed:
    text = _text(item)
    if text is None:
        return Typed("double", as_double(_number(item)))
    try:
        made = cast(text_of(text), '["double"]')
    except BodyError:
        raise failed("a text is no double") from None
    return Typed("double", float(made or "nan"))


def _text(item: Any) -> str | None:
    if isinstance(item, Typed):
        return item.value if item.kind == "varchar" else None
    return item if isinstance(item, str) and not isinstance(item, Number) else None


def _category(item: Any) -> str:
    return "null" if item is None else "parts" if isinstance(item, (list, dict, Missing)) else "scalar"


def _scalars(items: list[Any]) -> list[Typed]:
    found = []
    for item in items:
        value = item if isinstance(item, Typed) else of_json(item)
        if value is not None:
            found.append(value)
    return found


def _type_name(item: Any) -> str:
    if isinstance(item, Typed):
        return {"varchar": "string", "boolean": "boolean"}.get(item.kind, "number")
    if isinstance(item, dict):
        return "object"
    if isinstance(item, list):
        return "array"
    if isinstance(item, Missing):
        raise BodyError("NOT_SUPPORTED", "an empty text has no JSON type")
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "boolean"
    return "number" if isinstance(item, Number) else "string"


def _descendants(item: Any, name: str) -> list[Any]:
    """The object before what is in it."""
    found = []
    if isinstance(item, dict):
        if name in item:
            found.append(item[name])
        for value in item.values():
            found += _descendants(value, name)
    elif isinstance(item, list):
        for value in item:
            found += _descendants(value, name)
    return found
