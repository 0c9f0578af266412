"""json_exists, json_value, json_query and json_array: calls with clauses of their own."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqe.sql.alter import AlterStatements


class JsonPathCall(exp.Expression, exp.Condition):
    """`kind` is JSON_EXISTS, JSON_VALUE or JSON_QUERY, `path` a literal, `passing` a list of JsonArgument.
    `format` and `output` are the encodings of FORMAT JSON, `JSON` where none is named. `empty` and `error`
    are words, with the expressions of DEFAULT beside them."""

    arg_types: ClassVar[dict[str, bool]] = {
        "kind": True,
        "this": True,
        "format": False,
        "path": True,
        "passing": False,
        "returning": False,
        "output": False,
        "wrapper": False,
        "quotes": False,
        "empty": False,
        "empty_default": False,
        "error": False,
        "error_default": False,
    }


class JsonArgument(exp.Expression):
    """PASSING this [FORMAT JSON] AS name"""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "format": False, "name": True}


_ENCODINGS = ("UTF8", "UTF16", "UTF32")
_EXISTS_WORDS = ("TRUE", "FALSE", "UNKNOWN", "ERROR")
_VALUE_WORDS = ("NULL", "ERROR", "DEFAULT")
_QUERY_WORDS = ("NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT")


class JsonCalls(AlterStatements):
    """The part of our parser that reads them."""

    def _parse_json_path_call(self, kind: str) -> exp.Expr:
        name = self._tokens[self._index - 2]
        call = JsonPathCall(kind=kind, **self._json_invocation())
        call.meta["start"] = name.start
        if kind == "JSON_EXISTS":
            if self._json_next(*_EXISTS_WORDS):
                call.set("error", self._json_behavior(_EXISTS_WORDS, "ERROR")[0])
            return call
        if self._match_text_seq("RETURNING"):
            call.set("returning", self._parse_types())
            if kind == "JSON_QUERY":
                call.set("output", self._json_format())
        if kind == "JSON_QUERY":
            call.set("wrapper", self._json_wrapper())
            call.set("quotes", self._json_quotes())
        words = _VALUE_WORDS if kind == "JSON_VALUE" else _QUERY_WORDS
        for clause in ("empty", "error"):
            start = self._index
            if self._json_next(*words):
                behavior, default, cause = self._json_behavior(words)
                if clause == "empty" and cause == "ERROR":
                    self._retreat(start)
                    continue
                if clause != cause.lower():
                    self.raise_error(f"Expecting ON {clause.upper()}")
                call.set(clause, behavior)
                call.set(f"{clause}_default", default)
        return call

    def _parse_json_array(self) -> exp.Expr:
        name = self._tokens[self._index - 2]
        empty = self._curr is not None and self._curr.token_type == TokenType.R_PAREN
        items = [] if empty else self._parse_csv(self._json_element)
        nulls = None
        for word in ("NULL", "ABSENT"):
            if self._match_text_seq(word, "ON", "NULL"):
                nulls = word
        array = exp.JSONArray(expressions=items, null_handling=nulls if nulls == "NULL" else None)
        array.meta["start"] = name.start
        return array

    def _json_element(self) -> exp.Expr | None:
        value, encoding = self._parse_disjunction(), self._json_format()
        if encoding not in (None, "JSON"):
            self.raise_error("FORMAT JSON of a text has no encoding")
        return value if encoding is None else exp.FormatJson(this=value)

    def _json_invocation(self) -> dict[str, Any]:
        """input [FORMAT JSON], 'path' [PASSING ...]"""
        found: dict[str, Any] = {"this": self._parse_disjunction(), "format": self._json_format()}
        if not self._match(TokenType.COMMA):
            self.raise_error("Expecting ,")
        if not self._match(TokenType.STRING):
            self.raise_error("Expecting a path as a text in quotes")
        found["path"] = exp.Literal.string(self._prev.text).update_positions(self._prev)
        if self._match_text_seq("PASSING"):
            found["passing"] = self._parse_csv(self._json_argument)
        return found

    def _json_argument(self) -> exp.Expr:
        value, encoding = self._parse_disjunction(), self._json_format()
        if not self._match(TokenType.ALIAS):
            self.raise_error("Expecting AS")
        return JsonArgument(this=value, format=encoding, name=self._parse_id_var(any_token=False))

    def _json_format(self) -> str | None:
        if not self._match_text_seq("FORMAT"):
            return None
        self._json_expect("JSON")
        if not self._match_text_seq("ENCODING"):
            return "JSON"
        for encoding in _ENCODINGS:
            if self._match_text_seq(encoding):
                return encoding
        self.raise_error(f"Expecting {', '.join(_ENCODINGS)}")
        return None

    def _json_expect(self, *words: str) -> None:
        if not self._match_text_seq(*words):
            self.raise_error(f"Expecting {' '.join(words)}")

    def _json_next(self, *words: str) -> bool:
        first = self._curr.text.upper() if self._curr else ""
        return any(first == word.partition(" ")[0] for word in words)

    def _json_behavior(self, words: tuple[str, ...], *causes: str) -> tuple[str, exp.Expr | None, str]:
        """A word ON EMPTY or ON ERROR; and the value of DEFAULT."""
        for word in words:
            if not self._match_text_seq(*word.split()):
                continue
            default = self._parse_disjunction() if word == "DEFAULT" else None
            self._json_expect("ON")
            for cause in causes or ("EMPTY", "ERROR"):
                if self._match_text_seq(cause):
                    return word, default, cause
            self.raise_error("Expecting EMPTY or ERROR")
        self.raise_error(f"Expecting {', '.join(words)}")
        raise AssertionError

    def _json_wrapper(self) -> str | None:
        if self._match_text_seq("WITHOUT"):
            self._match_text_seq("ARRAY")
            self._json_expect("WRAPPER")
            return "WITHOUT"
        if not self._match_text_seq("WITH"):
            return None
        wrapper = "CONDITIONAL" if self._match_text_seq("CONDITIONAL") else "UNCONDITIONAL"
        if wrapper == "UNCONDITIONAL":
            self._match_text_seq("UNCONDITIONAL")
        self._match_text_seq("ARRAY")
        self._json_expect("WRAPPER")
        return wrapper

    def _json_quotes(self) -> str | None:
        for word in ("KEEP", "OMIT"):
            if self._match_text_seq(word):
                self._json_expect("QUOTES")
                if self._match_text_seq("ON"):
                    self._json_expect("SCALAR", "STRING")
                return word
        return None
