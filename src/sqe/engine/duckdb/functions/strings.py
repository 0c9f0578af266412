"""Functions of text in DuckDB's SQL, which counts code points as we do, except where it reverses."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.operators import concatenate
from sqe.engine.duckdb.functions.text import refuse, share, shared, string
from sqe.engine.duckdb.functions.text_formats import format_text
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.shared_renderings import normalize
from sqe.functions.constants import constant
from sqe.functions.longest import LONGEST_TEXT
from sqe.tree.expressions import Call
from sqe.types.sql_types import BIGINT, VARBINARY, Array, Char

Texts = Sequence[str]
_MAX_LENGTH = 2147483647
# What Character.isWhitespace says, which is what Trino trims; DuckDB's default is the blank alone.
_BLANKS = string(
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)
# The one letter that DuckDB changes otherwise than Java.
UPPER = shared(
    "(CASE WHEN contains({0}, 'ß') THEN"
    " array_to_string(list_transform(string_split({0}, 'ß'), lambda c_: upper(c_)), 'ß')"
    " ELSE upper({0}) END)"
)


def length(call: Call, texts: Texts) -> str:
    return f"octet_length({texts[0]})" if call.arguments[0].type == VARBINARY else f"length({texts[0]})"


def trim(name: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        # What a char is padded with is no part of it.
        characters = texts[1] if len(texts) == 2 else _BLANKS
        if not isinstance(call.arguments[0].type, Char):
            return f"{name}({texts[0]}, {characters})"
        text = f"{name}(rtrim({texts[0]}, ' '), {characters})"
        # Nor are blanks that come to stand at the end.
        return text if len(texts) == 1 or name == "ltrim" else f"rtrim({text}, ' ')"

    return render


def substring(call: Call, texts: Texts) -> str:
    """Nothing at all from position 0, or from before the beginning; DuckDB gives a part."""
    start, size = constant(call.arguments[1]), constant(call.arguments[2]) if len(texts) == 3 else 1
    if call.type == VARBINARY:
        return _bytes_between(texts)
    if isinstance(start, int) and 0 < start <= _MAX_LENGTH and isinstance(size, int) and size > 0:
        arguments = f"{start}" if len(texts) == 2 else f"{start}, {min(size, _MAX_LENGTH)}"
        return f"substr({texts[0]}, {arguments})"
    none = "{1} = 0 OR {1} < -length({0})" + (" OR {2} <= 0" if len(texts) == 3 else "")
    rest = ", ".join(["{0}", *(f"least({{{i}}}, {_MAX_LENGTH})" for i in range(1, len(texts)))])
    return share(f"(CASE WHEN {_absent(texts)} THEN NULL WHEN {none} THEN '' ELSE substr({rest}) END)", texts)


def _bytes_between(texts: Texts) -> str:
    none = "{1} = 0 OR {1} < -octet_length({0})" + (" OR {2} <= 0" if len(texts) == 3 else "")
    first = f"(CASE WHEN {{1}} < 0 THEN octet_length({{0}}) + 1 + {{1}} ELSE least({{1}}, {_MAX_LENGTH}) END)"
    last = f"{first} - 1 + least({{2}}, {_MAX_LENGTH})" if len(texts) == 3 else f"{_MAX_LENGTH}"
    return share(
        f"(CASE WHEN {_absent(texts)} THEN NULL WHEN {none} THEN ''::BLOB ELSE ({{0}})[{first}:{last}] END)",
        texts,
    )


def _absent(texts: Texts) -> str:
    return " OR ".join(f"{{{i}}} IS NULL" for i in range(len(texts)))


def pad(name: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        if call.type == VARBINARY:
            padded_text, empty = (
                f"unhex({name}(hex({{0}}), CAST(2 * least({{1}}, {LONGEST_TEXT}) AS INTEGER), hex({{2}})))",
                "octet_length({2}) = 0",
            )
        else:
            padded_text = f"{name}({{0}}, CAST(least({{1}}, {LONGEST_TEXT}) AS INTEGER), {{2}})"
            empty = "{2} = ''"
        return share(
            f"(CASE WHEN {_absent(texts)} THEN NULL WHEN {{1}} < 0 OR {{1}} > {LONGEST_TEXT} OR {empty} THEN "
            + refuse(f"{name}: the size must be from 0 to {LONGEST_TEXT}, the padding not empty")
            + f" ELSE {padded_text} END)",
            texts,
        )

    return render


def concat_ws(call: Call, texts: Texts) -> str:
    if not isinstance(call.arguments[1].type, Array):
        return f"concat_ws({', '.join(texts)})"
    # DuckDB joins a list with a constant alone.
    return share(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL ELSE substr(array_to_string(list_transform("
        "list_filter({1}, lambda e_: e_ IS NOT NULL), lambda e_: {0} || e_), ''), length({0}) + 1) END)",
        texts,
    )


def replace(call: Call, texts: Texts) -> str:
    new = texts[2] if len(texts) == 3 else "''"
    search = constant(call.arguments[1])
    if isinstance(search, str) and search:
        return f"replace({texts[0]}, {texts[1]}, {new})"
    # An empty search matches before and after every code point; DuckDB leaves the text as it was.
    return share(
        "(CASE WHEN {1} <> '' THEN replace({0}, {1}, {2}) WHEN {0} = '' AND {1} = '' THEN {2} WHEN {1} = ''"
        " THEN {2} || array_to_string(list_transform(string_split({0}, ''), lambda c_: c_ || {2}), '') END)",
        (texts[0], texts[1], new),
    )


_REVERSED_TEXT = (
    "(CASE WHEN strlen({0}) = length({0}) THEN reverse({0})"
    " ELSE array_to_string(list_reverse(string_split({0}, '')), '') END)"
)
_REVERSED_BYTES = (
    "unhex(array_to_string(list_transform(range(octet_length({0}), 0, -1),"
    " lambda i_: hex(({0})[i_:i_])), ''))"
)


def reverse(call: Call, texts: Texts) -> str:
    if isinstance(call.type, Array):
        return f"list_reverse({texts[0]})"
    # DuckDB keeps a letter and its accents together.
    return share(_REVERSED_BYTES if call.type == VARBINARY else _REVERSED_TEXT, texts)


def split(call: Call, texts: Texts) -> str:
    delimiter = constant(call.arguments[1])
    if isinstance(delimiter, str) and delimiter and len(texts) == 2:
        return f"string_split({texts[0]}, {texts[1]})"
    refused = "{1} = ''" + (f" OR {{2}} <= 0 OR {{2}} > {_MAX_LENGTH}" if len(texts) == 3 else "")
    parts = "string_split({0}, {1})"
    if len(texts) == 3:
        # The last part is what follows those before it, and as many delimiters.
        before = f"{parts}[:{{2}} - 1]"
        start = f"length(array_to_string({before}, '')) + ({{2}} - 1) * length({{1}}) + 1"
        cut = f"list_append({before}, substr({{0}}, {start}))"
        parts = f"(CASE WHEN len({parts}) <= {{2}} THEN {parts} ELSE {cut} END)"
    return share(
        f"(CASE WHEN {_absent(texts)} THEN NULL WHEN {refused} THEN "
        + refuse(f"split: the delimiter must not be empty, the limit from 1 to {_MAX_LENGTH}")
        + f" ELSE {parts} END)",
        texts,
    )


def split_part(call: Call, texts: Texts) -> str:
    delimiter, index = constant(call.arguments[1]), constant(call.arguments[2])
    if isinstance(delimiter, str) and delimiter and isinstance(index, int) and index > 0:
        return f"string_split({texts[0]}, {texts[1]})[{index}]"
    return share(
        f"(CASE WHEN {_absent(texts)} THEN NULL WHEN {{2}} <= 0 THEN "
        + refuse("Index must be greater than zero")
        + " WHEN {1} = '' THEN "
        + refuse("The delimiter may not be the empty string")
        + " ELSE list_extract(string_split({0}, {1}), {2}) END)",
        texts,
    )


_STRPOS_NTH = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL WHEN {2} = 0 THEN "
    + refuse("'instance' must be a positive or negative number.")
    + " WHEN {1} = '' THEN CAST(1 AS BIGINT)"
    " ELSE coalesce(list_extract(list_filter(range(1, length({0}) + 1),"
    " lambda i_: substr({0}, i_, length({1})) = {1}), {2}), CAST(0 AS BIGINT)) END)"
)


def strpos(call: Call, texts: Texts) -> str:
    return f"strpos({texts[0]}, {texts[1]})" if len(texts) == 2 else share(_STRPOS_NTH, texts)


CHR = shared(
    "(CASE WHEN {0} < 0 OR {0} > 1114111 OR {0} BETWEEN 55296 AND 57343 THEN "
    + refuse("Not a valid Unicode code point")
    + " ELSE chr(CAST({0} AS INTEGER)) END)"
)
CODEPOINT = shared(
    "(CASE WHEN length({0}) <> 1 THEN "
    + refuse("Input string must be a single character string")
    + " ELSE unicode({0}) END)"
)
# DuckDB counts the edits of bytes.
LEVENSHTEIN = shared(
    "(CASE WHEN greatest(length({0}), length({1})) * (least(length({0}), length({1})) - 1) > 1000000"
    " AND {0} IS NOT NULL AND {1} IS NOT NULL THEN "
    + refuse("The combined inputs for Levenshtein distance are too large")
    + " WHEN strlen({0}) = length({0}) AND strlen({1}) = length({1}) THEN levenshtein({0}, {1})"
    " ELSE sqe_texts_levenshtein_distance({0}, {1}) END)"
)
HAMMING = shared(
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN length({0}) <> length({1}) THEN "
    + refuse("The input strings to hamming_distance function must have the same length")
    + " ELSE len(list_filter(list_zip(string_split({0}, ''), string_split({1}, '')),"
    " lambda p_: p_[1] <> p_[2])) END)"
)
# Each second digit from the end counts twice, and as the sum of its digits where it has two.
_DOUBLED = "2 * CAST(c_ AS INTEGER) - (CASE WHEN c_ > '4' THEN 9 ELSE 0 END)"
LUHN = shared(
    "(CASE WHEN regexp_matches({0}, '[^0-9]') THEN "
    + refuse("Input contains non-digit character")
    + " WHEN {0} = '' THEN false ELSE list_sum(list_transform(string_split(reverse({0}), ''),"
    f" lambda c_, i_: CASE WHEN i_ % 2 = 0 THEN {_DOUBLED} ELSE CAST(c_ AS INTEGER) END)) % 10 = 0 END)"
)


def _entries(texts: Texts, result: str) -> str:
    """`result` of keys and values, from entries of one key-value delimiter each."""
    # A delimiter at the end begins no entry.
    whole = "(CASE WHEN suffix({0}, {1}) THEN left({0}, length({0}) - length({1})) ELSE {0} END)"
    entries = f"(CASE WHEN {{0}} = '' THEN CAST([] AS VARCHAR[]) ELSE string_split({whole}, {{1}}) END)"
    pairs = f"list_transform({entries}, lambda e_: string_split(e_, {{2}}))"
    return share(
        f"(CASE WHEN {_absent(texts)} THEN NULL WHEN {{1}} = '' OR {{2}} = '' OR {{1}} = {{2}} THEN "
        + refuse("Delimiters must not be empty, nor the same")
        + f" WHEN len(list_filter({pairs}, lambda p_: len(p_) <> 2)) > 0 THEN "
        + refuse("Key-value delimiter must appear exactly once in each entry")
        + f" ELSE {result.replace('{pairs}', pairs)} END)",
        texts,
    )


def split_to_map(call: Call, texts: Texts) -> str:
    keys = "list_transform({pairs}, lambda p_: p_[1])"
    result = (
        f"CASE WHEN len(list_distinct({keys})) < len({keys}) THEN "
        + refuse("Duplicate keys are not allowed")
        + f" ELSE map({keys}, list_transform({{pairs}}, lambda p_: p_[2])) END"
    )
    return _entries(texts, result)


def split_to_multimap(call: Call, texts: Texts) -> str:
    keys = "list_distinct(list_transform({pairs}, lambda p_: p_[1]))"
    values = "list_transform(list_filter({pairs}, lambda p_: p_[1] = k_), lambda p_: p_[2])"
    entries = f"list_transform({keys}, lambda k_: struct_pack(k := k_, v := {values}))"
    return _entries(texts, f"map_from_entries({entries})")


def format_number(call: Call, texts: Texts) -> str:
    if call.arguments[0].type == BIGINT:
        return f"sqe_texts_format_number({texts[0]})"
    # A double is cut to a bigint, and to the largest one where it is too large.
    return share(
        "sqe_texts_format_number(CASE WHEN isnan({0}) THEN CAST(0 AS BIGINT)"
        " WHEN {0} >= 9.223372036854775807e18 THEN CAST(9223372036854775807 AS BIGINT)"
        " WHEN {0} <= -9.223372036854775808e18 THEN CAST(-9223372036854775808 AS BIGINT)"
        " ELSE CAST(trunc({0}) AS BIGINT) END)",
        texts,
    )


def typeof(call: Call, texts: Texts) -> str:
    return string(str(call.arguments[0].type))


RENDERINGS: dict[str, Rendering] = {
    "length": length,
    "upper": UPPER,
    "lower": "lower({0})",
    "trim": trim("trim"),
    "ltrim": trim("ltrim"),
    "rtrim": trim("rtrim"),
    "substr": substring,
    "substring": substring,
    "concat": concatenate,
    "concat_ws": concat_ws,
    "replace": replace,
    "reverse": reverse,
    "lpad": pad("lpad"),
    "rpad": pad("rpad"),
    "split": split,
    "split_part": split_part,
    "strpos": strpos,
    "starts_with": "starts_with({0}, {1})",
    "translate": "translate({0}, {1}, {2})",
    "chr": CHR,
    "codepoint": CODEPOINT,
    "levenshtein_distance": LEVENSHTEIN,
    "hamming_distance": HAMMING,
    "typeof": typeof,
    "format": format_text,
    "format_number": format_number,
    "normalize": normalize,
    "luhn_check": LUHN,
    "split_to_map": split_to_map,
    "split_to_multimap": split_to_multimap,
}
