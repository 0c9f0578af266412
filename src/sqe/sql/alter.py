"""ALTER and COMMENT ON, which sqlglot reads only in part.

Each is a node of its own; a column is the list of names of its path. What is not parsed here (branches,
partition fields, owners) stays a command, which `bind` refuses by name.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqe.sql.statements import OwnStatements

# Where the text of a CREATE's query begins and ends.
SPAN = "span"


class Alter(exp.Expression):
    """ALTER kind [IF EXISTS] this action; kind is TABLE, VIEW or SCHEMA."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True, "exists": False, "action": True}


class RenameTo(exp.Expression):
    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class AddColumn(exp.Expression):
    """ADD COLUMN [IF NOT EXISTS] expressions.this; `this` is a ColumnDef, the rest the path to its row."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": False, "exists": False}


class DropColumn(exp.Expression):
    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "exists": False}


class RenameColumn(exp.Expression):
    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "to": True, "exists": False}


class SetColumnType(exp.Expression):
    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "kind": True}


class SetNullable(exp.Expression):
    """SET NOT NULL, or with `nullable` DROP NOT NULL."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "nullable": False}


class SetProperties(exp.Expression):
    """`expressions` are properties; DEFAULT as a value is a Var, and removes the property."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class CommentOn(exp.Expression):
    """COMMENT ON kind this IS text; for a COLUMN, `expressions` are all names. Without `text`, IS NULL."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "this": False, "expressions": False, "text": False}


class AlterStatements(OwnStatements):
    """The part of our parser that reads them."""

    def _parse_ddl_select(self) -> exp.Expr | None:
        # A view keeps its query as it was written.
        start = self._curr.start if self._curr else None
        node = super()._parse_ddl_select()
        if node is not None and start is not None:
            node.meta[SPAN] = (start, self._prev.end + 1)
        return node

    def _parse_table_parts(self, *arguments: Any, **options: Any) -> Any:
        # Of a schema's names sqlglot would keep the last two, and drop those before them.
        return super()._parse_table_parts(*arguments, **{**options, "is_db_reference": False})

    def _parse_alter(self) -> exp.Expr:  # type: ignore[override]
        start = self._prev
        if not self._match_texts(("TABLE", "VIEW", "SCHEMA")):
            return self._parse_as_command(start)
        kind = self._prev.text.upper()
        exists = self._parse_exists()
        target = self._parse_table_parts()
        action = self._table_action() if kind == "TABLE" else self._rename_to()
        if action is None:
            return self._parse_as_command(start)
        return self._valid(Alter(this=target, kind=kind, exists=bool(exists), action=action))

    def _table_action(self) -> exp.Expr | None:
        if self._match_text_seq("ADD", "COLUMN"):
            return self._add_column()
        if self._match_text_seq("DROP", "COLUMN"):
            exists = self._parse_exists()
            return self._valid(DropColumn(expressions=self._path(), exists=bool(exists)))
        if self._match_text_seq("RENAME", "COLUMN"):
            exists = self._parse_exists()
            path = self._path()
            if not self._match_text_seq("TO"):
                self.raise_error("Expecting TO")
            return self._valid(RenameColumn(expressions=path, to=self._parse_id_var(), exists=bool(exists)))
        if self._match_text_seq("ALTER", "COLUMN"):
            return self._alter_column()
        if self._match_text_seq("SET", "PROPERTIES"):
            return self._valid(SetProperties(expressions=self._parse_csv(self._assignment)))
        if self._match_text_seq("SET", "TBLPROPERTIES"):
            return self._valid(SetProperties(expressions=self._parse_wrapped_csv(self._assignment)))
        if self._match_text_seq("UNSET", "TBLPROPERTIES"):
            self._parse_exists()
            return self._valid(SetProperties(expressions=self._parse_wrapped_csv(self._unset)))
        return self._rename_to()

    def _rename_to(self) -> exp.Expr | None:
        if not self._match_text_seq("RENAME", "TO"):
            return None
        return self._valid(RenameTo(this=self._parse_table_parts()))

    def _add_column(self) -> exp.Expr:
        exists = self._parse_exists(not_=True)
        *within, name = self._path()
        # A name alone comes back as it was: a column needs a type.
        column = self._parse_column_def(name)
        if not isinstance(column, exp.ColumnDef):
            self.raise_error("Expecting the column's type")
        return self._valid(AddColumn(this=column, expressions=within, exists=bool(exists)))

    def _alter_column(self) -> exp.Expr | None:
        path = self._path()
        if self._match_text_seq("SET", "NOT", "NULL"):
            return self._valid(SetNullable(expressions=path))
        if self._match_text_seq("DROP", "NOT", "NULL"):
            return self._valid(SetNullable(expressions=path, nullable=True))
        if self._match_text_seq("SET", "DATA", "TYPE") or self._match_text_seq("TYPE"):
            kind = self._parse_types()
            if kind is None:
                self.raise_error("Expecting the column's type")
            return self._valid(SetColumnType(expressions=path, kind=kind))
        return None

    def _assignment(self) -> exp.Expr:
        key = self._key()
        if not self._match(TokenType.EQ):
            self.raise_error("Expecting =")
        value = exp.Var(this="DEFAULT") if self._match_text_seq("DEFAULT") else self._parse_disjunction()
        return self._valid(exp.Property(this=key, value=value))

    def _unset(self) -> exp.Expr:
        return self._valid(exp.Property(this=self._key(), value=exp.Var(this="DEFAULT")))

    def _key(self) -> exp.Expr | None:
        if self._curr and self._curr.token_type == TokenType.STRING:
            return self._text()
        return self._parse_id_var()

    def _path(self) -> list[exp.Expr]:
        names: list[exp.Expr] = []
        while True:
            name = self._parse_id_var()
            if name is None:
                self.raise_error("Expecting a column")
            assert name is not None
            names.append(name)
            if not self._match(TokenType.DOT):
                return names

    def _parse_comment(self, allow_exists: bool = True) -> exp.Expr:
        start = self._prev
        if not self._match_text_seq("ON") or not self._match_texts(("TABLE", "VIEW", "COLUMN")):
            return self._parse_as_command(start)
        kind = self._prev.text.upper()
        column = kind == "COLUMN"
        path = self._path() if column else None
        target = None if column else self._parse_table_parts()
        if not self._match(TokenType.IS):
            self.raise_error("Expecting IS")
        text = None if self._match(TokenType.NULL) else self._text()
        return self._valid(CommentOn(kind=kind, this=target, expressions=path, text=text))
