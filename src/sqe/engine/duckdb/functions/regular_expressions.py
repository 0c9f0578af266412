"""Functions of regular expressions in DuckDB's SQL, for the patterns that `patterns` translates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqe.engine.duckdb.functions.patterns import Pattern, translated
from sqe.engine.duckdb.functions.text import share, string
from sqe.engine.duckdb.types import duck_type
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.errors import NotSupported
from sqe.functions.constants import constant_integer, constant_text, invalid
from sqe.tree.expressions import Call
from sqe.types.sql_types import FunctionType

Texts = Sequence[str]
_MOST_GROUPS = 9  # that a replacement can name
_REFERENCE = re.compile(r"\$(\d)|\$\{([A-Za-z][A-Za-z0-9]*)\}|\\(.)|([^$\\])", re.DOTALL)


def with_pattern(render: Callable[[Call, Texts, Pattern], str], *, consuming: bool = True) -> Renderer:
    def rendered(call: Call, texts: Texts) -> str:
        pattern = constant_text(call, 1, "the pattern")
        if pattern is None:
            return f"CAST(NULL AS {duck_type(call.type)})"
        return render(call, texts, translated(pattern, consuming=consuming))

    return rendered


def like(call: Call, texts: Texts, pattern: Pattern) -> str:
    return f"regexp_matches({texts[0]}, {string(pattern.text)})"


def extract(call: Call, texts: Texts, pattern: Pattern) -> str:
    group = _group(call, texts, pattern)
    group_text = _without_tail(
        f"regexp_extract({{0}}, {string(pattern.text)}, {group})", call, pattern, group
    )
    if group == pattern.groups[0] and not pattern.may_be_empty:
        # DuckDB says '' where there is no match.
        return share(f"nullif({group_text}, '')", texts[:1])
    matches = f"regexp_matches({{0}}, {string(pattern.text)})"
    return share(f"(CASE WHEN {matches} THEN {group_text} END)", texts[:1])


def _without_tail(text: str, call: Call, pattern: Pattern, group: int) -> str:
    """A match, without the line break that $ leaves out."""
    if group != pattern.groups[0] or pattern.is_whole:
        return text
    if pattern.takes_newline:
        raise NotSupported(f"{call.function}: $ beside what may be a line break", position=call.position)
    return f"rtrim({text}, chr(10))"


def _group(call: Call, texts: Texts, pattern: Pattern) -> int:
    if len(texts) < 3:
        return pattern.groups[0]
    group = constant_integer(call, 2, "the group")
    count = len(pattern.groups) - 1
    if group is None or group < 0:
        raise invalid(call, "Group must not be negative")
    if group > count:
        raise invalid(call, f"Pattern has {count} groups. Cannot access group {group}")
    if group in pattern.absent | pattern.looped:
        raise NotSupported(
            f"{call.function}: a group beside optional parts of a pattern", position=call.position
        )
    return pattern.groups[group]


def _require_next(call: Call, pattern: Pattern) -> None:
    """That engines look for the next match in the same place: after an empty one they do not."""
    if pattern.may_be_empty:
        raise NotSupported(f"{call.function}: a pattern that may match nothing", position=call.position)
    if pattern.tails and pattern.takes_newline and not pattern.once:
        raise NotSupported(f"{call.function}: $ beside what may be a line break", position=call.position)


def extract_all(call: Call, texts: Texts, pattern: Pattern) -> str:
    _require_next(call, pattern)
    group = _group(call, texts, pattern)
    one_match = _without_tail("m_", call, pattern, group)
    all_matches = _all(texts[0], pattern, group)
    return all_matches if one_match == "m_" else f"list_transform({all_matches}, lambda m_: {one_match})"


def _all(text: str, pattern: Pattern, group: int = 0) -> str:
    return f"regexp_extract_all({text}, {string(pattern.text)}, {group})"


def count(call: Call, texts: Texts, pattern: Pattern) -> str:
    _require_next(call, pattern)
    return f"len(regexp_extract_all({texts[0]}, {string(pattern.text)}, 0))"


def replace(call: Call, texts: Texts, pattern: Pattern) -> str:
    _require_next(call, pattern)
    if len(texts) == 3 and isinstance(call.arguments[2].type, FunctionType):
        return _replace_by(call, texts, pattern)
    new = constant_text(call, 2, "the replacement") if len(texts) == 3 else ""
    if new is None:
        return "CAST(NULL AS VARCHAR)"
    replacement = _replacement(call, new, pattern)
    return f"regexp_replace({texts[0]}, {string(pattern.text)}, {string(replacement)}, 'g')"


def _replacement(call: Call, text: str, pattern: Pattern) -> str:
    """In RE2's words, \\1 for $1; what $ left of a match is put back."""
    pieces: list[str] = []
    at = 0
    while at < len(text):
        reference = _REFERENCE.match(text, at)
        if reference is None:
            raise NotSupported("regexp_replace: such a replacement", position=call.position)
        at = reference.end()
        number, name, escaped, plain = reference.groups()
        if number is not None or name is not None:
            pieces.append(f"\\{_referred(call, number, name, text[at : at + 1], pattern)}")
        else:
            character = escaped if escaped is not None else plain
            pieces.append("\\\\" if character == "\\" else character)
    pieces += [f"\\{group}" for group in pattern.tails]
    if any(group > _MOST_GROUPS for group in pattern.tails):
        raise NotSupported("regexp_replace: so many groups", position=call.position)
    return "".join(pieces)


def _referred(call: Call, number: str | None, name: str | None, following: str, pattern: Pattern) -> int:
    group = int(number) if number is not None else pattern.names.get(name or "", len(pattern.groups))
    # $12 is the twelfth group, or the first one and a 2: it depends on how many there are.
    if (
        group >= len(pattern.groups)
        or pattern.groups[group] > _MOST_GROUPS
        or following.isdigit()
        or group in pattern.looped
    ):
        raise NotSupported("regexp_replace: such a group in a replacement", position=call.position)
    if not group and not pattern.is_whole:
        raise NotSupported("regexp_replace: $0 of a pattern that ends in $", position=call.position)
    return pattern.groups[group]


def _replace_by(call: Call, texts: Texts, pattern: Pattern) -> str:
    """Each match replaced by what a lambda makes of its groups: the texts between, and those, joined."""
    if pattern.absent or pattern.looped or pattern.tails or pattern.anchored:
        raise NotSupported(
            "regexp_replace: a lambda over groups beside optional parts of a pattern", position=call.position
        )
    groups = pattern.groups[1:]
    if not groups:
        matches = f"list_transform({_all('{0}', pattern)}, lambda m_: CAST([] AS VARCHAR[]))"
    elif len(groups) == 1:
        matches = f"list_transform({_all('{0}', pattern, groups[0])}, lambda m_: [m_])"
    else:
        each = ", ".join(_all("{0}", pattern, group) for group in groups)
        fields = ", ".join(f"m_[{n}]" for n in range(1, len(groups) + 1))
        matches = f"list_transform(list_zip({each}), lambda m_: [{fields}])"
    between = f"regexp_split_to_array({{0}}, {string(pattern.text)})"
    replacements = f"list_transform({matches}, {texts[2]})"
    joined = (
        f"{between}[1] || array_to_string(list_transform(list_zip({replacements}, {between}[2:]),"
        " lambda m_: m_[1] || m_[2]), '')"
    )
    # One NULL among them makes the whole NULL.
    return share(
        f"(CASE WHEN len(list_filter({replacements}, lambda m_: m_ IS NULL)) = 0 THEN {joined} END)",
        texts[:1],
    )


def split(call: Call, texts: Texts, pattern: Pattern) -> str:
    _require_next(call, pattern)
    # DuckDB forgets the beginning of the text after the first match.
    if pattern.tails or pattern.anchored:
        raise NotSupported("regexp_split: a pattern with ^ or $", position=call.position)
    return f"regexp_split_to_array({texts[0]}, {string(pattern.text)})"


def position(call: Call, texts: Texts, pattern: Pattern) -> str:
    """The texts before the match are measured."""
    _require_next(call, pattern)
    start = constant_integer(call, 2, "the start") if len(texts) > 2 else 1
    occurrence = constant_integer(call, 3, "the occurrence") if len(texts) > 3 else 1
    if start is None or occurrence is None:
        return "CAST(NULL AS INTEGER)"
    if start < 1 or occurrence < 1:
        raise invalid(call, "start position and occurrence cannot be smaller than 1")
    if (start > 1 or occurrence > 1) and pattern.anchored:
        raise NotSupported("regexp_position: a start with a pattern that looks back", position=call.position)
    text = "{0}" if start == 1 else f"substr({{0}}, {start})"
    between = f"regexp_split_to_array({text}, {string(pattern.text)})"
    before = f"length(array_to_string({between}[:{occurrence}], ''))"
    all_matches = f"regexp_extract_all({text}, {string(pattern.text)}, 0)"
    if occurrence > 1:
        before += f" + length(array_to_string({all_matches}[:{occurrence - 1}], ''))"
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN len({all_matches}) >= {occurrence}"
        f" THEN CAST({before} + {start} AS INTEGER) ELSE -1 END)",
        texts[:1],
    )


RENDERINGS: dict[str, Rendering] = {
    "regexp_like": with_pattern(like, consuming=False),
    "regexp_extract": with_pattern(extract),
    "regexp_extract_all": with_pattern(extract_all),
    "regexp_replace": with_pattern(replace),
    "regexp_count": with_pattern(count),
    "regexp_position": with_pattern(position),
    "regexp_split": with_pattern(split),
}
