"""Regular expressions in Spark SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.java_patterns import java_pattern
from sqe.engine.spark.functions.text import refuse, share, string
from sqe.engine.spark.types import spark_type
from sqe.errors import NotSupported
from sqe.functions.constants import MISSING, constant, constant_integer, constant_text, invalid
from sqe.tree.expressions import Call
from sqe.types.sql_types import FunctionType

Texts = Sequence[str]
_LINES = re.compile(r"[.$]|\\Z|\(\?[a-z]*m")
_ANY_CASE = re.compile(r"\(\?[a-z]*i")
_READ_OTHERWISE = string(r"\[:|\\[bBpPhHvVRXN]")
# Java finds nothing, too, between the halves of a character that is two units of UTF-16.
_WHOLE = r"(?!\p{{Cs}})(?:{})"
_BEFORE, _AFTER = (string(part) for part in _WHOLE.format("|").split("|"))
_OF_TWO_UNITS = string(r"[\x{10000}-\x{10FFFF}]")
_BEYOND_ASCII = string(r"[^\x00-\x7F]")
# A match that looks at what is around it may differ where the text before it is cut off.
_LOOKS_BACK = re.compile(r"\^|\\[bBAGzZ]|\(\?<[=!]")


def _pattern(call: Call) -> str | None:
    """The pattern as a Spark literal. In Trino's patterns a line ends at \\n alone."""
    pattern = constant_text(call, 1, "the pattern")
    if pattern is None:
        return None
    flags = "(?d)" if _LINES.search(pattern) else ""
    text = java_pattern(pattern).text
    return string(flags + (_WHOLE.format(text) if _shape(pattern).may_be_empty else text))


def _pattern_of_row(text: str, pattern: str) -> str:
    """A pattern that only a row knows. What Java reads otherwise than Trino does is refused as it runs:
    there is no rewriting it here."""
    refused = refuse("regexp_replace: a pattern of a column with \\b, \\p or [:class:]", code="NOT_SUPPORTED")
    any_case = refuse("regexp_replace: (?i) of a column over letters beyond ASCII", code="NOT_SUPPORTED")
    beyond = f"{{0}} RLIKE {string(_ANY_CASE.pattern)} AND concat({{0}}, {{1}}) RLIKE {_BEYOND_ASCII}"
    return share(
        f"CASE WHEN {{0}} RLIKE {_READ_OTHERWISE} THEN {refused} WHEN {beyond} THEN {any_case}"
        # What is no pattern alone must not become one: so it is used alone, too, and (?:) is nothing.
        f" WHEN {{1}} RLIKE {_OF_TWO_UNITS}"
        f" THEN concat('(?d)', if('' RLIKE {{0}}, '', '(?:)'), {_BEFORE}, {{0}}, {_AFTER})"
        " ELSE concat('(?d)', {0}) END",
        (pattern, text),
    )


def _replace_by_rows(call: Call, texts: Texts) -> str:
    """The pattern may be a column here: this function may fail, so that nothing relies on it not to."""
    by_lambda = len(texts) == 3 and isinstance(call.arguments[2].type, FunctionType)
    if by_lambda or constant(call.arguments[1]) is not MISSING:
        return _with_pattern(_replace)(call, texts)
    return _replace(call, texts, _pattern_of_row(texts[0], texts[1]))


def _with_pattern(render: Callable[[Call, Texts, str], str]) -> Renderer:
    def rendered(call: Call, texts: Texts) -> str:
        pattern = _pattern(call)
        if pattern is None:
            return f"CAST(NULL AS {spark_type(call.type)})"
        return render(call, texts, pattern)

    return rendered


class _Shape:
    """What can be said of a pattern before it runs: whether it may match nothing, how many groups it has,
    and which of them may take no part in a match. What Python cannot read may do all of it."""

    def __init__(self, pattern: str) -> None:
        from re import _constants, _parser  # type: ignore[attr-defined]

        self.may_be_empty = True
        self.groups: int | None = None
        self.absent: set[int] | None = None
        try:
            parsed = _parser.parse(java_pattern(pattern).outline)
        except (re.error, OverflowError, RecursionError):
            return
        self.may_be_empty = parsed.getwidth()[0] == 0
        self.groups = parsed.state.groups - 1
        self.absent = set(_optional(parsed, _constants, False))


def _optional(parsed: Any, words: Any, optional: bool) -> Iterator[int]:
    """The groups below an alternative, or below what may be repeated no times."""
    for operation, argument in parsed:
        if operation is words.SUBPATTERN:
            if optional and argument[0] is not None:
                yield argument[0]
            yield from _optional(argument[3], words, optional)
        elif operation is words.BRANCH:
            for branch in argument[1]:
                yield from _optional(branch, words, True)
        elif operation in (words.MAX_REPEAT, words.MIN_REPEAT, words.POSSESSIVE_REPEAT):
            yield from _optional(argument[2], words, optional or argument[0] == 0)
        elif operation is words.ATOMIC_GROUP:
            yield from _optional(argument, words, optional)
        elif operation in (words.ASSERT, words.ASSERT_NOT):
            yield from _optional(argument[1], words, True)


@lru_cache(maxsize=256)
def _shape(pattern: str) -> _Shape:
    return _Shape(pattern)


def _shape_of(call: Call) -> _Shape:
    pattern = constant_text(call, 1, "the pattern")
    assert pattern is not None
    return _shape(pattern)


def _refuse_empty(call: Call) -> None:
    if _shape_of(call).may_be_empty:
        raise NotSupported(f"{call.function}: a pattern that may match nothing", position=call.position)


def _group(call: Call, texts: Texts) -> int:
    if len(texts) < 3:
        return 0
    group = constant_integer(call, 2, "the group")
    if group is None or group < 0:
        raise invalid(call, "Group must not be negative")
    shape = _shape_of(call)
    if shape.groups is not None and group > shape.groups:
        raise invalid(call, f"Pattern has {shape.groups} groups. Cannot access group {group}")
    if group and (shape.absent is None or group in shape.absent):
        # Spark says '' for a group that took no part in the match, Trino NULL.
        raise NotSupported(
            f"{call.function}: a group beside optional parts of a pattern", position=call.position
        )
    return group


def _extract(call: Call, texts: Texts, pattern: str) -> str:
    group = f"regexp_extract({{0}}, {pattern}, {_group(call, texts)})"
    return share(f"(CASE WHEN {{0}} RLIKE {pattern} THEN {group} END)", texts[:1])


def _extract_all(call: Call, texts: Texts, pattern: str) -> str:
    return f"regexp_extract_all({texts[0]}, {pattern}, {_group(call, texts)})"


def _replace(call: Call, texts: Texts, pattern: str) -> str:
    if len(texts) == 3 and isinstance(call.arguments[2].type, FunctionType):
        return _replace_by(call, texts, pattern)
    return f"regexp_replace({texts[0]}, {pattern}, {texts[2] if len(texts) == 3 else chr(39) * 2})"


def _replace_by(call: Call, texts: Texts, pattern: str) -> str:
    """Each match replaced by what a lambda makes of its groups: the texts between, and those, joined."""
    _refuse_empty(call)
    shape = _shape_of(call)
    if shape.groups is None or shape.absent:
        raise NotSupported(
            "regexp_replace: a lambda over groups beside optional parts of a pattern", position=call.position
        )
    if not shape.groups:
        groups = f"transform(regexp_extract_all({{0}}, {pattern}, 0), m_ -> CAST(array() AS ARRAY<STRING>))"
    else:
        each = [f"regexp_extract_all({{0}}, {pattern}, {n})" for n in range(1, shape.groups + 1)]
        fields = ", ".join(f"m_.`{n}`" for n in range(shape.groups))
        groups = f"transform(arrays_zip({', '.join(each)}), m_ -> array({fields}))"
    between = f"split({{0}}, {pattern}, -1)"
    replacements = f"transform({groups}, {texts[2]})"
    joined = (
        f"concat({between}[0], array_join(zip_with({replacements}, slice({between}, 2, size({between})),"
        " (r_, b_) -> concat(r_, b_)), ''))"
    )
    # One NULL among them makes the whole NULL.
    return share(f"(CASE WHEN NOT exists({replacements}, r_ -> r_ IS NULL) THEN {joined} END)", texts[:1])


def _split(call: Call, texts: Texts, pattern: str) -> str:
    _refuse_empty(call)
    return f"split({texts[0]}, {pattern}, -1)"


def _position(call: Call, texts: Texts, pattern: str) -> str:
    """Spark counts in units of UTF-16; so the texts before the match are measured."""
    _refuse_empty(call)
    start = constant_integer(call, 2, "the start") if len(texts) > 2 else 1
    occurrence = constant_integer(call, 3, "the occurrence") if len(texts) > 3 else 1
    if start is None or occurrence is None:
        return "CAST(NULL AS INT)"
    if start < 1 or occurrence < 1:
        raise invalid(call, "start position and occurrence cannot be smaller than 1")
    if start > 1 and _LOOKS_BACK.search(constant_text(call, 1, "the pattern") or ""):
        raise NotSupported("regexp_position: a start with a pattern that looks back", position=call.position)
    text = "{0}" if start == 1 else f"substr({{0}}, {start})"
    between = f"slice(split({text}, {pattern}, {occurrence + 1}), 1, {occurrence})"
    matched = f"slice(regexp_extract_all({text}, {pattern}, 0), 1, {occurrence - 1})"
    before = f"char_length(array_join({between}, ''))"
    if occurrence > 1:
        before += f" + char_length(array_join({matched}, ''))"
    is_there = f"size(regexp_extract_all({text}, {pattern}, 0)) >= {occurrence}"
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN {is_there} THEN {before} + {start} ELSE -1 END)", texts[:1]
    )


RENDERINGS: dict[str, Rendering] = {
    "regexp_like": _with_pattern(lambda call, texts, pattern: f"({texts[0]} RLIKE {pattern})"),
    "regexp_extract": _with_pattern(_extract),
    "regexp_extract_all": _with_pattern(_extract_all),
    "regexp_replace": _replace_by_rows,
    "regexp_count": _with_pattern(
        lambda call, texts, pattern: f"CAST(regexp_count({texts[0]}, {pattern}) AS BIGINT)"
    ),
    "regexp_position": _with_pattern(_position),
    "regexp_split": _with_pattern(_split),
}
