"""Types read from their names, as `str()` of a type writes them: `row(a integer, "b c" array(varchar))`.

Statements are read by `bind`, whose grammar is wider and whose errors have positions.
"""

from __future__ import annotations

import re
from typing import NoReturn

from sqe.types import sql_types as t

_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|[^\s"(),]+|[(),])')


def read_type(text: str) -> t.Type:
    """The type of that name; ValueError if there is none. A name says that a timestamp has a zone, and not
    which: it is UTC here."""
    reader = _Reader(text)
    kind = reader.type()
    reader.end()
    return kind


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = []
        self._at = 0
        end = 0
        while match := _TOKEN.match(text, end):
            self._tokens.append(match[1])
            end = match.end()
        if text[end:].strip():
            self._fail()

    def type(self) -> t.Type:
        word = self._take()
        match word:
            case "interval":
                return self._simple(" ".join([word, self._take(), self._take(), self._take()]))
            case "array":
                self._take("(")
                element = self.type()
                self._take(")")
                return t.Array(element)
            case "map":
                self._take("(")
                key = self.type()
                self._take(",")
                value = self.type()
                self._take(")")
                return t.Map(key, value)
            case "row":
                return t.Row(tuple(self._row()))
            case "qdigest":
                self._take("(")
                of = self._take()
                self._take(")")
                return self._simple(f"{word}({of})")
        match word, self._numbers():
            case "decimal", [precision, scale]:
                return t.Decimal(precision, scale)
            case "varchar", [length]:
                return t.Varchar(length)
            case "char", [length]:
                return t.Char(length)
            case "time", [precision]:
                if self._next != "with":
                    return t.Time(precision)
                self._with_time_zone()
                return t.constant_time(word, precision, zoned=True)
            case "timestamp", [precision]:
                if self._next != "with":
                    return t.Timestamp(precision)
                self._with_time_zone()
                return t.TimestampTz(precision)
            case _, []:
                return self._simple(word)
        self._fail()

    def _with_time_zone(self) -> None:
        for expected in ("with", "time", "zone"):
            self._take(expected)

    def end(self) -> None:
        if self._next is not None:
            self._fail()

    @property
    def _next(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _row(self) -> list[t.RowField]:
        fields: list[t.RowField] = []
        end = self._take("(")
        while end != ")":
            fields.append(self._field())
            end = self._take()
            if end not in (",", ")"):
                self._fail()
        return fields

    def _field(self) -> t.RowField:
        """A field may have a name, which may be the name of a type: `row(date date)`."""
        begin = self._at
        name = self._take()
        if name.startswith('"'):
            return t.RowField(name[1:-1].replace('""', '"'), self.type())
        if self._next is not None and self._next not in "(),":
            try:
                return t.RowField(name, self.type())
            except ValueError:
                pass  # `interval day to second` without a name
        self._at = begin
        return t.RowField(None, self.type())

    def _numbers(self) -> list[int]:
        if self._next != "(":
            return []
        self._take("(")
        numbers = [self._number()]
        while self._next == ",":
            self._take(",")
            numbers.append(self._number())
        self._take(")")
        return numbers

    def _number(self) -> int:
        word = self._take()
        if not (word.isascii() and word.isdigit()):
            self._fail()
        return int(word)

    def _simple(self, name: str) -> t.Type:
        kind = t.SIMPLE_TYPES.get(name) or t.OPAQUE_TYPES.get(name.lower())
        if kind is None:
            self._fail()
        return kind

    def _take(self, expected: str | None = None) -> str:
        word = self._next
        if word is None or (expected is not None and word != expected):
            self._fail()
        self._at += 1
        return word

    def _fail(self) -> NoReturn:
        raise ValueError(f"there is no type {self._text}")
