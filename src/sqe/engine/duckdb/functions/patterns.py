"""Java's regular expressions as RE2's, where both mean the same. Others are refused.

Refused are what RE2 lacks (backreferences, lookaround, possessive quantifiers), word boundaries and
[[:alpha:]], which are ASCII to it, and loops over what may match nothing, which end differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from sqe.errors import NotSupported
from sqe.functions.folded_letters import folds, is_folded_as_one, runs_together

# \w, \d and \s are those of ASCII, by what stands between brackets.
_WORD = "0-9A-Za-z_"
_SPACE = r"\t-\r "
_SETS = {
    **{"d": "0-9", "D": r"\x{0}-/:-\x{10ffff}", "w": _WORD},
    **{"W": r"\x{0}-/:-@\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff}"},
    **{"s": _SPACE, "S": r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{10ffff}"},
}
_WITH_NEWLINE = frozenset("sDW")
_CATEGORY = re.compile(
    r"\{(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}|[LMNPSZ](?![A-Za-z0-9])"
)
_CONTROLS = {"t": 9, "n": 10, "f": 12, "r": 13}
_COUNT = re.compile(r"\{(\d{1,4})(,(\d{1,4})?)?\}")
_FLAGS = re.compile(r"\(\?([is]+)\)")
_NAME = re.compile(r"\(\?<([A-Za-z][A-Za-z0-9]*)>")
_MOST_COPIES = 1000  # of RE2
_MOST_WIDE_COPIES = 100  # a program for letters of all scripts is long
_NEWLINE = 10
_TAIL = r"(\n?)\z"


@dataclass(frozen=True, slots=True)
class Pattern:
    """`groups` is where a group of the user's is in `text`, from 0 for all of it. `absent` are those that may
    take no part in a match, `looped` those that may take several, of which engines remember others.
    `tails` are groups of the line break that $ leaves out of a match and ours has in it.
    `takes_newline`: another part may take it. `anchored`: it looks for the beginning, and `once` wherever
    it begins."""

    text: str
    groups: tuple[int, ...]
    names: dict[str, int]
    absent: frozenset[int]
    looped: frozenset[int]
    may_be_empty: bool
    tails: tuple[int, ...]
    takes_newline: bool
    anchored: bool
    once: bool

    @property
    def is_whole(self) -> bool:
        """Whether the group for all of a match is just that."""
        return not self.tails or self.groups[0] != 0


@dataclass(slots=True)
class _Item:
    """A part of a pattern. `one`: a set of characters. `loop`: at its end a set with the line break in it is
    repeated as often as can be. `ends`: nothing may follow it. `begins`: it is at the beginning alone."""

    text: str
    may_be_empty: bool = False
    takes_newline: bool = False
    one: bool = False
    loop: bool = False
    ends: bool = False
    begins: bool = False
    branches: int = 1
    wide: bool = False
    copies: int = 1


@lru_cache(maxsize=256)
def translated(pattern: str, *, consuming: bool) -> Pattern:
    """`consuming`: it matters where a match ends, and not only whether there is one."""
    return _Reader(pattern, consuming).pattern()


def _refused(what: str) -> NotSupported:
    return NotSupported(f"the fast lane does not have patterns with {what}")


@dataclass(slots=True)
class _Reader:
    source: str
    consuming: bool
    at: int = 0
    folding: bool = False
    dots_take_all: bool = False
    groups: list[int] = field(default_factory=lambda: [0])
    names: dict[str, int] = field(default_factory=dict)
    absent: set[int] = field(default_factory=set)
    looped: set[int] = field(default_factory=set)
    group_count: int = 0
    tails: list[int] = field(default_factory=list)
    takes_newline: bool = False
    anchored: bool = False

    def pattern(self) -> Pattern:
        flags = _FLAGS.match(self.source)
        if flags is not None:
            self.folding, self.dots_take_all = "i" in flags[1], "s" in flags[1]
            self.at = flags.end()
        if self.folding and any(
            part is None or not isinstance(part, str) for part in runs_together(self.source)
        ):
            raise _refused("letters that are one in another case")
        whole = self.alternatives(0)
        if self.at < len(self.source):
            raise _refused("a parenthesis too many")
        text, groups, tails = whole.text, self.groups, self.tails
        if len(tails) == 1 and whole.text.endswith(_TAIL) and whole.branches == 1:
            # A group around what is before the line break.
            text = f"({whole.text.removesuffix(_TAIL)}){_TAIL}"
            groups, tails = [1, *(group + 1 for group in groups[1:])], [tails[0] + 1]
        return Pattern(
            text,
            tuple(groups),
            self.names,
            frozenset(self.absent),
            frozenset(self.looped),
            whole.may_be_empty,
            tuple(tails),
            self.takes_newline,
            self.anchored,
            whole.begins,
        )

    def peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def alternatives(self, depth: int) -> _Item:
        first = len(self.groups)
        branches = [self.sequence(depth)]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.sequence(depth))
        if len(branches) > 1:
            self.absent.update(range(first, len(self.groups)))
        return _Item(
            "|".join(b.text for b in branches),
            may_be_empty=any(b.may_be_empty for b in branches),
            loop=all(b.loop for b in branches),
            ends=any(b.ends for b in branches),
            begins=all(b.begins for b in branches),
            branches=len(branches),
            wide=any(b.wide for b in branches),
            copies=max(b.copies for b in branches),
        )

    def sequence(self, depth: int) -> _Item:
        items: list[_Item] = []
        while self.peek() not in ("", "|", ")"):
            if items and items[-1].ends:
                raise _refused("$ before the end")
            items.append(self.end(items, depth) if self.at_end_mark() else self.quantified(depth))
        self.takes_newline = self.takes_newline or any(i.takes_newline for i in items)
        return _Item(
            "".join(i.text for i in items),
            may_be_empty=all(i.may_be_empty for i in items),
            loop=bool(items) and items[-1].loop,
            ends=bool(items) and items[-1].ends,
            begins=bool(items) and items[0].begins,
            wide=any(i.wide for i in items),
            copies=max((i.copies for i in items), default=1),
        )

    def at_end_mark(self) -> bool:
        return self.peek() == "$" or self.source.startswith(r"\Z", self.at)

    def end(self, items: list[_Item], depth: int) -> _Item:
        """$ is before a line break at the end, too; RE2 knows only the end itself."""
        self.at += 1 if self.peek() == "$" else 2
        if items and items[-1].loop:
            text = r"\z"  # the loop has taken the line break
        elif not self.consuming:
            text = r"\n?\z"
        elif depth:
            raise _refused("$ in a group")
        else:
            self.group_count += 1
            self.tails.append(self.group_count)
            text = _TAIL
        return _Item(text, may_be_empty=True, ends=True)

    def quantified(self, depth: int) -> _Item:
        first = len(self.groups)
        item = self.atom(depth)
        sign = self.peek()
        if sign not in ("?", "*", "+", "{") or not sign:
            return item
        low, high = self.count(sign)
        lazy = self.peek() == "?"
        self.at += lazy
        if self.peek() in ("?", "*", "+", "{") and self.peek():
            raise _refused("one loop on another")
        if item.may_be_empty or item.ends:
            raise _refused("a loop over what may match nothing")
        self.looped.update(range(first, len(self.groups)))
        copies = item.copies * max(low, high or 1)
        if copies > (_MOST_WIDE_COPIES if item.wide else _MOST_COPIES):
            raise _refused("so many repetitions")
        loops = (
            sign
            if sign != "{"
            else f"{{{low}}}"
            if high == low
            else f"{{{low},{'' if high is None else high}}}"
        )
        return _Item(
            item.text + loops + ("?" if lazy else ""),
            may_be_empty=low == 0,
            takes_newline=item.takes_newline,
            loop=item.one and item.takes_newline and high is None and not lazy,
            wide=item.wide,
            copies=copies,
        )

    def count(self, sign: str) -> tuple[int, int | None]:
        if sign != "{":
            self.at += 1
            return {"?": (0, 1), "*": (0, None), "+": (1, None)}[sign]
        match = _COUNT.match(self.source, self.at)
        if match is None:
            raise _refused("a brace")
        self.at = match.end()
        low = int(match[1])
        high = low if match[2] is None else None if match[3] is None else int(match[3])
        if high is not None and (high < low or high == 0):
            raise _refused("a repetition of nothing")
        return low, high

    def atom(self, depth: int) -> _Item:
        character = self.peek()
        if character == "(":
            return self.group(depth)
        if character == "[":
            return self.set_()
        self.at += 1
        if character == ".":
            text = "(?s:.)" if self.dots_take_all else "."
            return _Item(text, one=True, takes_newline=self.dots_take_all)
        if character == "^":
            self.anchored = True
            return _Item(r"\A", may_be_empty=True, begins=True)
        if character in "?*+{":
            raise _refused("a loop over nothing")
        if character == "\\":
            return self.escaped()
        return self.literal(ord(character))

    def group(self, depth: int) -> _Item:
        name = _NAME.match(self.source, self.at)
        if self.source.startswith("(?:", self.at):
            self.at += 3
            opening = "(?:"
        elif name is not None or not self.source.startswith("(?", self.at):
            self.at = name.end() if name is not None else self.at + 1
            self.group_count += 1
            if name is not None:
                self.names[name[1]] = len(self.groups)
            self.groups.append(self.group_count)
            opening = "("
        else:
            raise _refused(self.source[self.at : self.at + 3])
        inner = self.alternatives(depth + 1)
        if self.peek() != ")":
            raise _refused("an open parenthesis")
        self.at += 1
        inner.text = f"{opening}{inner.text})"
        return inner

    def escaped(self) -> _Item:
        letter = self.peek()
        code = self.escaped_character()
        if code is not None:
            return self.literal(code)
        if letter in ("A", "z"):
            self.at += 1
            self.anchored = self.anchored or letter == "A"
            return _Item("\\" + letter, may_be_empty=True, ends=letter == "z", begins=letter == "A")
        text, newline = self.escaped_set(alone=True)
        return _Item(f"[{text}]", takes_newline=newline, one=True, wide=True)

    def escaped_character(self) -> int | None:
        """The code point, if a backslash is before one."""
        letter = self.peek()
        if letter in _CONTROLS and letter:
            self.at += 1
            return _CONTROLS[letter]
        digits = {"x": 2, "u": 4}.get(letter)
        if digits is not None:
            number = self.source[self.at + 1 : self.at + 1 + digits]
            if not re.fullmatch(rf"[0-9A-Fa-f]{{{digits}}}", number) or 0xD800 <= int(number, 16) <= 0xDFFF:
                raise _refused("\\" + letter)
            self.at += 1 + digits
            return int(number, 16)
        if letter and letter.isascii() and not letter.isalnum() and letter.isprintable():
            self.at += 1
            return ord(letter)
        return None

    def escaped_set(self, *, alone: bool) -> tuple[str, bool]:
        """What stands between brackets for \\d and the like, and whether the line break is in it."""
        letter = self.peek()
        self.at += 1
        if letter in ("w", "W") and self.folding and not alone:
            raise _refused(f"\\{letter} in brackets in any case")
        if letter in _SETS and letter:
            return _SETS[letter], letter in _WITH_NEWLINE
        category = _CATEGORY.match(self.source, self.at) if letter in ("p", "P") and letter else None
        if category is None or (self.folding and not alone):
            raise _refused("\\" + letter)
        self.at = category.end()
        return f"\\{letter}{category[0]}", letter == "P"

    def literal(self, code: int) -> _Item:
        newline = code == _NEWLINE
        if self.folding:
            codes = set(self.folds(code))
            if len(codes) > 1:
                return _Item(f"[{''.join(map(_quoted, sorted(codes)))}]", one=True)
        return _Item(_quoted(code), takes_newline=newline, one=newline)

    def folds(self, code: int) -> Iterable[int]:
        """All that is the same as a character, whatever the case."""
        if not is_folded_as_one(code):
            raise _refused("such letters in any case")
        return folds(code)

    def set_(self) -> _Item:
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        pieces: list[str] = []
        newline, wide, first = False, False, True
        while self.peek() != "]" or first:
            if self.peek() in ("", "[", "]") or self.source.startswith("&&", self.at):
                raise _refused(f"{self.peek() or 'no end'} in brackets")
            first = False
            if self.peek() == "\\":
                self.at += 1
                low = self.escaped_character()
                if low is None:
                    text, has_newline = self.escaped_set(alone=False)
                    pieces.append(text)
                    newline, wide = newline or has_newline, True
                    if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] != "]":
                        raise _refused("a range from a set")
                    continue
            else:
                low = ord(self.peek())
                self.at += 1
            high = self.range_end(low)
            newline = newline or low <= _NEWLINE <= high
            wide = wide or high > 127
            pieces += self.range_pieces(low, high)
        self.at += 1
        sign = "^" if negated else ""
        return _Item(
            f"[{sign}{''.join(pieces)}]", takes_newline=newline != negated, one=True, wide=wide or negated
        )

    def range_end(self, low: int) -> int:
        if self.peek() != "-" or self.source[self.at + 1 : self.at + 2] in ("]", ""):
            return low
        self.at += 1
        if self.peek() in ("[", "&", "-"):
            raise _refused("such a range")
        if self.peek() == "\\":
            self.at += 1
            high = self.escaped_character()
        else:
            high = ord(self.peek())
            self.at += 1
        if high is None or high < low:
            raise _refused("such a range")
        if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] != "]":
            raise _refused("such a range")
        return high

    def range_pieces(self, low: int, high: int) -> list[str]:
        if not self.folding:
            return [_quoted(low) if low == high else f"{_quoted(low)}-{_quoted(high)}"]
        if low == high:
            return [_quoted(code) for code in sorted(self.folds(low))]
        if high > 127:
            raise _refused("letters in any case that are not of ASCII")
        codes = {same for code in range(low, high + 1) for same in folds(code)}
        return [_quoted(code) for code in sorted(codes)]


def _quoted(code: int) -> str:
    character = chr(code)
    if character.isascii() and character.isalnum():
        return character
    return f"\\x{{{code:x}}}"
