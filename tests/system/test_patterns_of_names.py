"""LIKE for names that are listed without an engine."""

from __future__ import annotations

import pytest

from sqe.errors import InvalidArgument
from sqe.system.patterns import like


@pytest.mark.parametrize(
    ("pattern", "matches", "does_not"),
    [
        ("a", "a", "ab"),
        ("a%", "abc", "ba"),
        ("%a", "ba", "ab"),
        ("%a%a", "xaxa", "xa"),
        ("a%a", "aa", "a"),
        ("a%b%b", "abxb", "ab"),
        ("%ab%", "aab", "aa"),
        ("%%", "", None),
        ("", "", "a"),
        ("a_c", "a\nc", "ac"),
        ("%_", "a", ""),
        (r"a\_c", "a_c", "abc"),
        (r"\%\\", "%\\", "a"),
        ("a.c", "a.c", "abc"),
    ],
)
def test_pattern(pattern: str, matches: str, does_not: str | None) -> None:
    found = like(pattern, "\\")
    assert found.match(matches)
    assert does_not is None or not found.match(does_not)


def test_a_pattern_of_many_wildcards_ends() -> None:
    """It would take longer than anybody waits if every place of every part were tried."""
    assert like("%a" * 500 + "b").match("a" * 2000) is None
    assert like("%a" * 500).match("a" * 2000)


@pytest.mark.parametrize("pattern", ["a\\", r"a\b"])
def test_an_escape_that_escapes_nothing(pattern: str) -> None:
    with pytest.raises(InvalidArgument):
        like(pattern, "\\")
