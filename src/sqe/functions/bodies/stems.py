"""Stems of English words, by the Snowball project's second algorithm of Porter's as Lucene has it.

Places in a word: R1 is what follows the first consonant after a vowel, R2 the same within R1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.functions.bodies.arrow import BodyError

# Languages that Trino has too.
_OTHERS = re.compile("ca|da|de|es|eu|fi|fr|hu|hy|ir|it|lt|nl|no|pt|ro|ru|sv|tr")
_VOWELS = "aeiouy"
_EXCEPTIONS = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl",
    "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}  # fmt: skip
_WHOLE = ("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed")
_PREFIXES = ("gener", "commun", "arsen")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = "cdeghkmnrt"
_REGION = re.compile("[aeiouy][^aeiouy]")
# Endings in R1, and what takes their place.
_SECOND = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive"),
    ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"), ("ation", "ate"),
    ("alism", "al"), ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"), ("fulli", "ful"), ("enci", "ence"),
    ("anci", "ance"), ("abli", "able"), ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"),
    ("ogi", "og"), ("li", ""),
)  # fmt: skip
_THIRD = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ative", ""),
    ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_FOURTH = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "ion", "al", "er", "ic",
)  # fmt: skip


def word_stem(text: str, language: str) -> str:
    if _OTHERS.fullmatch(language):
        raise BodyError("NOT_SUPPORTED", "stems are those of English words alone")
    if language != "en":
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "Unknown stemmer language")
    # Java counts halves of pairs.
    units = text.encode("utf-16-le", "surrogatepass")
    halves = "".join(chr(int.from_bytes(units[at : at + 2], "little")) for at in range(0, len(units), 2))
    return _stem(halves).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _stem(word: str) -> str:
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    if len(word) < 3:
        return word
    plain = word.removeprefix("'")
    word = _marked(plain)
    is_marked = word != plain
    start = next((len(p) for p in _PREFIXES if word.startswith(p)), None)
    first = _after(word, 0) if start is None else start
    second = _after(word, first)
    word = _plural(_without(word, "'s'", "'s", "'"))
    if word not in _WHOLE:
        word = _participle(word, first)
        if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
            word = word[:-1] + "i"
        word = _replaced(word, _SECOND, first, second)
        word = _replaced(word, _THIRD, first, second)
        word = _fourth(word, second)
        word = _fifth(word, first, second)
    return word.replace("Y", "y") if is_marked else word


def _marked(word: str) -> str:
    """A y at the beginning or after a vowel is a consonant, written Y."""
    made = ""
    for place, letter in enumerate(word):
        consonant = letter == "y" and (place == 0 or made[-1] in _VOWELS)
        made += "Y" if consonant else letter
    return made


def _after(word: str, start: int) -> int:
    found = _REGION.search(word, start)
    return len(word) if found is None else found.end()


def _without(word: str, *endings: str) -> str:
    for ending in endings:
        if word.endswith(ending):
            return word[: -len(ending)]
    return word


def _has_vowel(text: str) -> bool:
    return any(letter in _VOWELS for letter in text)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")) or not word.endswith("s"):
        return word
    return word[:-1] if _has_vowel(word[:-2]) else word


def _participle(word: str, first: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            return word[: -len(ending)] + "ee" if len(word) - len(ending) >= first else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if not word.endswith(ending):
            continue
        stem = word[: -len(ending)]
        if not _has_vowel(stem):
            return word
        if stem.endswith(("at", "bl", "iz")):
            return stem + "e"
        if stem.endswith(_DOUBLES):
            # Of add, egg and off both letters stay.
            return stem if len(stem) == 3 and stem[0] in "aeo" else stem[:-1]
        return stem + "e" if len(stem) == first and _is_short(stem) else stem
    return word


def _is_short(word: str) -> bool:
    """Whether it ends in a short syllable."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    if len(word) < 2:
        return False
    before, vowel, after = word[-3], word[-2], word[-1]
    return before not in _VOWELS and vowel in _VOWELS and after not in _VOWELS and after not in "wxY"


def _replaced(word: str, endings: Sequence[tuple[str, str]], first: int, second: int) -> str:
    """The longest ending decides, whether anything comes of it or not."""
    for ending, instead in endings:
        if not word.endswith(ending):
            continue
        stem = word[: -len(ending)]
        refused = (
            len(stem) < first
            or (ending == "ogi" and not stem.endswith("l"))
            or (ending == "li" and stem[-1:] not in tuple(_BEFORE_LI))
            or (ending == "ative" and len(stem) < second)
        )
        return word if refused else stem + instead
    return word


def _fourth(word: str, second: int) -> str:
    for ending in _FOURTH:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            stays = len(stem) < second or (ending == "ion" and stem[-1:] not in ("s", "t"))
            return word if stays else stem
    return word


def _fifth(word: str, first: int, second: int) -> str:
    stem = word[:-1]
    if word.endswith("e") and (len(stem) >= second or (len(stem) >= first and not _is_short(stem))):
        return stem
    return stem if word.endswith("ll") and len(stem) >= second else word
