"""GRANT, DENY and REVOKE, with the rules that a grant may carry: ROWS WHERE and MASKED WITH."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp
from sqlglot.parsers.trino import TrinoParser
from sqlglot.tokenizer_core import TokenType

_PRIVILEGES = ["SELECT", "INSERT", "UPDATE", "DELETE", "MODIFY", "TRUNCATE", "CREATE", "ALTER", "DROP"]
_ON = ("TABLE", "VIEW", "SCHEMA", "CATALOG")
_TO = ("USER", "ROLE", "GROUP")


class ChangeGrants(exp.Expression):
    """`this` is GRANT, DENY or REVOKE; `privileges` pairs of a word and the columns that it is limited to;
    `on` what kind of thing `target` is; `grantees` pairs of USER, ROLE, GROUP or PUBLIC, and a name; `rows`
    the text of a condition; `masks` triples of a column, the text of its mask, and whether that is a name."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "privileges": True,
        "on": True,
        "target": True,
        "grantees": True,
        "rows": False,
        "masks": False,
        "option": False,
    }


class GrantStatements(TrinoParser):
    """The part of our parser that reads them."""

    def _parse_grant_statement(self) -> exp.Expr:
        action = self._prev.text.upper()
        option = action == "REVOKE" and self._match_text_seq("GRANT", "OPTION", "FOR")
        masks: list[tuple[exp.Expr, str, bool]] = []
        privileges = [self._privilege(masks)]
        while self._match(TokenType.COMMA):
            privileges.append(self._privilege(masks))
        rows = self._rows()
        self._expect("ON")
        kind = self._kind_of_target()
        target = self._parse_table_parts()
        self._expect("FROM" if action == "REVOKE" else "TO")
        grantees = [self._grantee()]
        while self._match(TokenType.COMMA):
            grantees.append(self._grantee())
        while action == "GRANT" and self._curr:
            if self._match_text_seq("MASKED", "WITH"):
                self._masks(masks)
            elif self._match_text_seq("WITH", "GRANT", "OPTION"):
                option = True
            elif rows is None and (rows := self._rows()) is not None:
                pass
            else:
                break
        node = ChangeGrants(
            this=action,
            privileges=privileges,
            on=kind,
            target=target,
            grantees=grantees,
            rows=rows,
            masks=masks,
            option=bool(option),
        )
        self.validate_expression(node)
        return node

    def _privilege(self, masks: list[tuple[exp.Expr, str, bool]]) -> tuple[str, list[exp.Expr]]:
        if self._match_text_seq("ALL"):
            self._match_text_seq("PRIVILEGES")
            return "ALL", []
        if not self._match_texts(_PRIVILEGES):
            self.raise_error(f"Expecting ALL PRIVILEGES or one of {', '.join(_PRIVILEGES)}")
        word = self._prev.text.upper()
        columns: list[exp.Expr] = []
        if self._match(TokenType.L_PAREN):
            while not columns or self._match(TokenType.COMMA):
                columns.append(self._column_name())
                if self._match_text_seq("MASKED", "WITH"):
                    masks.append((columns[-1], *self._mask()))
            self._close()
        return word, columns

    def _masks(self, masks: list[tuple[exp.Expr, str, bool]]) -> None:
        if not self._match(TokenType.L_PAREN):
            self.raise_error("Expecting (")
        first = True
        while first or self._match(TokenType.COMMA):
            first = False
            column = self._column_name()
            if not (self._match(TokenType.EQ) or self._match_text_seq("AS")):
                self.raise_error("Expecting = or AS")
            masks.append((column, *self._mask()))
        self._close()

    def _mask(self) -> tuple[str, bool]:
        """A text alone is the name of a mask."""
        following = self._next
        alone = following is None or following.token_type in (TokenType.COMMA, TokenType.R_PAREN)
        if alone and self._match(TokenType.STRING):
            return self._prev.text, True
        return self._text_of_expression(), False

    def _rows(self) -> str | None:
        if not self._match_text_seq("ROWS"):
            return None
        self._expect("WHERE")
        return self._text_of_expression()

    def _text_of_expression(self) -> str:
        if self._curr is None:
            self.raise_error("Expecting an expression")
        start = self._curr.start
        if self._parse_disjunction() is None:
            self.raise_error("Expecting an expression")
        return self.sql[start : self._prev.end + 1]

    def _kind_of_target(self) -> str:
        for words in (("ALL", "TABLES", "IN"), ("FUTURE", "TABLES", "IN")):
            if self._match_text_seq(*words):
                self._match_text_seq("SCHEMA")
                return "TABLES"
        # A quoted name is no keyword, and a table may be called like one.
        named = self._next is not None and self._next.token_type not in (TokenType.DOT, TokenType.ALIAS)
        if named and self._next and self._next.text.upper() not in ("TO", "FROM") and self._match_texts(_ON):
            return self._prev.text.upper()
        return "TABLE"

    def _grantee(self) -> tuple[str, str]:
        quoted = self._curr is not None and self._curr.token_type == TokenType.IDENTIFIER
        if not quoted and self._match_text_seq("PUBLIC"):
            return "PUBLIC", ""
        kind = "USER"
        if not quoted and self._match_texts(_TO):
            kind = self._prev.text.upper()
        name = self._parse_id_var(any_token=False)
        if name is None:
            self.raise_error("Expecting PUBLIC, or the name of a USER, ROLE or GROUP")
        assert name is not None
        return kind, name.name if name.args.get("quoted") else name.name.lower()

    def _column_name(self) -> exp.Expr:
        name = self._parse_id_var(any_token=False)
        if name is None:
            self.raise_error("Expecting the name of a column")
        assert name is not None
        return name

    def _close(self) -> None:
        if not self._match(TokenType.R_PAREN):
            self.raise_error("Expecting , or )")

    def _expect(self, word: str) -> None:
        if not self._match_text_seq(word):
            self.raise_error(f"Expecting {word}")
