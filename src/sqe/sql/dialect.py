"""Our dialect: SQL as Trino reads it, with names left as they were written.

sqlglot's own function table is off, so that `strpos` stays `strpos`; what `bind` does not know by
name is refused there. Everything private of sqlglot that we lean on is in this file, statements.py, alter.py
and json_calls.py.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.trino import Trino
from sqlglot.parsers.trino import TrinoParser
from sqlglot.tokenizer_core import TokenType

from sqe.sql.json_calls import JsonCalls

_OWN_WORDS = ("CALL", "PREPARE", "DEALLOCATE PREPARE", "DESCRIBE INPUT", "DESCRIBE OUTPUT", "RESET SESSION")
COMMA = "comma"
CAST = "cast"
# Calls with a grammar of their own: CAST(x AS t), EXTRACT(y FROM x), TRIM(LEADING a FROM b), ...
_OWN_GRAMMAR = ("CAST", "TRY_CAST", "EXTRACT", "POSITION", "TRIM", "SUBSTRING", "JSON_OBJECT")


_TRINO_TYPES = frozenset({"bingtile", "setdigest", "sphericalgeography"})


class SqeParser(JsonCalls):
    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    FUNCTION_PARSERS: ClassVar[dict[str, Any]] = (
        {k: v for k, v in TrinoParser.FUNCTION_PARSERS.items() if k in _OWN_GRAMMAR}
        | {
            kind: lambda self, kind=kind: self._parse_json_path_call(kind)
            for kind in ("JSON_EXISTS", "JSON_VALUE", "JSON_QUERY")
        }
        | {"JSON_ARRAY": lambda self: self._parse_json_array()}
    )

    # EXISTS, ANY and ALL of any query: sqlglot takes what follows for a function's arguments otherwise.
    SUBQUERY_TOKENS: ClassVar[set[TokenType]] = {
        *TrinoParser.SUBQUERY_TOKENS,
        TokenType.VALUES,
        TokenType.TABLE,
    }

    def expression(self, instance: Any, token: Any = None, comments: Any = None) -> Any:
        # sqlglot remembers where names stand, but not constants; they are leaves, so the token that
        # was just read is theirs.
        node = super().expression(instance, token, comments)
        if token is None and not node.meta and isinstance(node, _LEAVES) and self._prev:
            node.update_positions(self._prev)
        return node

    def _warn_unsupported(self) -> None:
        # sqlglot logs a warning about what it hands back as a bare command; bind refuses that by name.
        pass

    def _parse_cast(self, *arguments: Any, **options: Any) -> Any:
        # CAST('2020-01-01' AS DATE) and DATE '2020-01-01' are one node to sqlglot.
        cast = super()._parse_cast(*arguments, **options)
        cast.meta[CAST] = True
        return cast

    def _parse_types(self, *arguments: Any, **options: Any) -> Any:
        # Names of Trino's own that are no keywords: nothing but the end of a type follows them. In an
        # expression (`check_func`), and before a type, they are the names of columns and fields.
        word = self._curr.text.lower() if self._curr else ""
        ends = self._next and self._next.token_type in (TokenType.R_PAREN, TokenType.COMMA)
        if ends and word in _TRINO_TYPES and not (arguments or options.get("check_func")):
            self._advance()
            return self.expression(exp.DataType(this=exp.DType.USERDEFINED, kind=word))
        return super()._parse_types(*arguments, **options)

    def _parse_type(self, *arguments: Any, **options: Any) -> Any:
        # DATE '2020-01-01', JSON '{}' and INTERVAL '1' DAY begin at their keyword, not at the quote.
        first = self._curr
        node = super()._parse_type(*arguments, **options)
        if first is not None and isinstance(node, _TYPED_LITERALS) and not node.meta:
            node.meta["start"] = first.start
        return node

    def _parse_join(self, *arguments: Any, **options: Any) -> Any:
        # `a, b` and a JOIN that lacks its ON look alike in sqlglot's tree.
        comma = bool(self._curr) and self._curr.token_type == TokenType.COMMA
        join = super()._parse_join(*arguments, **options)
        if join is not None and comma:
            join.meta[COMMA] = True
        return join

    def _parse_select_or_expression(self, alias: bool = False) -> Any:
        # IN (VALUES 1, 2 ORDER BY 1 LIMIT 1)
        if self._curr and self._curr.token_type == TokenType.VALUES:
            return self._parse_query_modifiers(self._parse_select())
        return super()._parse_select_or_expression(alias=alias)

    def _parse_table_part(self, schema: bool = False) -> Any:
        # FROM 'file.parquet' is a file, FROM "file.parquet" a table: keep them apart.
        if self._match(TokenType.STRING):
            token = self._prev
            return exp.Literal.string(token.text).update_positions(token)
        return super()._parse_table_part(schema=schema)


_LEAVES = (
    exp.Literal,
    exp.Null,
    exp.Boolean,
    exp.Star,
    exp.Placeholder,
    exp.CurrentDate,
    exp.CurrentTimestamp,
    exp.CurrentTime,
    exp.CurrentUser,
    exp.Localtime,
    exp.Localtimestamp,
    exp.Parameter,
    exp.HexString,
    exp.Introducer,
)
_TYPED_LITERALS = (exp.Cast, exp.Interval, exp.ParseJSON)


class Sqe(Trino):
    INDEX_OFFSET = 0  # a[1] stays a[1]
    STRICT_JSON_PATH_SYNTAX = False  # else sqlglot logs warnings about paths

    class Tokenizer(Trino.Tokenizer):
        # sqlglot takes what follows a command as one text; ours are parsed.
        COMMANDS: ClassVar[set[TokenType]] = Trino.Tokenizer.COMMANDS - {TokenType.SHOW, TokenType.EXECUTE}
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **{k: v for k, v in Trino.Tokenizer.KEYWORDS.items() if k not in _OWN_WORDS},
            "QUALIFY": TokenType.QUALIFY,
        }

    Parser = SqeParser
