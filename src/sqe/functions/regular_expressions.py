"""Regular expressions. Patterns are constants, so that a bad one is refused before the statement runs; only
regexp_replace also takes a column."""

from __future__ import annotations

from sqe.functions.function import scalar
from sqe.types.sql_types import VARCHAR, Type, Varchar


def _replaced(parameters: tuple[Type, ...]) -> Type:
    text, _, new = (p.length if isinstance(p, Varchar) else None for p in parameters)
    if text is None or new is None:
        return VARCHAR
    return Varchar(min(2147483647, text + max(text * new // 2, new) * (text + 1)))


FUNCTIONS = (
    scalar("regexp_like", "(varchar(x), varchar(y)) -> boolean", help="Whether a pattern matches anywhere"),
    scalar(
        "regexp_extract",
        "(varchar(x), varchar(y)) -> varchar(x)",
        "(varchar(x), varchar(y), bigint) -> varchar(x)",
        help="The first match, or a group of it; NULL where there is none",
    ),
    scalar(
        "regexp_extract_all",
        "(varchar(x), varchar(y)) -> array(varchar(x))",
        "(varchar(x), varchar(y), bigint) -> array(varchar(x))",
        help="All matches, or a group of each",
    ),
    scalar(
        "regexp_replace",
        "(varchar(x), varchar(y)) -> varchar(x)",
        ("(varchar(x), varchar(y), varchar(z)) -> ?", _replaced),
        "(varchar, varchar(y), function(array(varchar), varchar)) -> varchar",
        help="Each match removed, or replaced by a text with $1, $2, … for its groups, or by a lambda",
        raises="a replacement that names no group, or a pattern of a row that is none",
    ),
    scalar("regexp_count", "(varchar(x), varchar(y)) -> bigint", help="How many matches there are"),
    scalar(
        "regexp_position",
        "(varchar(x), varchar(y)) -> integer",
        "(varchar(x), varchar(y), integer) -> integer",
        "(varchar(x), varchar(y), integer, integer) -> integer",
        help="Where the first match is, or the n-th one from a start; -1 where there is none",
    ),
    scalar("regexp_split", "(varchar(x), varchar(y)) -> array(varchar(x))", help="The parts between matches"),
)
