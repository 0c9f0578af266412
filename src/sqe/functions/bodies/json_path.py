"""json_exists, json_value and json_query of one row: what a path finds in a JSON text.

Each has three texts: the input; the form of the call, which the binder wrote as JSON; and the values that the
call passes, as an object: those of variables under their place, defaults under `empty` and `error`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.json_casts import cast
from sqe.functions.bodies.json_path_evaluation import Evaluation
from sqe.functions.bodies.json_path_syntax import Path, parse
from sqe.functions.bodies.json_path_values import (
    BITS,
    EXACT,
    Missing,
    PathFailure,
    Typed,
    as_double,
    exact_text,
    of_json,
)
from sqe.functions.bodies.json_text import Number, double, write
from sqe.functions.bodies.kept import kept

_BLANK = re.compile(r"[ \t\r\n]*")
_DATE = re.compile(r"[\x00-\x20]*([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})[\x00-\x20]*")
_ENCODINGS = {"UTF8": "utf-8", "UTF16": "utf-16-le", "UTF32": "utf-32-le"}


def exists(text: str, form: str, arguments: str) -> bool | None:
    call = _call(form)
    try:
        return bool(call.items(text, arguments))
    except PathFailure as failure:
        if call.form["error"] == "ERROR":
            raise failure.named() from None
        return {"TRUE": True, "FALSE": False}.get(call.form["error"])


def value(text: str, form: str, arguments: str) -> str | None:
    """The text of the value; the engine makes the type of it."""
    call = _call(form)
    return _value(call.form, lambda: call.items(text, arguments), lambda name: json.loads(arguments)[name])


def query(text: str, form: str, arguments: str) -> str | None:
    call = _call(form)
    return _query(call.form, lambda: call.items(text, arguments))


def table(text: str, form: str, arguments: str) -> list[str]:
    """JSON_TABLE: each row is the JSON array of the texts of its columns."""
    call = _call(form)
    try:
        items = call.items(text, arguments)
    except PathFailure as failure:
        if call.form["error"] == "ERROR":
            raise failure.named() from None
        return []
    rows = _rows(items, call.form["columns"], json.loads(arguments))
    return [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]


def _rows(items: list[Any], columns: list[Any], defaults: dict[str, Any]) -> list[list[str | None]]:
    """NESTED columns are joined to their row like an outer join, and those beside each other like a union."""
    rows = []
    for number, item in enumerate(items, 1):
        flat = [None if _is_nested(c) else _column(c, item, number, defaults) for c in columns]
        found = []
        for place, column in enumerate(columns):
            if _is_nested(column):
                inner = _rows(_nested(column, item), column["columns"], defaults)
                found += [_joined(flat, columns, place, row) for row in inner]
        rows += found or [_joined(flat, columns, -1, [])]
    return rows


def _joined(flat: list[Any], columns: list[Any], place: int, row: list[Any]) -> list[str | None]:
    """The texts of a row, with those of the nested columns at a place; of other places they are NULL."""
    made: list[str | None] = []
    for index, column in enumerate(columns):
        if not _is_nested(column):
            made.append(flat[index])
        else:
            made += row if index == place else [None] * _width(column["columns"])
    return made


def _is_nested(column: dict[str, Any]) -> bool:
    return bool(column["kind"] == "NESTED")


def _width(columns: list[Any]) -> int:
    return sum(_width(c["columns"]) if _is_nested(c) else 1 for c in columns)


def _nested(column: dict[str, Any], item: Any) -> list[Any]:
    try:
        return _of_item(column["path"], item)
    except PathFailure as failure:
        if column["error"] == "ERROR":
            raise failure.named() from None
        return []


def _of_item(path: str, item: Any) -> list[Any]:
    read = _path(path)
    try:
        return Evaluation(read, item, {}).sequence(read.root)
    except RecursionError:
        raise _too_deep() from None


def _column(column: dict[str, Any], item: Any, number: int, defaults: dict[str, Any]) -> str | None:
    if column["kind"] == "ORDINALITY":
        return str(number)
    if column["kind"] == "JSON_QUERY":
        return _query(column, lambda: _of_item(column["path"], item))
    place = column["place"]
    return _value(column, lambda: _of_item(column["path"], item), lambda name: defaults[f"{place}.{name}"])


def _value(
    form: dict[str, Any], found: Callable[[], list[Any]], default: Callable[[str], str | None]
) -> str | None:
    try:
        items = found()
        if len(items) == 1 and isinstance(items[0], Missing):
            return default("error") if form["error"] == "DEFAULT" else None
        if items:
            return _scalar(items, form["type"])
        clause, failure = "empty", PathFailure("JSON_VALUE_RESULT_ERROR", "JSON path found no items")
    except PathFailure as raised:
        clause, failure = "error", raised
    if form[clause] == "ERROR":
        raise failure.named()
    return default(clause) if form[clause] == "DEFAULT" else None


def _query(form: dict[str, Any], found: Callable[[], list[Any]]) -> str | None:
    text = _written_items(form, found)
    encoding = form.get("output")
    return text if text is None or encoding is None else text.encode(_ENCODINGS[encoding]).hex().upper()


def _written_items(form: dict[str, Any], found: Callable[[], list[Any]]) -> str | None:
    try:
        items = found()
        if not items:
            empty = PathFailure("JSON_OUTPUT_CONVERSION_ERROR", "JSON path found no items")
            return _special(form["empty"], empty)
        wrapper = form["wrapper"]
        nested = len(items) == 1 and isinstance(items[0], (list, dict))
        if wrapper == "UNCONDITIONAL" or (wrapper == "CONDITIONAL" and not nested):
            return "[" + ",".join(map(_written, items)) + "]"
        if len(items) > 1:
            raise PathFailure("JSON_OUTPUT_CONVERSION_ERROR", "JSON path found multiple items")
    except PathFailure as failure:
        return _special(form["error"], failure)
    item = items[0].value if isinstance(items[0], Typed) and items[0].kind == "varchar" else items[0]
    if form["quotes"] == "OMIT" and isinstance(item, str) and not isinstance(item, Number):
        return _whole(item)
    return _written(item)


class _Call:
    """A form as the binder wrote it, with its path read."""

    def __init__(self, form: dict[str, Any]) -> None:
        self.form = form
        self.path = parse(form["path"])

    def items(self, text: str, arguments: str) -> list[Any]:
        document = _document(text, self.form.get("encoding"))
        passed = json.loads(arguments)
        variables = {
            name: _variable(passed[str(place)], kind)
            for place, (name, kind) in enumerate(self.form["variables"])
        }
        try:
            return Evaluation(self.path, document, variables).sequence(self.path.root)
        except RecursionError:
            raise _too_deep() from None


@kept
def _call(form: str) -> _Call:
    return _Call(json.loads(form))


@kept
def _path(text: str) -> Path:
    return parse(text)


def _document(text: str, encoding: str | None) -> Any:
    """What is after the first value is not looked at, as Jackson does."""
    if encoding is not None:
        try:
            text = bytes.fromhex(text).decode(_ENCODINGS[encoding])
        except ValueError:
            raise BodyError("NOT_SUPPORTED", f"JSON in bytes that are no {encoding}") from None
    start = _BLANK.match(text)
    assert start is not None
    if start.end() == len(text):
        return Missing()
    decoder = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=_no_constant, strict=True)
    try:
        found, end = decoder.raw_decode(text, start.end())
    except (ValueError, RecursionError):
        raise _malformed() from None
    after = text[end : end + 1]
    number = isinstance(found, Number)
    word = found is None or isinstance(found, bool)
    if (number and after and after not in " \t\r\n") or (word and (after.isalnum() or after in ("_", "$"))):
        raise _malformed()
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _too_deep() -> BodyError:
    return BodyError("NOT_SUPPORTED", "JSON of so many levels")


def _malformed() -> PathFailure:
    return PathFailure("JSON_INPUT_CONVERSION_ERROR", "conversion to JSON failed")


def _variable(text: str | None, kind: str) -> list[Any]:
    """The sequence that a variable stands for."""
    if kind == "json":
        return [] if text is None else [_document(text, None)]
    if text is None:
        return [None]
    if kind == "varchar":
        return [Typed("varchar", text)]
    if kind == "boolean":
        return [Typed("boolean", text == "true")]
    if kind == "double":
        return [Typed("double", float(text))]
    if kind in BITS:
        return [Typed(kind, int(text))]
    return [Typed("decimal", Decimal(text), int(kind.partition(":")[2]))]


def _special(behavior: str, failure: PathFailure) -> str | None:
    if behavior == "ERROR":
        raise failure.named() from None
    return {"EMPTY ARRAY": "[]", "EMPTY OBJECT": "{}"}.get(behavior)


def _whole(text: str) -> str:
    """Half a pair of surrogates is no character: Java writes ? for it."""
    return text.encode("utf-8", "replace").decode()


def _written(item: Any) -> str:
    if not isinstance(item, Typed):
        try:
            return write(None if isinstance(item, Missing) else item, ordered=False)
        except RecursionError:
            raise _too_deep() from None
    if item.kind == "decimal":
        return exact_text(item.value)
    if item.kind == "double":
        return double(item.value)
    return write(Number(item.value) if item.kind in BITS else item.value, ordered=False)


def _scalar(items: list[Any], shape: list[Any]) -> str | None:
    """The only item as a value of a type, in the text that an engine casts to it."""
    if len(items) > 1:
        raise PathFailure("JSON_VALUE_RESULT_ERROR", "JSON path found multiple items")
    item = items[0]
    if item is None:
        return None
    if not isinstance(item, Typed):
        try:
            found = of_json(item)
        except PathFailure:
            found = None
        if found is None:
            raise PathFailure(
                "JSON_VALUE_RESULT_ERROR", "JSON path found an item that cannot be converted to an SQL value"
            )
        item = found
    if item.kind == "varchar":
        text = _whole(item.value)
        if shape[0] in ("varchar", "char"):
            return text[: shape[1]] if len(shape) > 1 else text
        if shape[0] == "date":
            return _date(text)
        return _cast(json.dumps(text), shape)
    if shape[0] in ("char", "date"):
        raise _no_cast(item.kind, shape)
    if item.kind == "decimal":
        if shape[0] == "varchar":
            return _cast(json.dumps(f"{item.value:f}"), shape)
        if shape[0] in BITS:
            return _cast(str(int(item.value.quantize(Decimal(1), ROUND_HALF_UP, EXACT))), shape)
        if shape[0] == "decimal":
            return _cast(f"{item.value:f}", shape)
        item = Typed("double", as_double(item))
    if item.kind == "boolean":
        return _cast("true" if item.value else "false", shape)
    if item.kind == "double" and item.value in (float("inf"), float("-inf")):
        return _cast(json.dumps("Infinity" if item.value > 0 else "-Infinity"), shape)
    return _cast(repr(item.value), shape)


def _cast(text: str, shape: list[Any]) -> str | None:
    try:
        return cast(text, json.dumps(shape))
    except BodyError:
        raise _no_cast("the value", shape) from None


def _no_cast(kind: str, shape: list[Any]) -> PathFailure:
    return PathFailure("JSON_VALUE_RESULT_ERROR", f"Cannot cast {kind} to the declared type {shape[0]}")


def _date(text: str) -> str:
    found = _DATE.fullmatch(text)
    try:
        if found is not None:
            return date(*map(int, found.groups())).isoformat()
    except ValueError:
        pass
    if re.fullmatch(r"[\x00-\x20]*[+-]?[0-9]{5,}-[0-9]{1,2}-[0-9]{1,2}[\x00-\x20]*|.*-.*-.*-.*", text):
        raise BodyError("NOT_SUPPORTED", "a date beyond the year 9999 from JSON")
    raise _no_cast("varchar", ["date"])
