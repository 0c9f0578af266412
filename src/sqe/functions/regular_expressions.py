"""Regular expressions. Patterns are constants, so that a bad one is known before the query runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqe.engine.spark.types import spark_type
from sqe.errors import NotSupported
from sqe.functions.function import Renderer, scalar
from sqe.functions.spark_text import constant, constant_integer, constant_text, invalid, share, string
from sqe.tree.types import VARCHAR, Type, Varchar

Texts = Sequence[str]

_CLASSES = re.compile(r"\\[wWdDsSbB]|\[:")
_MAYBE_ABSENT = re.compile(r"\||\)[?*{]")
_MAYBE_EMPTY = re.compile(r"[*?|]|\{0|^\^?\$?$|^\\b$|^\(\?")


def _pattern(call: Any) -> str | None:
    """The pattern as a Spark literal. In Trino's patterns \\w, \\d and their like know all of Unicode."""
    pattern = constant_text(call, 1, "the pattern")
    if pattern is None:
        return None
    return string("(?U)" + pattern if _CLASSES.search(pattern) else pattern)


def _with_pattern(render: Any) -> Renderer:
    def rendered(call: Any, texts: Texts) -> str:
        pattern = _pattern(call)
        if pattern is None:
            return f"CAST(NULL AS {spark_type(call.type)})"
        text: str = render(call, texts, pattern)
        return text

    return rendered


def _group(call: Any, texts: Texts) -> int:
    if len(texts) < 3:
        return 0
    group = constant_integer(call, 2, "the group")
    pattern = constant_text(call, 1, "the pattern")
    assert pattern is not None
    if group is None or group < 0:
        raise invalid(call, "Group must not be negative")
    if group and _MAYBE_ABSENT.search(pattern):
        # Spark says '' for a group that took no part in the match, Trino NULL.
        raise NotSupported(
            f"{call.function}: a group beside optional parts of a pattern", position=call.position
        )
    return group


def _extract(call: Any, texts: Texts, pattern: str) -> str:
    found = f"regexp_extract({{0}}, {pattern}, {_group(call, texts)})"
    return share(f"(CASE WHEN {{0}} RLIKE {pattern} THEN {found} END)", texts[:1])


def _extract_all(call: Any, texts: Texts, pattern: str) -> str:
    return f"regexp_extract_all({texts[0]}, {pattern}, {_group(call, texts)})"


def _replace(call: Any, texts: Texts, pattern: str) -> str:
    return f"regexp_replace({texts[0]}, {pattern}, {texts[2] if len(texts) == 3 else chr(39) * 2})"


def _split(call: Any, texts: Texts, pattern: str) -> str:
    plain = constant(call.arguments[1])
    if not isinstance(plain, str) or _MAYBE_EMPTY.search(plain):
        raise NotSupported("regexp_split: a pattern that may match nothing", position=call.position)
    return f"split({texts[0]}, {pattern}, -1)"


def _replaced(parameters: tuple[Type, ...]) -> Type:
    text, _, new = (p.length if isinstance(p, Varchar) else None for p in parameters)
    if text is None or new is None:
        return VARCHAR
    return Varchar(min(2147483647, text + max(text * new // 2, new) * (text + 1)))


FUNCTIONS = (
    scalar(
        "regexp_like",
        "(varchar(x), varchar(y)) -> boolean",
        spark=_with_pattern(lambda call, texts, pattern: f"({texts[0]} RLIKE {pattern})"),
        help="Whether a pattern matches anywhere",
    ),
    scalar(
        "regexp_extract",
        "(varchar(x), varchar(y)) -> varchar(x)",
        "(varchar(x), varchar(y), bigint) -> varchar(x)",
        spark=_with_pattern(_extract),
        help="The first match, or a group of it; NULL where there is none",
    ),
    scalar(
        "regexp_extract_all",
        "(varchar(x), varchar(y)) -> array(varchar(x))",
        "(varchar(x), varchar(y), bigint) -> array(varchar(x))",
        spark=_with_pattern(_extract_all),
        help="All matches, or a group of each",
    ),
    scalar(
        "regexp_replace",
        "(varchar(x), varchar(y)) -> varchar(x)",
        ("(varchar(x), varchar(y), varchar(z)) -> ?", _replaced),
        spark=_with_pattern(_replace),
        help="Each match removed, or replaced by a text with $1, $2, … for its groups",
        raises=True,
    ),
    scalar(
        "regexp_count",
        "(varchar(x), varchar(y)) -> bigint",
        spark=_with_pattern(
            lambda call, texts, pattern: f"CAST(regexp_count({texts[0]}, {pattern}) AS BIGINT)"
        ),
        help="How many matches there are",
    ),
    scalar(
        "regexp_split",
        "(varchar(x), varchar(y)) -> array(varchar(x))",
        spark=_with_pattern(_split),
        help="The parts between matches",
    ),
)
