"""Bytes as text and as numbers in Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.text import refuse, share, shared, string
from sqe.errors import NotSupported
from sqe.tree.expressions import Call
from sqe.types.sql_types import VARBINARY

_BODY = "sqe_encodings_"
_FROM_HEX = (
    "(CASE WHEN {0} RLIKE '^([0-9A-Fa-f][0-9A-Fa-f])*\\\\z' THEN unhex({0}) WHEN {0} IS NOT NULL"
    " THEN " + refuse("Not a valid text of hexadecimal digits") + " END)"
)


def _from_text(template: str) -> Renderer:
    """Bytes are taken for the text that they are in UTF-8."""

    def render(call: Call, texts: Sequence[str]) -> str:
        is_bytes = call.arguments[0].type == VARBINARY
        return share(template, (f"make_valid_utf8(CAST({texts[0]} AS STRING))" if is_bytes else texts[0],))

    return render


def _from_base64(alphabet: str, plain: str) -> str:
    """What Java's decoder takes: padding may be left out, and nothing else may be there."""
    digit = f"[A-Za-z0-9{alphabet}]"
    pattern = string(f"^({digit}{{4}})*({digit}{{2}}(==)?|{digit}{{3}}=?)?\\z")
    return (
        f"(CASE WHEN {{0}} RLIKE {pattern} THEN unbase64({plain}) WHEN {{0}} IS NOT NULL THEN "
        + refuse("Not a valid text in base 64")
        + " END)"
    )


# Bytes with the top bit set are negative numbers.
_FROM_BIG_ENDIAN_64 = (
    "(CASE WHEN length({0}) <> 8 THEN " + refuse("expected 8-byte input") + " ELSE"
    " CAST(CAST(conv(hex({0}), 16, 10) AS DECIMAL(20,0))"
    " - if(substr(hex({0}), 1, 1) >= '8', 18446744073709551616, 0) AS BIGINT) END)"
)
_FROM_BIG_ENDIAN_32 = (
    "(CASE WHEN length({0}) <> 4 THEN " + refuse("expected 4-byte input") + " ELSE"
    " CAST(CAST(conv(hex({0}), 16, 10) AS BIGINT)"
    " - if(substr(hex({0}), 1, 1) >= '8', 4294967296, 0) AS INT) END)"
)


def _from_utf8(call: Call, texts: Sequence[str]) -> str:
    if len(texts) > 1:
        raise NotSupported("from_utf8 with a replacement of your own", position=call.position)
    return f"make_valid_utf8(CAST({texts[0]} AS STRING))"


RENDERINGS: dict[str, Rendering] = {
    "to_utf8": "encode({0}, 'UTF-8')",
    "from_utf8": _from_utf8,
    "to_hex": "hex({0})",
    "from_hex": _from_text(_FROM_HEX),
    # Spark may break its lines at 76 characters.
    "to_base64": "replace(base64({0}), '\\r\\n', '')",
    "from_base64": _from_text(_from_base64("+/", "{0}")),
    "to_base64url": "translate(replace(base64({0}), '\\r\\n', ''), '+/', '-_')",
    "from_base64url": _from_text(_from_base64("_-", "translate({0}, '-_', '+/')")),
    "from_base32": _from_text(f"{_BODY}from_base32({{0}})"),
    "to_big_endian_64": "unhex(lpad(hex({0}), 16, '0'))",
    "from_big_endian_64": shared(_FROM_BIG_ENDIAN_64),
    "to_big_endian_32": "unhex(right(lpad(hex({0}), 16, '0'), 8))",
    "from_big_endian_32": shared(_FROM_BIG_ENDIAN_32),
    "to_ieee754_32": f"{_BODY}to_ieee754_32(CAST({{0}} AS DOUBLE))",
    "from_ieee754_32": f"CAST({_BODY}from_ieee754_32({{0}}) AS FLOAT)",
}
