"""Functions of text in Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.shared_renderings import normalize
from sqe.engine.spark.functions.operators import concatenate
from sqe.engine.spark.functions.text import refuse, share, shared, string
from sqe.engine.spark.functions.text_formats import format_text
from sqe.functions.constants import constant
from sqe.functions.longest import LONGEST_TEXT
from sqe.functions.strings import MAX_LENGTH
from sqe.tree.expressions import Call
from sqe.types.sql_types import BIGINT, VARBINARY, Array, Char

Texts = Sequence[str]
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
    def render(call: Call, texts: Texts) -> str:
        characters = texts[1] if len(texts) == 2 else _BLANKS
        # What a char is padded with is no part of it.
        if not isinstance(call.arguments[0].type, Char):
            return f"trim({side} {characters} FROM {texts[0]})"
        text = f"trim({side} {characters} FROM rtrim({texts[0]}))"
        # Nor are blanks that come to stand at the end.
        return text if len(texts) == 1 or side == "LEADING" else f"rtrim({text})"

    return render


def _substring(call: Call, texts: Texts) -> str:
    """Nothing at all from position 0, or from before the beginning; Spark gives a part."""
    start, length = constant(call.arguments[1]), constant(call.arguments[2]) if len(texts) == 3 else 1
    if isinstance(start, int) and start > 0 and isinstance(length, int) and length > 0:
        arguments = f"{start}" if len(texts) == 2 else f"{start}, {length}"
        return f"substr({texts[0]}, {arguments})"
    whole = " OR ".join(f"{{{i}}} IS NULL" for i in range(len(texts)))
    none = "{1} = 0 OR {1} < -length({0})" + (" OR {2} <= 0" if len(texts) == 3 else "")
    rest = ", ".join(["{0}", *(f"CAST(least({{{i}}}, {MAX_LENGTH}) AS INT)" for i in range(1, len(texts)))])
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


def _quoted(call: Call) -> str:
    delimiter = constant(call.arguments[1])
    if not isinstance(delimiter, str) or not delimiter:
        return _QUOTED
    return string("".join(c if c.isalnum() or c in " ,;:_-/=~@!%&'\"<>#" else "\\" + c for c in delimiter))


def _split(call: Call, texts: Texts) -> str:
    is_constant = isinstance(constant(call.arguments[1]), str) and constant(call.arguments[1]) != ""
    pattern = _quoted(call)
    if is_constant and len(texts) == 2:
        return f"split({texts[0]}, {pattern}, -1)"
    absent = " OR ".join(f"{{{i}}} IS NULL" for i in range(len(texts)))
    limit = "CAST({2} AS INT)" if len(texts) == 3 else "-1"
    refused = "{1} = ''" + (f" OR {{2}} <= 0 OR {{2}} > {MAX_LENGTH}" if len(texts) == 3 else "")
    return share(
        f"(CASE WHEN {absent} THEN NULL WHEN {refused} THEN "
        + refuse(f"split: the delimiter must not be empty, the limit from 1 to {MAX_LENGTH}")
        + f" ELSE split({{0}}, {pattern}, {limit}) END)",
        texts,
    )


def _split_part(call: Call, texts: Texts) -> str:
    return share(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
        " WHEN {2} <= 0 THEN "
        + refuse("Index must be greater than zero")
        + " WHEN {1} = '' THEN "
        + refuse("The delimiter may not be the empty string")
        + f" ELSE get(split({{0}}, {_quoted(call)}, -1), CAST(least({{2}}, {MAX_LENGTH}) - 1 AS INT)) END)",
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


def _concat_ws(call: Call, texts: Texts) -> str:
    joined = f"concat_ws({', '.join(texts)})"
    # Of an array that is NULL, Spark makes an empty text.
    of_array = isinstance(call.arguments[1].type, Array)
    return f"if({texts[1]} IS NULL, NULL, {joined})" if of_array else joined


def _replace(call: Call, texts: Texts) -> str:
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
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL"
    " WHEN CAST(greatest(char_length({0}), char_length({1})) AS BIGINT)"
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


def _entries(call: Call, texts: Texts, result: str) -> str:
    """`result` of keys and values, from entries of one key-value delimiter each."""
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
        + f" ELSE {result.replace('{pairs}', pairs)} END)",
        texts,
    )


def _split_to_map(call: Call, texts: Texts) -> str:
    keys = "transform({pairs}, p_ -> p_[0])"
    result = (
        f"CASE WHEN size(array_distinct({keys})) < size({keys}) THEN "
        + refuse("Duplicate keys are not allowed")
        + f" ELSE map_from_arrays({keys}, transform({{pairs}}, p_ -> p_[1])) END"
    )
    return _entries(call, texts, result)


def _split_to_multimap(call: Call, texts: Texts) -> str:
    keys = "array_distinct(transform({pairs}, p_ -> p_[0]))"
    values = "transform(filter({pairs}, p_ -> p_[0] = k_), p_ -> p_[1])"
    return _entries(call, texts, f"map_from_arrays({keys}, transform({keys}, k_ -> {values}))")


def _as_long(call: Call, text: str) -> str:
    if call.arguments[0].type == BIGINT:
        return text
    return share(
        "(CASE WHEN isnan({0}) THEN 0L WHEN {0} >= 9.223372036854775807E18D THEN 9223372036854775807L"
        " WHEN {0} <= -9.223372036854775808E18D THEN -9223372036854775808L"
        " ELSE CAST(sign({0}) * floor(abs({0})) AS BIGINT) END)",
        (text,),
    )


def _reverse(call: Call, texts: Texts) -> str:
    return _REVERSED_BYTES.replace("{0}", texts[0]) if call.type == VARBINARY else f"reverse({texts[0]})"


def _typeof(call: Call, texts: Texts) -> str:
    return string(str(call.arguments[0].type))


RENDERINGS: dict[str, Rendering] = {
    "length": "CAST(length({0}) AS BIGINT)",
    "upper": shared(_UPPER),
    "lower": shared(_LOWER),
    "trim": _trim("BOTH"),
    "ltrim": _trim("LEADING"),
    "rtrim": _trim("TRAILING"),
    "substr": _substring,
    "substring": _substring,
    "concat": concatenate,
    "concat_ws": _concat_ws,
    "replace": _replace,
    "reverse": _reverse,
    "lpad": shared(_pad("lpad")),
    "rpad": shared(_pad("rpad")),
    "split": _split,
    "split_part": _split_part,
    "strpos": lambda call, texts: (
        f"CAST(instr({texts[0]}, {texts[1]}) AS BIGINT)" if len(texts) == 2 else share(_STRPOS_NTH, texts)
    ),
    "starts_with": "startswith({0}, {1})",
    "translate": "translate({0}, {1}, {2})",
    "chr": shared(_CHR),
    "codepoint": shared(_CODEPOINT),
    "levenshtein_distance": shared(_LEVENSHTEIN),
    "hamming_distance": shared(_HAMMING),
    "typeof": _typeof,
    "format": format_text,
    # A double is cut to a bigint, and to the largest one where it is too large.
    "format_number": lambda call, texts: f"sqe_texts_format_number({_as_long(call, texts[0])})",
    "normalize": normalize,
    "luhn_check": shared(_LUHN),
    "split_to_map": _split_to_map,
    "split_to_multimap": _split_to_multimap,
}
