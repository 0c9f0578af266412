"""The SQL type of a column, from the name that the server gives it and from its Arrow type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqe.errors import InternalError
from sqe.tree.expressions import Field
from sqe.types import sql_types as t

if TYPE_CHECKING:
    import pyarrow as pa

TYPE_NAME = b"ARROW:FLIGHT:SQL:TYPE_NAME"
_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|[^\s"(),]+|[(),])')
_SIMPLE = {
    str(kind): kind
    for kind in (
        *(t.BOOLEAN, *t.INTEGERS, *t.APPROXIMATE, t.VARBINARY, t.DATE, t.UUID, t.JSON, t.UNKNOWN),
        *(t.YEAR_MONTH, t.DAY_SECOND, t.VARCHAR),
    )
}


def fields_of(schema: pa.Schema) -> tuple[Field, ...]:
    return tuple(
        Field(number, column.name, type_of(_name(column), column.type))
        for number, column in enumerate(schema)
    )


def type_of(name: str, arrow: Any = None) -> t.Type:
    """`name` as `str()` of a type writes it; the zone of a timestamp is known to Arrow alone."""
    reader = _Reader(name)
    kind = reader.type(arrow)
    if reader.next is not None:
        raise InternalError(f"the server sent a type that is not known: {name}")
    return kind


def _name(column: Any) -> str:
    named = (column.metadata or {}).get(TYPE_NAME)
    if named is None:
        raise InternalError(f"the server did not say of which type column '{column.name}' is")
    return str(named.decode())


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [match.group(1) for match in _TOKEN.finditer(text)]
        self._at = 0

    @property
    def next(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def type(self, arrow: Any) -> t.Type:
        word = self._take()
        match word:
            case "interval":
                return self._simple(" ".join([word, self._take(), self._take(), self._take()]))
            case "array":
                self._take("(")
                element = self.type(_part(arrow, "value_type"))
                self._take(")")
                return t.Array(element)
            case "map":
                self._take("(")
                key = self.type(_part(arrow, "key_type"))
                self._take(",")
                value = self.type(_part(arrow, "item_type"))
                self._take(")")
                return t.Map(key, value)
            case "row":
                return t.Row(tuple(self._row(arrow)))
        numbers = self._numbers()
        match word, numbers:
            case "decimal", [precision, scale]:
                return t.Decimal(precision, scale)
            case "varchar", [length]:
                return t.Varchar(length)
            case "char", [length]:
                return t.Char(length)
            case "time", [precision]:
                return t.Time(precision)
            case "timestamp", [precision]:
                if self.next != "with":
                    return t.Timestamp(precision)
                for expected in ("with", "time", "zone"):
                    self._take(expected)
                return t.TimestampTz(precision, _part(arrow, "tz") or "UTC")
            case _, []:
                return self._simple(word)
        raise self._unknown()

    def _row(self, arrow: Any) -> list[t.RowField]:
        fields: list[t.RowField] = []
        end = self._take("(")
        while end != ")":
            member = None if arrow is None else arrow.field(len(fields)).type
            fields.append(self._field(member))
            end = self._take()
            if end not in (",", ")"):
                raise self._unknown()
        return fields

    def _field(self, arrow: Any) -> t.RowField:
        """A field may have a name, which may be the name of a type: `row(date date)`."""
        begin = self._at
        name = self._take()
        if name.startswith('"'):
            return t.RowField(name[1:-1].replace('""', '"'), self.type(arrow))
        if self.next is not None and self.next not in "(),":
            try:
                return t.RowField(name, self.type(arrow))
            except InternalError:
                pass  # `interval day to second` without a name
        self._at = begin
        return t.RowField(None, self.type(arrow))

    def _numbers(self) -> list[int]:
        if self.next != "(":
            return []
        self._take("(")
        found = [self._number()]
        while self.next == ",":
            self._take(",")
            found.append(self._number())
        self._take(")")
        return found

    def _number(self) -> int:
        word = self._take()
        if not word.isdigit():
            raise self._unknown()
        return int(word)

    def _simple(self, name: str) -> t.Type:
        found = _SIMPLE.get(name)
        if found is None:
            raise self._unknown()
        return found

    def _take(self, expected: str | None = None) -> str:
        word = self.next
        if word is None or (expected is not None and word != expected):
            raise self._unknown()
        self._at += 1
        return word

    def _unknown(self) -> InternalError:
        return InternalError(f"the server sent a type that is not known: {self._text}")


def _part(arrow: Any, name: str) -> Any:
    return None if arrow is None else getattr(arrow, name)
