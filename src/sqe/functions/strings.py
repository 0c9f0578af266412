"""Functions of text. Lengths and positions count code points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.functions.function import Renderer, Resolution, scalar
from sqe.functions.operators import CONCATENATIONS, concatenate
from sqe.functions.spark_text import constant, refuse, share, shared, string
from sqe.tree.types import VARCHAR, Type, Varchar, is_text

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
        return f"trim({side} {characters} FROM {texts[0]})"

    return render


def _substring(call: Any, texts: Texts) -> str:
    """Nothing at all from position 0, or from before the beginning; Spark gives a part."""
    start, length = constant(call.arguments[1]), constant(call.arguments[2]) if len(texts) == 3 else 1
    if isinstance(start, int) and start > 0 and isinstance(length, int) and length > 0:
        arguments = f"{start}" if len(texts) == 2 else f"{start}, {length}"
        return f"substr({texts[0]}, {arguments})"
    whole = " OR ".join(f"{{{i}}} IS NULL" for i in range(len(texts)))
    none = "{1} = 0 OR -{1} > char_length({0})" + (" OR {2} <= 0" if len(texts) == 3 else "")
    rest = ", ".join(["{0}", *(f"CAST(least({{{i}}}, {_MAX_LENGTH}) AS INT)" for i in range(1, len(texts)))])
    return share(f"(CASE WHEN {whole} THEN NULL WHEN {none} THEN '' ELSE substr({rest}) END)", texts)


def _pad(name: str) -> str:
    return (
        "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
        " WHEN {1} < 0 OR {2} = '' THEN "
        + refuse(f"{name}: the size must not be negative, the padding not empty")
        + f" ELSE {name}({{0}}, CAST({{1}} AS INT), {{2}}) END)"
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
    refused = "{1} = ''" + (" OR {2} <= 0" if len(texts) == 3 else "")
    return share(
        f"(CASE WHEN {absent} THEN NULL WHEN {refused} THEN "
        + refuse("split: the delimiter must not be empty, the limit more than 0")
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
        + f" ELSE get(split({{0}}, {_quoted(call)}, -1), CAST({{2}} - 1 AS INT)) END)",
        texts,
    )


_STRPOS_NTH = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
    " WHEN {2} = 0 OR {1} = '' THEN "
    + refuse("strpos: the instance must not be 0, the text not empty")
    + " ELSE CAST(coalesce(try_element_at(filter(sequence(1, greatest(char_length({0}), 1)),"
    " i_ -> substr({0}, i_, char_length({1})) = {1}), CAST({2} AS INT)), 0) AS BIGINT) END)"
)


def _concat_ws(call: Any, texts: Texts) -> str:
    return f"concat_ws({', '.join(texts)})"


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


def _typeof(call: Any, texts: Texts) -> str:
    return string(str(call.arguments[0].type))


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
_PADDED = "(varchar(x), bigint, varchar(y)) -> varchar"
_PART = "The part from a position (from the end if negative), so long or to the end"
_TWO = "(varchar(x), varchar(y)) -> bigint"

FUNCTIONS = (
    scalar(
        "length",
        "(varchar(x)) -> bigint",
        "(char(x)) -> bigint",
        "(varbinary) -> bigint",
        spark="CAST(length({0}) AS BIGINT)",
        help="The number of characters, or of bytes",
    ),
    scalar("upper", *_SAME, spark=shared(_UPPER), help="In upper case"),
    scalar("lower", *_SAME, spark=shared(_LOWER), help="In lower case"),
    scalar("trim", *_TRIMMED, spark=_trim("BOTH"), help="Without blanks (or given characters) at both ends"),
    scalar(
        "ltrim",
        *_TRIMMED,
        spark=_trim("LEADING"),
        help="Without blanks (or given characters) at the beginning",
    ),
    scalar(
        "rtrim", *_TRIMMED, spark=_trim("TRAILING"), help="Without blanks (or given characters) at the end"
    ),
    scalar("substr", *_SUBSTRING, spark=_substring, help=_PART),
    scalar("substring", *_SUBSTRING, spark=_substring, help=_PART),
    scalar(
        "concat", _concat_words, *CONCATENATIONS, spark=concatenate, help="Joined; NULL where any part is"
    ),
    scalar(
        "concat_ws",
        "(varchar, array(varchar)) -> varchar",
        "(varchar, varchar, ...) -> varchar",
        spark=_concat_ws,
        help="Joined with a separator, without the parts that are NULL",
    ),
    scalar(
        "replace",
        "(varchar(x), varchar(y)) -> varchar(x)",
        ("(varchar(x), varchar(y), varchar(z)) -> ?", _replaced),
        spark=_replace,
        help="Each occurrence of a text replaced or removed",
    ),
    scalar(
        "reverse",
        *_SAME,
        "(array(E)) -> array(E)",
        spark="reverse({0})",
        help="Back to front",
    ),
    scalar(
        "lpad",
        _PADDED,
        spark=shared(_pad("lpad")),
        help="Filled at the left, or cut, to a length",
        raises=True,
    ),
    scalar(
        "rpad",
        _PADDED,
        spark=shared(_pad("rpad")),
        help="Filled at the right, or cut, to a length",
        raises=True,
    ),
    scalar(
        "split",
        "(varchar(x), varchar(y)) -> array(varchar(x))",
        "(varchar(x), varchar(y), bigint) -> array(varchar(x))",
        spark=_split,
        help="The parts between delimiters, at most so many",
        raises=True,
    ),
    scalar(
        "split_part",
        "(varchar(x), varchar(y), bigint) -> varchar(x)",
        spark=_split_part,
        help="The n-th part between delimiters; NULL past the end",
        raises=True,
    ),
    scalar(
        "strpos",
        _TWO,
        "(varchar(x), varchar(y), bigint) -> bigint",
        spark=lambda call, texts: (
            f"CAST(instr({texts[0]}, {texts[1]}) AS BIGINT)" if len(texts) == 2 else share(_STRPOS_NTH, texts)
        ),
        help="Where a text begins in another, from 1; 0 where it does not; the n-th one if asked",
        raises=True,
    ),
    scalar(
        "starts_with",
        "(varchar(x), varchar(y)) -> boolean",
        spark="startswith({0}, {1})",
        help="Whether a text begins with another",
    ),
    scalar(
        "translate",
        "(varchar(x), varchar(y), varchar(z)) -> varchar",
        spark="translate({0}, {1}, {2})",
        help="Each character of one set replaced by that of another",
    ),
    scalar(
        "chr", "(bigint) -> varchar(1)", spark=shared(_CHR), help="The character of a code point", raises=True
    ),
    scalar("codepoint", "(varchar(1)) -> integer", spark="ascii({0})", help="The code point of a character"),
    scalar(
        "levenshtein_distance",
        _TWO,
        spark="CAST(levenshtein({0}, {1}) AS BIGINT)",
        help="How many edits are between two texts",
    ),
    scalar("hamming_distance", _TWO, spark=shared(_HAMMING), help="How many characters differ", raises=True),
    scalar("typeof", "(T) -> varchar", spark=_typeof, help="The name of the argument's type"),
)
