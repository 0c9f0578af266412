"""Bytes as text and as numbers in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.text import refuse, share, shared, string
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.errors import NotSupported
from sqe.tree.expressions import Call
from sqe.types.sql_types import VARBINARY

_BODY = "sqe_encodings_"
_FROM_HEX = (
    "(CASE WHEN regexp_full_match({0}, '([0-9A-Fa-f][0-9A-Fa-f])*') THEN unhex({0}) WHEN {0} IS NOT NULL"
    " THEN " + refuse("Not a valid text of hexadecimal digits") + " END)"
)


def _from_text(template: str) -> Renderer:
    def render(call: Call, texts: Sequence[str]) -> str:
        is_bytes = call.arguments[0].type == VARBINARY
        return share(template, (_from_utf8(call, texts) if is_bytes else texts[0],))

    return render


def _from_base64(alphabet: str, plain: str) -> str:
    digit = f"[A-Za-z0-9{alphabet}]"
    pattern = string(f"({digit}{{4}})*({digit}{{2}}(==)?|{digit}{{3}}=?)?")
    # DuckDB wants all of the padding.
    padded = f"rpad({plain}, CAST((length({{0}}) + 3) // 4 * 4 AS INTEGER), '=')"
    return (
        f"(CASE WHEN regexp_full_match({{0}}, {pattern}) THEN from_base64({padded})"
        " WHEN {0} IS NOT NULL THEN " + refuse("Not a valid text in base 64") + " END)"
    )


_FROM_BIG_ENDIAN_64 = (
    "(CASE WHEN octet_length({0}) <> 8 THEN " + refuse("expected 8-byte input") + " ELSE"
    " CAST(CAST(CAST('0x' || hex({0}) AS UBIGINT) AS HUGEINT)"
    " - (CASE WHEN hex({0}) >= '8' THEN 18446744073709551616 ELSE 0 END) AS BIGINT) END)"
)
_FROM_BIG_ENDIAN_32 = (
    "(CASE WHEN octet_length({0}) <> 4 THEN " + refuse("expected 4-byte input") + " ELSE"
    " CAST(CAST('0x' || hex({0}) AS BIGINT)"
    " - (CASE WHEN hex({0}) >= '8' THEN 4294967296 ELSE 0 END) AS INTEGER) END)"
)


def _from_utf8(call: Call, texts: Sequence[str]) -> str:
    if len(texts) > 1:
        raise NotSupported("from_utf8 with a replacement of your own", position=call.position)
    # TRY would hide an error of the argument, if that stood in it.
    return f"list_transform([{texts[0]}], lambda b_: coalesce(TRY(decode(b_)), {_BODY}from_utf8(b_)))[1]"


RENDERINGS: dict[str, Rendering] = {
    "to_utf8": "encode({0})",
    "from_utf8": _from_utf8,
    "to_hex": "hex({0})",
    "from_hex": _from_text(_FROM_HEX),
    "to_base64": "to_base64({0})",
    "from_base64": _from_text(_from_base64("+/", "{0}")),
    "to_base64url": "translate(to_base64({0}), '+/', '-_')",
    "from_base64url": _from_text(_from_base64("_-", "translate({0}, '-_', '+/')")),
    "from_base32": _from_text(f"{_BODY}from_base32({{0}})"),
    "to_big_endian_64": "unhex(lpad(hex({0}), 16, '0'))",
    "from_big_endian_64": shared(_FROM_BIG_ENDIAN_64),
    "to_big_endian_32": "unhex(right(lpad(hex({0}), 16, '0'), 8))",
    "from_big_endian_32": shared(_FROM_BIG_ENDIAN_32),
    "to_ieee754_32": f"{_BODY}to_ieee754_32(CAST({{0}} AS DOUBLE))",
    "from_ieee754_32": f"CAST({_BODY}from_ieee754_32({{0}}) AS FLOAT)",
}
