"""Statements that sqlglot has no grammar for: SHOW, DESCRIBE, prepared statements, the session.

Each is a node of its own. A form that is not written here is a syntax error with its place.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqe.sql.grants import GrantStatements


class Show(exp.Expression):
    """SHOW <this> [FROM target] [LIKE like [ESCAPE escape]]; `this` is a word of SHOWN, or CREATE TABLE…"""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "target": False, "like": False, "escape": False}


class Prepare(exp.Expression):
    """PREPARE this FROM statement. `start` is where the statement begins in the text."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "start": True}


class Execute(exp.Expression):
    """EXECUTE this USING expressions; with `immediate`, `this` is a literal of the text itself."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": False, "immediate": False}


class Deallocate(exp.Expression):
    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class DescribePrepared(exp.Expression):
    """DESCRIBE INPUT|OUTPUT this"""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "output": False}


class ResetSession(exp.Expression):
    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class SetTimeZone(exp.Expression):
    """SET TIME ZONE this; without it, LOCAL."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False}


class SetRole(exp.Expression):
    """SET ROLE this; `word` is ALL or NONE where there is no name."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False, "word": False}


class SetPath(exp.Expression):
    """SET PATH expressions: names of schemas."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class CallProcedure(exp.Expression):
    """CALL this(expressions); `names` has the name of each argument, None for those that have none."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": False, "names": False}


# What SHOW shows -> whether FROM is allowed, and must be there.
SHOWN: dict[str, tuple[bool, bool]] = {
    "CATALOGS": (False, False),
    "SCHEMAS": (True, False),
    "TABLES": (True, False),
    "VIEWS": (True, False),
    "COLUMNS": (True, True),
    "FUNCTIONS": (True, False),
    "SESSION": (False, False),
    "ROLES": (True, False),
}
_CREATED = ("TABLE", "VIEW", "SCHEMA")
_ISOLATION = (
    ("READ", "UNCOMMITTED"),
    ("READ", "COMMITTED"),
    ("REPEATABLE", "READ"),
    ("SERIALIZABLE",),
)


class OwnStatements(GrantStatements):
    """The part of our parser that reads them."""

    def _parse_statement(self) -> exp.Expr | None:
        if self._curr:
            parse = self._own.get(self._curr.text.upper())
            # A quoted name is no keyword.
            if parse is not None and self._curr.token_type != TokenType.IDENTIFIER:
                self._advance()
                node: exp.Expr = parse(self)
                return node
        return super()._parse_statement()

    def _parse_show_statement(self) -> exp.Expr:
        if self._match_text_seq("STATS"):
            if not self._match_text_seq("FOR"):
                self.raise_error("Expecting FOR")
            return self._valid(Show(this="STATS", target=self._table_name()))
        if self._match_text_seq("CURRENT"):
            if not self._match_text_seq("ROLES"):
                self.raise_error("Expecting ROLES")
            return self._valid(Show(this="CURRENT ROLES", target=self._from()))
        if self._match_text_seq("ROLE"):
            if not self._match_text_seq("GRANTS"):
                self.raise_error("Expecting GRANTS")
            return self._valid(Show(this="ROLE GRANTS", target=self._from()))
        if self._match_text_seq("GRANTS"):
            on = self._match_text_seq("ON")
            if on:
                self._match_text_seq("TABLE")
            return self._valid(Show(this="GRANTS", target=self._table_name() if on else None))
        if self._match_text_seq("CREATE"):
            if self._match_texts(_CREATED):
                return self._valid(Show(this=f"CREATE {self._prev.text.upper()}", target=self._table_name()))
            self.raise_error("Expecting TABLE, VIEW or SCHEMA")
        if not self._match_texts(SHOWN):
            others = ("CURRENT ROLES", "ROLE GRANTS", "GRANTS", "STATS", "CREATE")
            self.raise_error(f"Expecting one of {', '.join((*SHOWN, *others))}")
        what = self._prev.text.upper()
        allowed, needed = SHOWN[what]
        target = None
        if allowed and self._match_texts(("FROM", "IN")):
            target = self._table_name()
        elif needed:
            self.raise_error("Expecting FROM")
        return self._valid(Show(this=what, target=target, **self._like()))

    def _from(self) -> exp.Expr | None:
        return self._table_name() if self._match_texts(("FROM", "IN")) else None

    def _like(self) -> dict[str, exp.Expr | None]:
        like = escape = None
        if self._match_text_seq("LIKE"):
            like = self._text()
            if self._match_text_seq("ESCAPE"):
                escape = self._text()
        return {"like": like, "escape": escape}

    def _parse_describe_statement(self) -> exp.Expr:
        if self._next and self._curr.token_type != TokenType.IDENTIFIER and self._next.text != ".":
            if self._match_text_seq("INPUT"):
                return self._valid(DescribePrepared(this=self._prepared_name()))
            if self._match_text_seq("OUTPUT"):
                return self._valid(DescribePrepared(this=self._prepared_name(), output=True))
        return self._valid(Show(this="COLUMNS", target=self._table_name()))

    def _parse_prepare_statement(self) -> exp.Expr:
        name = self._prepared_name()
        if not self._match_text_seq("FROM") or not self._curr:
            self.raise_error("Expecting FROM and a statement")
        start = self._curr.start
        if self._match_text_seq("EXPLAIN") and self._match_text_seq("ANALYZE"):
            self._match_text_seq("VERBOSE")
        statement = self._parse_statement()
        return self._valid(Prepare(this=name, expression=statement, start=start))

    def _parse_execute_statement(self) -> exp.Expr:
        immediate = self._match_text_seq("IMMEDIATE")
        this = self._text() if immediate else self._prepared_name()
        values = self._parse_csv(self._parse_expression) if self._match_text_seq("USING") else []
        return self._valid(Execute(this=this, expressions=values, immediate=bool(immediate)))

    def _parse_deallocate_statement(self) -> exp.Expr:
        self._match_text_seq("PREPARE")
        return self._valid(Deallocate(this=self._prepared_name()))

    def _parse_reset_statement(self) -> exp.Expr:
        if not self._match_text_seq("SESSION"):
            self.raise_error("Expecting SESSION")
        return self._valid(ResetSession(this=self._parse_column()))

    def _parse_set_statement(self) -> exp.Expr:
        if self._match_text_seq("TIME", "ZONE"):
            if self._match_text_seq("LOCAL"):
                return self._valid(SetTimeZone())
            zone = self._parse_expression()
            if zone is None:
                self.raise_error("Expecting a time zone, or LOCAL")
            return self._valid(SetTimeZone(this=zone))
        if self._match_text_seq("ROLE"):
            return self._set_role()
        if self._match_text_seq("PATH"):
            return self._valid(SetPath(expressions=self._parse_csv(self._table_name)))
        return self._parse_set()

    def _set_role(self) -> exp.Expr:
        if (
            self._curr
            and self._curr.token_type != TokenType.IDENTIFIER
            and self._match_texts(("ALL", "NONE"))
        ):
            node = SetRole(word=self._prev.text.upper())
        else:
            node = SetRole(this=self._parse_id_var(any_token=False))
            if node.this is None:
                self.raise_error("Expecting a role, ALL or NONE")
        if self._match_text_seq("IN"):
            # Roles are of all catalogs.
            self._table_name()
        return self._valid(node)

    def _parse_call_statement(self) -> exp.Expr:
        procedure = self._procedure_name()
        if not self._match(TokenType.L_PAREN):
            self.raise_error("Expecting (")
        values: list[exp.Expr | None] = []
        names: list[str | None] = []
        while not self._match(TokenType.R_PAREN):
            if values and not self._match(TokenType.COMMA):
                self.raise_error("Expecting , or )")
            named = self._next is not None and self._next.token_type == TokenType.FARROW
            names.append(self._curr.text.lower() if named and self._curr else None)
            if named:
                self._advance(2)
            value = self._parse_expression()
            if value is None:
                self.raise_error("Expecting a value")
            values.append(value)
        return self._valid(CallProcedure(this=procedure, expressions=values, names=names))

    def _procedure_name(self) -> exp.Expr:
        """As the name of a table is; sqlglot would take the arguments for a part of one."""
        parts = [self._parse_id_var(any_token=False)]
        while parts[-1] is not None and self._match(TokenType.DOT):
            parts.append(self._parse_id_var())
        if parts[-1] is None or len(parts) > 3:
            self.raise_error("Expecting the name of a procedure")
        this, db, catalog = (*reversed(parts), None, None)[:3]
        return exp.Table(this=this, db=db, catalog=catalog)

    def _parse_begin_statement(self) -> exp.Expr:
        """START TRANSACTION, with modes that change nothing here, and BEGIN for those who write that."""
        if self._prev.text.upper() == "START" and not self._match_text_seq("TRANSACTION"):
            self.raise_error("Expecting TRANSACTION")
        self._match_texts(("WORK", "TRANSACTION"))
        while self._curr and self._curr.token_type != TokenType.SEMICOLON:
            if self._match_text_seq("ISOLATION", "LEVEL"):
                if not any(self._match_text_seq(*words) for words in _ISOLATION):
                    self.raise_error("Expecting an isolation level")
            elif not (self._match_text_seq("READ", "ONLY") or self._match_text_seq("READ", "WRITE")):
                self.raise_error("Expecting ISOLATION LEVEL or READ")
            if not self._match(TokenType.COMMA):
                break
        return self._valid(exp.Transaction())

    def _parse_end_statement(self) -> exp.Expr:
        node = exp.Commit() if self._prev.text.upper() == "COMMIT" else exp.Rollback()
        self._match_text_seq("WORK")
        return self._valid(node)

    def _prepared_name(self) -> exp.Expr:
        name = self._parse_id_var(any_token=False)
        if name is None:
            self.raise_error("Expecting the name of a prepared statement")
        assert name is not None
        return name

    def _table_name(self) -> exp.Expr:
        if self._curr is None or self._curr.token_type in (TokenType.STRING, TokenType.L_PAREN):
            self.raise_error("Expecting a name")
        name = self._parse_table_parts()
        assert name is not None
        return name

    def _text(self) -> exp.Expr:
        if not self._match(TokenType.STRING):
            self.raise_error("Expecting a text in quotes")
        return exp.Literal.string(self._prev.text).update_positions(self._prev)

    def _valid(self, node: exp.Expr) -> exp.Expr:
        self.validate_expression(node)
        return node

    _own: ClassVar[dict[str, Any]] = {
        "SHOW": _parse_show_statement,
        "DESCRIBE": _parse_describe_statement,
        "DESC": _parse_describe_statement,
        "PREPARE": _parse_prepare_statement,
        "EXECUTE": _parse_execute_statement,
        "DEALLOCATE": _parse_deallocate_statement,
        "RESET": _parse_reset_statement,
        "SET": _parse_set_statement,
        "CALL": _parse_call_statement,
        **dict.fromkeys(("GRANT", "DENY", "REVOKE"), GrantStatements._parse_grant_statement),
        "BEGIN": _parse_begin_statement,
        "START": _parse_begin_statement,
        "COMMIT": _parse_end_statement,
        "ROLLBACK": _parse_end_statement,
    }
