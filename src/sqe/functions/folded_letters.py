"""Characters that are equal regardless of case, as Trino's patterns see it: by Unicode's case folding."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

# Characters that are equal to several letters, by those letters.
LIGATURES = {"ss": "ß", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ", "st": "ﬅﬆ"}
_CAPITAL_SHARP_S = "ẞ"  # equal to nothing else
_LAST_CASED = 0x1FFFF
_MOST_OVERLAPPING = 6

Ways = tuple[tuple[frozenset[int], ...], ...]


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, frozenset[int]], frozenset[str]]:
    """The characters that fold to each character, and the texts of several letters that others fold to."""
    same: dict[str, set[int]] = {}
    several: set[str] = set()
    for code in range(_LAST_CASED + 1):
        folded = chr(code).casefold()
        if len(folded) > 1:
            several.add(folded)
        elif folded != chr(code):
            same.setdefault(folded, {ord(folded)}).add(code)
    return {folded: frozenset(codes) for folded, codes in same.items()}, frozenset(several)


def folds(code: int) -> frozenset[int]:
    """All characters that are equal to one, regardless of case."""
    return _tables()[0].get(chr(code).casefold(), frozenset((code,)))


def is_folded_as_one(code: int) -> bool:
    """Whether a character is not equal to a text of several letters."""
    return len(chr(code).casefold()) == 1 or chr(code) == _CAPITAL_SHARP_S


def ligature_of(character: str) -> str | None:
    """The letters that a character is a ligature of, if it is one."""
    return next((letters for letters, same in LIGATURES.items() if character in same), None)


def runs_together(characters: str) -> Iterator[str | Ways | None]:
    """The parts of a text: a character; or the ways to match letters that may be written as a ligature; None
    where those are not known."""
    at = 0
    several = _tables()[1]
    folded = "".join(c if c == _CAPITAL_SHARP_S else c.casefold() for c in characters)
    if any(letters in folded for letters in several - LIGATURES.keys()):
        yield None
        return
    while at < len(characters):
        letters = ligature_of(characters[at])
        if letters is not None:
            beside = characters[max(at - 1, 0) : at] + characters[at + 1 : at + 2]
            # A ligature beside letters that may be part of one matches in yet other ways.
            yield None if set(beside.casefold()) & set("sfilt") else tuple(_ways(letters))
            at += 1
            continue
        end = _end_of_overlap(folded_alone(characters), at)
        if end == at + 1:
            yield characters[at]
        elif end - at > _MOST_OVERLAPPING:
            yield None
        else:
            yield tuple(_ways(folded_alone(characters)[at:end]))
        at = end


def folded_alone(characters: str) -> str:
    """Each character folded to a single one, so that positions stay the same."""
    return "".join(c.casefold() if len(c.casefold()) == 1 else c for c in characters)


def _end_of_overlap(text: str, at: int) -> int:
    """Where the ligatures end that begin at a place or within one that does."""
    end, place = at + 1, at
    while place < end:
        for letters in LIGATURES:
            if text.startswith(letters, place):
                end = max(end, place + len(letters))
        place += 1
    return end


def _ways(text: str) -> Iterator[tuple[frozenset[int], ...]]:
    if not text:
        yield ()
        return
    for rest in _ways(text[1:]):
        yield (folds(ord(text[0])), *rest)
    for letters, same in LIGATURES.items():
        if text.startswith(letters):
            for rest in _ways(text[len(letters) :]):
                yield (frozenset(map(ord, same)), *rest)
