"""Trino's regular expressions as Java's.

To Trino \\w, \\d and \\s are those of ASCII, while \\b, [[:alpha:]] and \\p{Alpha} know all of Unicode, and
(?i) is by the folding of Unicode: k is the Kelvin sign too, and ss is ß. Java has other sets under these
names, so each is written out, and (?i) leaves no flag behind. What cannot be written so is refused.
Characters that Unicode got of late are in the sets that Java's tables have them in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sqe.errors import NotSupported, UserError
from sqe.functions.folded_letters import folds, is_folded_as_one, runs_together

_WORD = r"\p{IsAlphabetic}\p{M}\p{Nd}\p{Pc}"
_SPACE = r"\t-\r \x{85}\x{a0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_NOT_ASSIGNED = r"\p{Cc}\p{Cn}\p{Cs}"
# What stands between brackets.
_CLASSES = {
    "alpha": r"\p{IsAlphabetic}",
    "alnum": r"\p{IsAlphabetic}\p{Nd}",
    "ascii": r"\x{0}-\x{7f}",
    "blank": r"\t\p{Zs}\x{180e}",
    "cntrl": r"\p{Cc}",
    "digit": r"\p{Nd}",
    "graph": rf"[^{_SPACE}{_NOT_ASSIGNED}]",
    "lower": r"\p{IsLowercase}",
    "print": rf"[^\x{{2028}}\x{{2029}}{_NOT_ASSIGNED}]",
    "punct": r"\p{P}",
    "space": _SPACE,
    "upper": r"\p{IsUppercase}",
    "word": _WORD,
    "xdigit": "0-9A-Fa-f",
}
_ASCII_SETS = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t-\r "}
_CATEGORY = re.compile(r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc|Cf|Co")
_SCRIPTS = frozenset(
    (
        *("arabic", "armenian", "bengali", "cyrillic", "devanagari", "ethiopic", "georgian", "greek"),
        *("gujarati", "han", "hangul", "hebrew", "hiragana", "katakana", "khmer", "lao", "latin"),
        *("mongolian", "sinhala", "tamil", "telugu", "thai", "tibetan"),
    )
)
# Sets that have the other cases of each of their letters.
_WITH_ALL_CASES = frozenset(("alpha", "alnum", "digit", "space", "blank", "cntrl", "punct", "word", "xdigit"))
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "a": 7, "e": 27}
_LETTERS = frozenset("hHRXVNyYKUL")  # that a backslash before them does not change
_ANCHORS = frozenset("AzZG")
# Java looks back by units of UTF-16, unless it sees a character of two of them there.
_BY_CHARACTERS = "\U00010000{0}"
# Beside these few numbers there is a boundary of words too, though they are in no set of words.
_BESIDE = rf"[{_WORD}\x{{b2}}\x{{b3}}\x{{b9}}\x{{bc}}-\x{{be}}]"
_AFTER, _NOT_AFTER = f"(?<={_BY_CHARACTERS}{_BESIDE})", f"(?<!{_BY_CHARACTERS}{_BESIDE})"
_BEFORE, _NOT_BEFORE = f"(?={_BESIDE})", f"(?!{_BESIDE})"
_BOUNDARIES = {
    "b": f"(?:{_AFTER}{_NOT_BEFORE}|{_NOT_AFTER}{_BEFORE})",
    "B": f"(?:{_AFTER}{_BEFORE}|{_NOT_AFTER}{_NOT_BEFORE})",
}
_POSIX = re.compile(r"\[:(\^?)([a-z]+):\]")
_PROPERTY = re.compile(r"\{([A-Za-z]+)\}|([A-Z])")
_CODE = re.compile(r"x([0-7][0-9A-Fa-f])|x\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})")
_LOOP = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?")
_GROUP = re.compile(r"\(\?(?::|=|!|<=|<!|>|<([A-Za-z][A-Za-z0-9]*)>)")
_FLAGS = re.compile(r"\(\?([imsx]*)(?:-([imsx]+))?([:)])")
_COMMENT = re.compile(r"\(\?#[^)]*\)")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|$)", re.DOTALL)
_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_LARGEST_RANGE = 0x2000  # whose letters are looked up one by one


@dataclass(frozen=True, slots=True)
class JavaPattern:
    """`outline` has the groups and loops of it, in a form that Python reads."""

    text: str
    outline: str


@lru_cache(maxsize=256)
def java_pattern(source: str) -> JavaPattern:
    return _Reader(source).pattern()


def _refused(what: str) -> NotSupported:
    return NotSupported(f"a pattern with {what}")


def _wrong(what: str) -> UserError:
    return UserError(f"a pattern with {what}", code="INVALID_FUNCTION_ARGUMENT")


@dataclass(slots=True)
class _Scope:
    """Of a group: its flags, whether anything was in it, and whether flags were changed after that."""

    folding: bool = False
    spaced: bool = False
    begun: bool = False
    changed: bool = False


@dataclass(slots=True)
class _Reader:
    source: str
    at: int = 0
    groups: int = 0
    scopes: list[_Scope] = field(default_factory=lambda: [_Scope()])
    text: list[str] = field(default_factory=list)
    outline: list[str] = field(default_factory=list)

    def pattern(self) -> JavaPattern:
        while self.at < len(self.source):
            self.part()
        return JavaPattern("".join(self.text), "".join(self.outline))

    @property
    def scope(self) -> _Scope:
        return self.scopes[-1]

    def emit(self, text: str, outline: str | None = None) -> None:
        self.text.append(text)
        self.outline.append(text if outline is None else outline)
        self.scope.begun = True

    def peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.source, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def part(self) -> None:
        character = self.peek()
        if character == "(":
            self.group()
        elif character == ")":
            self.at += 1
            if len(self.scopes) > 1:
                self.scopes.pop()
            self.emit(")")
        elif character == "[":
            text = self.set_()
            self.emit(text, "x")
        elif character == "\\":
            self.escaped()
        elif character == "|":
            # To Trino the rest of the group is then below the flags, with all its alternatives.
            if self.scope.changed:
                raise _refused("flags in the middle of alternatives")
            self.at += 1
            self.emit("|")
        elif character in "^$.":
            self.at += 1
            self.emit(character, "x" if character == "." else r"\b")
        elif (loop := self.take(_LOOP)) is not None:
            self.emit(loop[0])
        elif self.scope.spaced and (character.isspace() or character == "#"):
            self.skip()
        else:
            self.run("".join(self.plain()))

    def skip(self) -> None:
        if self.peek() == "#":
            end = self.source.find("\n", self.at)
            self.at = len(self.source) if end < 0 else end + 1
        elif self.peek().isascii():
            self.at += 1
        else:
            raise _refused("such a blank")

    def group(self) -> None:
        if self.take(_COMMENT) is not None:
            return
        outer = self.scope
        flags = self.take(_FLAGS) if not self.source.startswith("(?:", self.at) else None
        if flags is not None:
            self.flags(flags[1], flags[2] or "", alone=flags[3] == ")")
            return
        group = self.take(_GROUP)
        if group is None:
            if self.source.startswith("(?", self.at):
                raise _refused(self.source[self.at : self.at + 3])
            self.at += 1
        opening = "(" if group is None else group[0]
        self.groups += group is None or group[1] is not None
        named = group is not None and group[1] is not None
        behind = _BY_CHARACTERS if opening in ("(?<=", "(?<!") else ""
        self.emit(opening + behind, opening.replace("(?<", "(?P<") if named else opening)
        self.scopes.append(_Scope(outer.folding, outer.spaced))

    def flags(self, on: str, off: str, *, alone: bool) -> None:
        old = self.scope
        folding = ("i" in on or old.folding) and "i" not in off
        spaced = ("x" in on or old.spaced) and "x" not in off
        left = "".join(f for f in on if f in "ms")
        without = "".join(f for f in off if f in "ms")
        java = left + (f"-{without}" if without else "")
        if not alone:
            self.emit(f"(?{java}:", "(?:")
            self.scopes.append(_Scope(folding, spaced))
            return
        if _LOOP.match(self.source, self.at):
            raise _wrong("a loop over nothing")
        old.changed = old.changed or old.begun
        old.folding, old.spaced = folding, spaced
        if java:
            self.text.append(f"(?{java})")

    def plain(self) -> Iterator[str]:
        """The characters that stand for themselves, but for the last one below a loop."""
        first = True
        while self.at < len(self.source):
            character = self.peek()
            if character in "\\^$.|?*+()[" or (
                self.scope.spaced and (character.isspace() or character == "#")
            ):
                return
            if not first and (_LOOP.match(self.source, self.at) or _LOOP.match(self.source, self.at + 1)):
                return
            if character == "{" and self.source.startswith("{,", self.at):
                raise _refused("{,")
            if first and _LOOP.match(self.source, self.at):
                return
            first = False
            self.at += 1
            yield character

    def run(self, characters: str) -> None:
        if not self.scope.folding:
            self.emit("".join(map(_literal, map(ord, characters))), "x" * len(characters))
            return
        for part in runs_together(characters):
            if part is None:
                raise _refused("such letters in any case")
            if isinstance(part, str):
                self.emit(_any_of(folds(ord(part))), "x")
                continue
            ways = "|".join("".join(_any_of(codes) for codes in way) for way in part)
            self.emit(f"(?:{ways})", "x")

    def escaped(self) -> None:
        quoted = self.take(_QUOTED)
        if quoted is not None:
            last = quoted[1][-1:] if _LOOP.match(self.source, self.at) else ""
            for characters in (quoted[1].removesuffix(last) if last else quoted[1], last):
                if characters:
                    self.run(characters)
            return
        self.at += 1
        letter = self.peek()
        code = self.escaped_code()
        if code is not None:
            self.run(chr(code))
        elif letter in _BOUNDARIES:
            self.at += 1
            self.emit(_BOUNDARIES[letter], r"\b")
        elif letter in _ANCHORS:
            self.at += 1
            self.emit("\\" + letter, r"\b")
        elif letter.isascii() and letter.isdigit():
            self.reference(letter)
        else:
            content, negated, _ = self.escaped_set()
            self.emit(f"[{'^' if negated else ''}{content}]", "x")

    def reference(self, digit: str) -> None:
        following = self.source[self.at + 1 : self.at + 2]
        if not 0 < int(digit) <= self.groups or following.isdigit() or self.scope.folding:
            raise _refused("such a reference")
        self.at += 1
        self.emit(f"\\{digit}")

    def escaped_code(self) -> int | None:
        """The code point, if a backslash is before one."""
        letter = self.peek()
        if letter in _CONTROLS or letter in _LETTERS:
            self.at += 1
            return _CONTROLS.get(letter, ord(letter))
        match = self.take(_CODE)
        if match is not None:
            code = int(match[1] or match[2] or match[3], 16)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                raise _refused("such a character")
            return code
        if letter and letter.isascii() and not letter.isalnum():
            self.at += 1
            return ord(letter)
        return None

    def escaped_set(self) -> tuple[str, bool, bool]:
        """What stands between brackets for it, whether it is all but that, and whether it has all cases."""
        letter = self.peek()
        self.at += 1
        lower = letter.lower()
        if lower in _ASCII_SETS and lower:
            return _ASCII_SETS[lower], letter != lower, lower != "w" or letter == "W"
        match = self.take(_PROPERTY) if lower == "p" else None
        if match is None:
            raise _refused("\\" + letter)
        content, closed = _property(match[1] or match[2])
        return content, letter == "P", closed

    def set_(self) -> str:
        content, negated, nested = self.bracketed()
        if not negated:
            return f"[{content}]"
        # With sets inside, engines differ in what it is that is negated.
        return f"(?:(?![{content}])(?s:.))" if nested else f"[^{content}]"

    def bracketed(self) -> tuple[str, bool, bool]:
        """What is between brackets, whether it is negated, and whether there are sets inside."""
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        folding = self.scope.folding
        pieces: list[str] = []
        nested = False
        first = True
        while self.peek() != "]" or first:
            if not self.peek():
                raise _wrong("an open bracket")
            if self.source.startswith("&&", self.at):
                self.at += 2
                if folding or not pieces or pieces[-1] == "&&" or self.peek() in ("]", "&"):
                    raise _refused("such an intersection")
                pieces.append("&&")
                nested = True
                continue
            first = False
            content, deep = self.item(folding)
            pieces.append(content)
            nested = nested or deep
        self.at += 1
        return "".join(pieces), negated, nested

    def item(self, folding: bool) -> tuple[str, bool]:
        posix = self.take(_POSIX)
        if posix is not None:
            if posix[2] not in _CLASSES:
                raise _wrong(posix[0])
            if folding and (posix[1] or posix[2] not in _WITH_ALL_CASES):
                raise _refused(f"{posix[0]} in any case")
            content = _CLASSES[posix[2]]
            return (f"[^{content}]", True) if posix[1] else (content, content.startswith("["))
        if self.peek() == "[":
            content, negated, deep = self.bracketed()
            if negated and (deep or folding):
                raise _refused("such a set in another")
            return f"[{'^' if negated else ''}{content}]", True
        low = self.code()
        if low is None:
            return self.set_in_set(folding)
        high = self.range_end(low)
        return self.range_(low, high, folding), False

    def set_in_set(self, folding: bool) -> tuple[str, bool]:
        letter = self.peek()
        content, negated, closed = self.escaped_set()
        if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] != "]":
            raise _refused("a range from a set")
        if folding and letter == "w":
            content += r"\x{17f}\x{212a}"
        elif folding and (not closed or (negated and letter not in "DS")):
            raise _refused(f"\\{letter} in any case")
        return (f"[^{content}]", True) if negated else (content, content.startswith("["))

    def code(self) -> int | None:
        if self.peek() != "\\":
            character = self.peek()
            self.at += 1
            return ord(character)
        self.at += 1
        return self.escaped_code()

    def range_end(self, low: int) -> int:
        following = self.source[self.at + 1 : self.at + 2]
        if self.peek() != "-" or following in ("]", ""):
            return low
        if following in ("[", "-") or self.source.startswith("&&", self.at + 1):
            raise _refused("such a range")
        self.at += 1
        high = self.code()
        if high is None:
            raise _refused("such a range")
        if high < low:
            raise _wrong("an empty range")
        if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] != "]":
            raise _refused("such a range")
        return high

    def range_(self, low: int, high: int, folding: bool) -> str:
        content = _quoted(low) if low == high else f"{_quoted(low)}-{_quoted(high)}"
        if not folding:
            return content
        if high - low > _LARGEST_RANGE:
            raise _refused("such a range in any case")
        codes = range(low, high + 1)
        if not all(is_folded_as_one(code) for code in codes):
            raise _refused("such letters in any case")
        return content + _codes({same for code in codes for same in folds(code)} - set(codes))


def _property(name: str) -> tuple[str, bool]:
    """What stands between brackets for \\p{name}, and whether it has all cases of its letters."""
    lower = name.lower()
    if lower in _CLASSES:
        return _CLASSES[lower], lower in _WITH_ALL_CASES
    category = name[:1].upper() + name[1:].lower()
    if _CATEGORY.fullmatch(category):
        return f"\\p{{{category}}}", category[0] in "NPZ" and category not in ("N", "Nl")
    if lower in _SCRIPTS:
        return f"\\p{{Is{lower.capitalize()}}}", False
    raise _refused(f"\\p{{{name}}}")


def _any_of(codes: frozenset[int]) -> str:
    return _literal(next(iter(codes))) if len(codes) == 1 else f"[{_codes(codes)}]"


def _codes(codes: set[int] | frozenset[int]) -> str:
    return "".join(map(_quoted, sorted(codes)))


def _literal(code: int) -> str:
    character = chr(code)
    return character if character not in _SPECIAL and character.isprintable() else _quoted(code)


def _quoted(code: int) -> str:
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:x}}}"
