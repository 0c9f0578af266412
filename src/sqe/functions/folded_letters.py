"""What is the same letter in any case, as Trino's patterns see it: by the folding of Unicode."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

# Letters that are the same as several others, by these.
LIGATURES = {"ss": "ß", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ", "st": "ﬅﬆ"}
_CAPITAL_SHARP_S = "ẞ"  # the same as nothing else
_LAST_CASED = 0x1FFFF
_MOST_OVERLAPPING = 6

Ways = tuple[tuple[frozenset[int], ...], ...]


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, frozenset[int]], frozenset[str]]:
    """Letters by what they are folded to, and what is several letters folded."""
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
    """All that is the same as a character, whatever the case."""
    return _tables()[0].get(chr(code).casefold(), frozenset((code,)))


def is_folded_as_one(code: int) -> bool:
    """Whether no several letters are the same as a character."""
    return len(chr(code).casefold()) == 1 or chr(code) == _CAPITAL_SHARP_S


def ligature_of(character: str) -> str | None:
    """The letters that a character is the same as, if it is one of several."""
    return next((letters for letters, same in LIGATURES.items() if character in same), None)


def runs_together(characters: str) -> Iterator[str | Ways | None]:
    """A text in parts: a character; or the ways in which letters that may be one are found; None where that
    is not known."""
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
            # What is one letter beside those that it stands for, or others, is found in yet other ways.
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
    """Each character folded to one, so that places stay."""
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
