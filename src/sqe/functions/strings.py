"""Functions of text. Lengths and positions count code points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.functions import duck_operators, duck_text_formats
from sqe.functions import duck_strings as duck
from sqe.functions.function import Renderer, Resolution, scalar
from sqe.functions.longest import LONGEST_TEXT
from sqe.functions.operators import CONCATENATIONS, concatenate
from sqe.functions.spark_text import constant, constant_text, invalid, refuse, share, shared, string
from sqe.functions.text_formats import format_text
from sqe.types.sql_types import BIGINT, UNKNOWN, VARBINARY, VARCHAR, Array, Char, Type, Varchar, is_text

Texts = Sequence[str]

_MAX_LENGTH = 2147483647
# What Character.isWhitespace says, which is what Trino trims; Spark's default is the blank alone.
_BLANKS = (
    "'\\t\\n\\u000B\\u000C\\r\\u001C\\u001D\\u001E\\u001F \\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005"
    "\\u2006\\u2008\\u2009\\u200A\\u2028\\u2029\\u205F\\u3000'"
)
_ASCII = "'^[\\\\x00-\\\\x7F]*$'"
_SMALL = "ᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾳῃῳ"
_LARGE = "ᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼῌῼ"
# Trino changes case code point by code point: ß stays, and a final sigma is like any other.
_UPPER = (
    f"(CASE WHEN {{0}} RLIKE {_ASCII} THEN upper({{0}}) ELSE translate(array_join(transform(split({{0}}, ''),"
    " c_ -> if(char_length(upper(c_)) = 1, upper(c_), c_)), ''),"
    f" '{_SMALL}', '{_LARGE}') END)"
)
_LOWER = (
    f"(CASE WHEN {{0}} RLIKE {_ASCII} THEN lower({{0}}) ELSE array_join(transform(split({{0}}, ''),"
    " c_ -> if(char_length(lower(c_)) = 1, lower(c_), if(c_ = 'İ', 'i', c_))), '') END)"
)


def _trim(side: str) -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        characters = texts[1] if len(texts) == 2 else _BLANKS
        # What a char is padded with is no part of it.
        text = f"rtrim({texts[0]})" if isinstance(call.arguments[0].type, Char) else texts[0]
        return f"trim({side} {characters} FROM {text})"

    return render


def _substring(call: Any, texts: Texts) -> str:
    """Nothing at all from position 0, or from before the beginning; Spark gives a part."""
    start, length = constant(call.arguments[1]), constant(call.arguments[2]) if len(texts) == 3 else 1
    if isinstance(start, int) and start > 0 and isinstance(length, int) and length > 0:
        arguments = f"{start}" if len(texts) == 2 else f"{start}, {length}"
        return f"substr({texts[0]}, {arguments})"
    whole = " OR ".join(f"{{{i}}} IS NULL" for i in range(len(texts)))
    none = "{1} = 0 OR {1} < -length({0})" + (" OR {2} <= 0" if len(texts) == 3 else "")
    rest = ", ".join(["{0}", *(f"CAST(least({{{i}}}, {_MAX_LENGTH}) AS INT)" for i in range(1, len(texts)))])
    empty = "X''" if call.type == VARBINARY else "''"
    return share(f"(CASE WHEN {whole} THEN NULL WHEN {none} THEN {empty} ELSE substr({rest}) END)", texts)


def _pad(name: str) -> str:
    return (
        "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
        f" WHEN {{1}} < 0 OR {{1}} > {LONGEST_TEXT} OR length({{2}}) = 0 THEN "
        + refuse(f"{name}: the size must be from 0 to {LONGEST_TEXT}, the padding not empty")
        # Spark folds constants in branches that are not taken, too.
        + f" ELSE {name}({{0}}, CAST(least({{1}}, {LONGEST_TEXT}) AS INT), {{2}}) END)"
    )


# Spark splits at a regular expression: \Q and \E make a text of any delimiter.
_QUOTED = "concat('\\\\Q', replace({1}, '\\\\E', '\\\\E\\\\\\\\E\\\\Q'), '\\\\E')"


def _quoted(call: Any) -> str:
    delimiter = constant(call.arguments[1])
    if not isinstance(delimiter, str) or not delimiter:
        return _QUOTED
    return string("".join(c if c.isalnum() or c in " ,;:_-/=~@!%&'\"<>#" else "\\" + c for c in delimiter))


def _split(call: Any, texts: Texts) -> str:
    known = isinstance(constant(call.arguments[1]), str) and constant(call.arguments[1]) != ""
    pattern = _quoted(call)
    if known and len(texts) == 2:
        return f"split({texts[0]}, {pattern}, -1)"
    absent = " OR ".join(f"{{{i}}} IS NULL" for i in range(len(texts)))
    limit = "CAST({2} AS INT)" if len(texts) == 3 else "-1"
    refused = "{1} = ''" + (f" OR {{2}} <= 0 OR {{2}} > {_MAX_LENGTH}" if len(texts) == 3 else "")
    return share(
        f"(CASE WHEN {absent} THEN NULL WHEN {refused} THEN "
        + refuse(f"split: the delimiter must not be empty, the limit from 1 to {_MAX_LENGTH}")
        + f" ELSE split({{0}}, {pattern}, {limit}) END)",
        texts,
    )


def _split_part(call: Any, texts: Texts) -> str:
    return share(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
        " WHEN {2} <= 0 THEN "
        + refuse("Index must be greater than zero")
        + " WHEN {1} = '' THEN "
        + refuse("The delimiter may not be the empty string")
        + f" ELSE get(split({{0}}, {_quoted(call)}, -1), CAST(least({{2}}, {_MAX_LENGTH}) - 1 AS INT)) END)",
        texts,
    )


_STRPOS_NTH = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
    " WHEN {2} = 0 THEN "
    + refuse("'instance' must be a positive or negative number.")
    + " WHEN {1} = '' THEN 1L"
    " ELSE CAST(coalesce(try_element_at(filter(sequence(1, greatest(char_length({0}), 1)),"
    " i_ -> substr({0}, i_, char_length({1})) = {1}),"
    " CAST(least(greatest({2}, -2147483647), 2147483647) AS INT)), 0) AS BIGINT) END)"
)


def _concat_ws(call: Any, texts: Texts) -> str:
    joined = f"concat_ws({', '.join(texts)})"
    # Of an array that is NULL, Spark makes an empty text.
    of_array = isinstance(call.arguments[1].type, Array)
    return f"if({texts[1]} IS NULL, NULL, {joined})" if of_array else joined


def _replaced(parameters: tuple[Type, ...]) -> Type:
    lengths = [p.length for p in parameters if isinstance(p, Varchar)]
    if any(n is None for n in lengths):
        return VARCHAR
    text, _, new = (n or 0 for n in lengths)
    return Varchar(min(_MAX_LENGTH, text + new * (text + 1)))


def _replace(call: Any, texts: Texts) -> str:
    new = texts[2] if len(texts) == 3 else "''"
    if constant(call.arguments[1]) not in ("", None) and isinstance(constant(call.arguments[1]), str):
        return f"replace({texts[0]}, {texts[1]}, {new})"
    # An empty search matches before and after every code point; Spark leaves the text as it was.
    return share(
        "(CASE WHEN {1} = '' THEN concat({2}, array_join(transform(if({0} = '', array(), split({0}, '')),"
        " c_ -> concat(c_, {2})), '')) ELSE replace({0}, {1}, {2}) END)",
        (texts[0], texts[1], new),
    )


_CHR = (
    "(CASE WHEN {0} < 0 OR {0} > 1114111 OR {0} BETWEEN 55296 AND 57343"
    " THEN "
    + refuse("Not a valid Unicode code point")
    + " ELSE decode(unhex(lpad(hex({0}), 8, '0')), 'utf-32') END)"
)
_HAMMING = (
    "(CASE WHEN char_length({0}) <> char_length({1})"
    " THEN "
    + refuse("The input strings to hamming_distance function must have the same length")
    + " ELSE CAST(size(filter(zip_with(split({0}, ''), split({1}, ''), (x_, y_) -> x_ <> y_), z_ -> z_))"
    " AS BIGINT) END)"
)


# A table of this size is what Trino is ready to fill.
_LEVENSHTEIN = (
    "(CASE WHEN CAST(greatest(char_length({0}), char_length({1})) AS BIGINT)"
    " * (least(char_length({0}), char_length({1})) - 1) > 1000000 THEN "
    + refuse("The combined inputs for Levenshtein distance are too large")
    + " ELSE CAST(levenshtein({0}, {1}) AS BIGINT) END)"
)
_CODEPOINT = (
    "(CASE WHEN char_length({0}) <> 1 THEN "
    + refuse("Input string must be a single character string")
    + " ELSE ascii({0}) END)"
)
_LUHN = (
    "(CASE WHEN {0} RLIKE '[^0-9]' THEN "
    + refuse("Input contains non-digit character")
    + " ELSE luhn_check({0}) END)"
)
_REVERSED_BYTES = "unhex(array_join(reverse(regexp_extract_all(hex({0}), '..', 0)), ''))"


def _entries(call: Any, texts: Texts, made: str) -> str:
    """`made` of keys and values, from entries of one key-value delimiter each."""
    absent = " OR ".join(f"{{{i}}} IS NULL" for i in range(3))
    # A delimiter at the end begins no entry.
    whole = "if(endswith({0}, {1}), substr({0}, 1, char_length({0}) - char_length({1})), {0})"
    entries = f"if({{0}} = '', CAST(array() AS ARRAY<STRING>), split({whole}, {_QUOTED}, -1))"
    pair = _QUOTED.replace("{1}", "{2}")
    pairs = f"transform({entries}, e_ -> split(e_, {pair}, -1))"
    return share(
        f"(CASE WHEN {absent} THEN NULL WHEN {{1}} = '' OR {{2}} = '' OR {{1}} = {{2}} THEN "
        + refuse("Delimiters must not be empty, nor the same")
        + f" WHEN exists({pairs}, p_ -> size(p_) <> 2) THEN "
        + refuse("Key-value delimiter must appear exactly once in each entry")
        + f" ELSE {made.replace('{pairs}', pairs)} END)",
        texts,
    )


def _split_to_map(call: Any, texts: Texts) -> str:
    keys = "transform({pairs}, p_ -> p_[0])"
    made = (
        f"CASE WHEN size(array_distinct({keys})) < size({keys}) THEN "
        + refuse("Duplicate keys are not allowed")
        + f" ELSE map_from_arrays({keys}, transform({{pairs}}, p_ -> p_[1])) END"
    )
    return _entries(call, texts, made)


def _split_to_multimap(call: Any, texts: Texts) -> str:
    keys = "array_distinct(transform({pairs}, p_ -> p_[0]))"
    values = "transform(filter({pairs}, p_ -> p_[0] = k_), p_ -> p_[1])"
    return _entries(call, texts, f"map_from_arrays({keys}, transform({keys}, k_ -> {values}))")


def _as_long(call: Any, text: str) -> str:
    if call.arguments[0].type == BIGINT:
        return text
    return share(
        "(CASE WHEN isnan({0}) THEN 0L WHEN {0} >= 9.223372036854775807E18D THEN 9223372036854775807L"
        " WHEN {0} <= -9.223372036854775808E18D THEN -9223372036854775808L"
        " ELSE CAST(sign({0}) * floor(abs({0})) AS BIGINT) END)",
        (text,),
    )


_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def _normalize(call: Any, texts: Texts) -> str:
    form = constant_text(call, 1, "the form")
    if form not in _FORMS:
        raise invalid(call, f"Normalization form must be one of {', '.join(_FORMS)}")
    return f"sqe_texts_normalize({texts[0]}, {texts[1]})"


def _reverse(call: Any, texts: Texts) -> str:
    return _REVERSED_BYTES.replace("{0}", texts[0]) if call.type == VARBINARY else f"reverse({texts[0]})"


def _typeof(call: Any, texts: Texts) -> str:
    return string(str(call.arguments[0].type))


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
        spark="CAST(length({0}) AS BIGINT)",
        fast=duck.length,
        help="The number of characters, or of bytes",
    ),
    scalar("upper", *_SAME, spark=shared(_UPPER), fast=duck.UPPER, help="In upper case"),
    scalar("lower", *_SAME, spark=shared(_LOWER), fast="lower({0})", help="In lower case"),
    scalar(
        "trim",
        *_TRIMMED,
        spark=_trim("BOTH"),
        fast=duck.trim("trim"),
        help="Without blanks (or given characters) at both ends",
    ),
    scalar(
        "ltrim",
        *_TRIMMED,
        spark=_trim("LEADING"),
        fast=duck.trim("ltrim"),
        help="Without blanks (or given characters) at the beginning",
    ),
    scalar(
        "rtrim",
        *_TRIMMED,
        spark=_trim("TRAILING"),
        fast=duck.trim("rtrim"),
        help="Without blanks (or given characters) at the end",
    ),
    scalar("substr", *_SUBSTRING, *_OF_BYTES, spark=_substring, fast=duck.substring, help=_PART),
    scalar("substring", *_SUBSTRING, spark=_substring, fast=duck.substring, help=_PART),
    scalar(
        "concat",
        _concat_words,
        *CONCATENATIONS,
        spark=concatenate,
        fast=duck_operators.concatenate,
        help="Joined; NULL where any part is",
    ),
    scalar(
        "concat_ws",
        "(varchar, array(varchar)) -> varchar",
        "(varchar, varchar, ...) -> varchar",
        spark=_concat_ws,
        fast=duck.concat_ws,
        help="Joined with a separator, without the parts that are NULL",
    ),
    scalar(
        "replace",
        "(varchar(x), varchar(y)) -> varchar(x)",
        ("(varchar(x), varchar(y), varchar(z)) -> ?", _replaced),
        spark=_replace,
        fast=duck.replace,
        help="Each occurrence of a text replaced or removed",
    ),
    scalar(
        "reverse",
        *_SAME,
        "(array(E)) -> array(E)",
        "(varbinary) -> varbinary",
        spark=_reverse,
        fast=duck.reverse,
        help="Back to front",
    ),
    scalar(
        "lpad",
        *_PADDED,
        "(char(x), bigint, varchar(y)) -> varchar",
        spark=shared(_pad("lpad")),
        fast=duck.pad("lpad"),
        help="Filled at the left, or cut, to a length",
        raises="a negative size or one over 1048576, an empty padding",
    ),
    scalar(
        "rpad",
        *_PADDED,
        spark=shared(_pad("rpad")),
        fast=duck.pad("rpad"),
        help="Filled at the right, or cut, to a length",
        raises="a negative size or one over 1048576, an empty padding",
    ),
    scalar(
        "split",
        "(varchar(x), varchar(y)) -> array(varchar(x))",
        "(varchar(x), varchar(y), bigint) -> array(varchar(x))",
        spark=_split,
        fast=duck.split,
        help="The parts between delimiters, at most so many",
        raises="an empty delimiter, a limit that is not positive",
    ),
    scalar(
        "split_part",
        "(varchar(x), varchar(y), bigint) -> varchar(x)",
        spark=_split_part,
        fast=duck.split_part,
        help="The n-th part between delimiters; NULL past the end",
        raises="an empty delimiter, an index that is not positive",
    ),
    scalar(
        "strpos",
        _TWO,
        "(varchar(x), varchar(y), bigint) -> bigint",
        spark=lambda call, texts: (
            f"CAST(instr({texts[0]}, {texts[1]}) AS BIGINT)" if len(texts) == 2 else share(_STRPOS_NTH, texts)
        ),
        fast=duck.strpos,
        help="Where a text begins in another, from 1; 0 where it does not; the n-th one if asked",
        raises="an instance that is not positive",
    ),
    scalar(
        "starts_with",
        "(varchar(x), varchar(y)) -> boolean",
        spark="startswith({0}, {1})",
        fast="starts_with({0}, {1})",
        help="Whether a text begins with another",
    ),
    scalar(
        "translate",
        "(varchar(x), varchar(y), varchar(z)) -> varchar",
        spark="translate({0}, {1}, {2})",
        fast="translate({0}, {1}, {2})",
        help="Each character of one set replaced by that of another",
    ),
    scalar(
        "chr",
        "(bigint) -> varchar(1)",
        spark=shared(_CHR),
        fast=duck.CHR,
        help="The character of a code point",
        raises="a number that is no code point",
    ),
    scalar(
        "codepoint",
        "(varchar(1)) -> integer",
        spark=shared(_CODEPOINT),
        fast=duck.CODEPOINT,
        help="The code point of a character",
        raises="a text that is not one character",
    ),
    scalar(
        "levenshtein_distance",
        _TWO,
        spark=shared(_LEVENSHTEIN),
        fast=duck.LEVENSHTEIN,
        help="How many edits are between two texts",
        raises="texts that are too long",
    ),
    scalar(
        "hamming_distance",
        _TWO,
        spark=shared(_HAMMING),
        fast=duck.HAMMING,
        help="How many characters differ",
        raises="texts of different lengths",
    ),
    scalar(
        "typeof", "(T) -> varchar", spark=_typeof, fast=duck.typeof, help="The name of the argument's type"
    ),
    scalar(
        "format",
        _format_rule,
        spark=format_text,
        fast=duck_text_formats.format_text,
        help="Values put into a text such as '%s: %,.2f', as Java's formatter does it",
        raises="a format that does not fit its arguments",
    ),
    scalar(
        "format_number",
        "(bigint) -> varchar",
        "(double) -> varchar",
        # A double is cut to a bigint, and to the largest one where it is too large.
        spark=lambda call, texts: f"sqe_texts_format_number({_as_long(call, texts[0])})",
        fast=duck.format_number,
        body="sqe_texts_format_number",
        help="With a unit: 1234567 is 1.23M",
    ),
    scalar(
        "normalize",
        "(varchar(x), varchar(y)) -> varchar",
        spark=_normalize,
        fast=_normalize,
        body="sqe_texts_normalize",
        help="In a normal form of Unicode: NFC, NFD, NFKC or NFKD",
    ),
    scalar(
        "soundex",
        "(varchar) -> varchar(4)",
        spark=None,
        body="sqe_texts_soundex",
        help="How a name sounds, as a letter and three digits",
        raises="a text that is not ASCII",
    ),
    scalar(
        "luhn_check",
        "(varchar) -> boolean",
        spark=shared(_LUHN),
        fast=duck.LUHN,
        help="Whether the last of the digits is their check digit",
        raises="a text that is not of digits",
    ),
    scalar(
        "split_to_map",
        "(varchar, varchar, varchar) -> map(varchar, varchar)",
        spark=_split_to_map,
        fast=duck.split_to_map,
        help="The map of a text of entries, each a key and a value",
        raises="an entry without its delimiter, a key twice",
    ),
    scalar(
        "split_to_multimap",
        "(varchar, varchar, varchar) -> map(varchar, array(varchar))",
        spark=_split_to_multimap,
        fast=duck.split_to_multimap,
        help="The map of a text of entries, with all the values of a key",
        raises="an entry without its delimiter",
    ),
)
