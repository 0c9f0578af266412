"""Functions of text. Lengths and positions count code points."""

from __future__ import annotations

from sqe.functions.function import Resolution, scalar
from sqe.functions.operators import CONCATENATIONS
from sqe.types.sql_types import UNKNOWN, VARCHAR, Type, Varchar, is_text

MAX_LENGTH = 2147483647


def _replaced(parameters: tuple[Type, ...]) -> Type:
    lengths = [p.length for p in parameters if isinstance(p, Varchar)]
    if any(n is None for n in lengths):
        return VARCHAR
    text, _, new = (n or 0 for n in lengths)
    return Varchar(min(MAX_LENGTH, text + new * (text + 1)))


def _format_rule(types: tuple[Type, ...]) -> Resolution | None:
    """Values of any types after the format."""
    if len(types) < 2 or not (is_text(types[0]) or types[0] == UNKNOWN):
        return None
    return Resolution((VARCHAR, *types[1:]), VARCHAR)


def _concat_words(types: tuple[Type, ...]) -> Resolution | None:
    """One argument is allowed by concat, though || has none such."""
    if len(types) == 1 and is_text(types[0]):
        return Resolution((VARCHAR,), VARCHAR)
    return None


_SAME = ("(varchar(x)) -> varchar(x)", "(char(x)) -> char(x)")
_AS_VARCHAR = ("(varchar(x)) -> varchar(x)", "(char(x)) -> varchar(x)")
_TRIMMED = (*_AS_VARCHAR, "(varchar(x), varchar(y)) -> varchar(x)", "(char(x), varchar(y)) -> varchar(x)")
_SUBSTRING = (
    "(varchar(x), bigint) -> varchar(x)",
    "(char(x), bigint) -> varchar(x)",
    "(varchar(x), bigint, bigint) -> varchar(x)",
    "(char(x), bigint, bigint) -> varchar(x)",
)
_PADDED = (
    "(varchar(x), bigint, varchar(y)) -> varchar",
    "(varbinary, bigint, varbinary) -> varbinary",
)
_OF_BYTES = ("(varbinary, bigint) -> varbinary", "(varbinary, bigint, bigint) -> varbinary")
_PART = "The part from a position (from the end if negative), so long or to the end"
_TWO = "(varchar(x), varchar(y)) -> bigint"


FUNCTIONS = (
    scalar(
        "length",
        "(varchar(x)) -> bigint",
        "(char(x)) -> bigint",
        "(varbinary) -> bigint",
        help="The number of characters, or of bytes",
    ),
    scalar("upper", *_SAME, help="In upper case"),
    scalar("lower", *_SAME, help="In lower case"),
    scalar("trim", *_TRIMMED, help="Without blanks (or given characters) at both ends"),
    scalar("ltrim", *_TRIMMED, help="Without blanks (or given characters) at the beginning"),
    scalar("rtrim", *_TRIMMED, help="Without blanks (or given characters) at the end"),
    scalar("substr", *_SUBSTRING, *_OF_BYTES, help=_PART),
    scalar("substring", *_SUBSTRING, help=_PART),
    scalar("concat", _concat_words, *CONCATENATIONS, help="Joined; NULL where any part is"),
    scalar(
        "concat_ws",
        "(varchar, array(varchar)) -> varchar",
        "(varchar, varchar, ...) -> varchar",
        help="Joined with a separator, without the parts that are NULL",
    ),
    scalar(
        "replace",
        "(varchar(x), varchar(y)) -> varchar(x)",
        ("(varchar(x), varchar(y), varchar(z)) -> ?", _replaced),
        help="Each occurrence of a text replaced or removed",
    ),
    scalar("reverse", *_SAME, "(array(E)) -> array(E)", "(varbinary) -> varbinary", help="Back to front"),
    scalar(
        "lpad",
        *_PADDED,
        "(char(x), bigint, varchar(y)) -> varchar",
        help="Filled at the left, or cut, to a length",
        raises="a negative size or one over 1048576, an empty padding",
    ),
    scalar(
        "rpad",
        *_PADDED,
        help="Filled at the right, or cut, to a length",
        raises="a negative size or one over 1048576, an empty padding",
    ),
    scalar(
        "split",
        "(varchar(x), varchar(y)) -> array(varchar(x))",
        "(varchar(x), varchar(y), bigint) -> array(varchar(x))",
        help="The parts between delimiters, at most so many",
        raises="an empty delimiter, a limit that is not positive",
    ),
    scalar(
        "split_part",
        "(varchar(x), varchar(y), bigint) -> varchar(x)",
        help="The n-th part between delimiters; NULL past the end",
        raises="an empty delimiter, an index that is not positive",
    ),
    scalar(
        "strpos",
        _TWO,
        "(varchar(x), varchar(y), bigint) -> bigint",
        help="Where a text begins in another, from 1; 0 where it does not; the n-th one if asked",
        raises="an instance that is not positive",
    ),
    scalar("starts_with", "(varchar(x), varchar(y)) -> boolean", help="Whether a text begins with another"),
    scalar(
        "translate",
        "(varchar(x), varchar(y), varchar(z)) -> varchar",
        help="Each character of one set replaced by that of another",
    ),
    scalar(
        "chr",
        "(bigint) -> varchar(1)",
        help="The character of a code point",
        raises="a number that is no code point",
    ),
    scalar(
        "codepoint",
        "(varchar(1)) -> integer",
        help="The code point of a character",
        raises="a text that is not one character",
    ),
    scalar(
        "levenshtein_distance",
        _TWO,
        help="How many edits are between two texts",
        raises="texts that are too long",
    ),
    scalar("hamming_distance", _TWO, help="How many characters differ", raises="texts of different lengths"),
    scalar("typeof", "(T) -> varchar", help="The name of the argument's type"),
    scalar(
        "format",
        _format_rule,
        help="Values put into a text such as '%s: %,.2f', as Java's formatter does it",
        raises="a format that does not fit its arguments",
    ),
    scalar(
        "format_number",
        "(bigint) -> varchar",
        "(double) -> varchar",
        body="sqe_texts_format_number",
        help="With a unit: 1234567 is 1.23M",
    ),
    scalar(
        "normalize",
        "(varchar(x), varchar(y)) -> varchar",
        body="sqe_texts_normalize",
        help="In a normal form of Unicode: NFC, NFD, NFKC or NFKD",
    ),
    scalar(
        "soundex",
        "(varchar) -> varchar(4)",
        body="sqe_texts_soundex",
        help="How a name sounds, as a letter and three digits",
        raises="a text that is not ASCII",
    ),
    scalar(
        "luhn_check",
        "(varchar) -> boolean",
        help="Whether the last of the digits is their check digit",
        raises="a text that is not of digits",
    ),
    scalar(
        "split_to_map",
        "(varchar, varchar, varchar) -> map(varchar, varchar)",
        help="The map of a text of entries, each a key and a value",
        raises="an entry without its delimiter, a key twice",
    ),
    scalar(
        "split_to_multimap",
        "(varchar, varchar, varchar) -> map(varchar, array(varchar))",
        help="The map of a text of entries, with all the values of a key",
        raises="an entry without its delimiter",
    ),
    # The binder puts 'en' where no language is.
    scalar(
        "word_stem",
        "(varchar(x), varchar) -> varchar(x)",
        body="sqe_stems_word_stem",
        help="The stem of a word, by default of English",
        raises="a language that is not 'en'",
    ),
    # A color is a number among the arguments of these, and no value that a statement can have.
    scalar(
        "bar",
        "(double, bigint, bigint, bigint) -> varchar",
        body="sqe_colors_bar",
        help="A bar for a terminal: its share, its width, and the colors at its ends",
        raises="a color that is none of RGB, a width beyond 65536",
    ),
    scalar(
        "rgb",
        "(bigint, bigint, bigint) -> bigint",
        body="sqe_colors_rgb",
        help="The color of a share of red, green and blue, each from 0 to 255",
        raises="a share out of range",
    ),
    scalar(
        "color",
        "(varchar) -> bigint",
        "(double, bigint, bigint) -> bigint",
        "(double, double, double, bigint, bigint) -> bigint",
        help="The color of a name, or between two others",
        raises="what is no color",
    ),
    scalar(
        "render",
        "(varchar, bigint) -> varchar",
        "(bigint, bigint) -> varchar",
        "(boolean) -> varchar",
        help="A text in a color for a terminal; a sign for a boolean",
    ),
    scalar(
        "$color_named",
        "(varchar) -> bigint",
        body="sqe_colors_named",
        help="The color of a name",
        raises="what is no color",
    ),
    scalar(
        "$color_between",
        "(double, bigint, bigint) -> bigint",
        body="sqe_colors_between",
        help="A color between two others",
        raises="what is no color",
    ),
    scalar("$render", "(varchar, bigint) -> varchar", body="sqe_colors_render", help="A text in a color"),
)
