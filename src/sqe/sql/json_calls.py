"""json_exists, json_value, json_query, json_array and JSON_TABLE: calls with clauses of their own."""

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


class JsonTable(exp.Expression):
    """JSON_TABLE(this, path [PASSING ...] COLUMNS (expressions) [error ON ERROR]) in FROM, with its alias."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "format": False,
        "path": True,
        "passing": False,
        "expressions": True,
        "error": False,
        "alias": False,
    }


class JsonColumn(exp.Expression):
    """A column of JSON_TABLE. `kind` is ORDINALITY, JSON_VALUE, JSON_QUERY, or NESTED with `expressions`; the
    clauses are those of JsonPathCall."""

    arg_types: ClassVar[dict[str, bool]] = {
        "kind": True,
        "this": False,
        "path": False,
        "returning": False,
        "output": False,
        "wrapper": False,
        "quotes": False,
        "empty": False,
        "empty_default": False,
        "error": False,
        "error_default": False,
        "expressions": False,
    }


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
        self._json_behaviors(call, kind)
        return call

    def _json_behaviors(self, call: exp.Expr, kind: str) -> None:
        """[... ON EMPTY] [... ON ERROR]"""
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

    def _parse_unnest(self, with_alias: bool = True) -> Any:
        # Where sqlglot looks for UNNEST, JSON_TABLE may stand too.
        following = self._next.token_type if self._next else None
        if not (self._json_next("JSON_TABLE") and following == TokenType.L_PAREN):
            return super()._parse_unnest(with_alias)
        start = self._curr.start
        self._advance()
        self._match_l_paren()
        table = JsonTable(**self._json_invocation(named=True), expressions=self._json_columns())
        table.meta["start"] = start
        if self._json_next("ERROR", "EMPTY"):
            table.set("error", self._json_behavior(("ERROR", "EMPTY"), "ERROR")[0])
        if self._json_next("PLAN"):
            self.raise_error("PLAN of JSON_TABLE is not supported")
        self._match_r_paren()
        table.set("alias", self._parse_table_alias() if with_alias else None)
        return table

    def _json_columns(self) -> list[exp.Expr]:
        self._json_expect("COLUMNS")
        self._match_l_paren()
        columns = self._parse_csv(self._json_column)
        self._match_r_paren()
        return columns

    def _json_column(self) -> exp.Expr:
        following = self._next.token_type if self._next else None
        path = following == TokenType.STRING or (self._next is not None and self._next.text.upper() == "PATH")
        if self._json_next("NESTED") and path:
            self._advance()
            self._match_text_seq("PATH")
            return JsonColumn(
                kind="NESTED", path=self._json_path(named=True), expressions=self._json_columns()
            )
        name = self._parse_id_var(any_token=False)
        if self._match_text_seq("FOR", "ORDINALITY"):
            return JsonColumn(kind="ORDINALITY", this=name)
        column = JsonColumn(kind="JSON_VALUE", this=name, returning=self._parse_types())
        output = self._json_format()
        if output is not None:
            column.set("kind", "JSON_QUERY")
            column.set("output", output)
        if self._match_text_seq("PATH"):
            column.set("path", self._json_path())
        if output is not None:
            column.set("wrapper", self._json_wrapper())
            column.set("quotes", self._json_quotes())
        self._json_behaviors(column, column.args["kind"])
        return column

    def _json_path(self, *, named: bool = False) -> exp.Expr:
        if not self._match(TokenType.STRING):
            self.raise_error("Expecting a path as a text in quotes")
        path = exp.Literal.string(self._prev.text).update_positions(self._prev)
        # The name of a path is for PLAN alone.
        if named and self._match(TokenType.ALIAS):
            self._parse_id_var(any_token=False)
        return path

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

    def _json_invocation(self, *, named: bool = False) -> dict[str, Any]:
        """input [FORMAT JSON], 'path' [PASSING ...]"""
        found: dict[str, Any] = {"this": self._parse_disjunction(), "format": self._json_format()}
        if not self._match(TokenType.COMMA):
            self.raise_error("Expecting ,")
        found["path"] = self._json_path(named=named)
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
