"""What a mask shows in the place of a value: an expression over the column, of the column's own type.

Those with Iceberg's names are what a REST catalog asks of its readers, byte for byte. NULL stays NULL, and a
mask that does not apply to a column's type shows NULL.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from sqe.catalog.iceberg.table import Column
from sqe.errors import UserError
from sqe.foundation.identifiers import quoted
from sqe.tree.rules import Mask, Rule
from sqe.types import sql_types as t

SALT_BYTES = 16
# Digits and everything else but these six have stand-ins.
_OTHERS = r"[^0-9(),.\-@]"
_FIXED: dict[t.Type, str] = {
    t.BOOLEAN: "false",
    t.INTEGER: "999999999",
    t.BIGINT: "999999999",
    t.REAL: "REAL '0'",
    t.DOUBLE: "DOUBLE '0'",
    t.DATE: "DATE '9999-12-31'",
    t.VARBINARY: "X''",
    t.UUID: "UUID '00000000-0000-0000-0000-000000000000'",
}


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def mask_rule(mask: Mask, column: Column) -> Rule:
    make = MASKS.get(mask.name)
    if make is None:
        raise UserError(
            f"there is no mask '{mask.name}'",
            code="INVALID_MASK",
            hint=f"there are {', '.join(sorted(MASKS))}",
        )
    value = quoted(column.name)
    shown = make(value, column.type, mask.text, mask.key)
    sql = "NULL" if shown is None else f"IF({value} IS NULL, NULL, {shown})"
    # A value of no more characters than the column has.
    if isinstance(column.type, (t.Varchar, t.Char)) and column.type.length is not None:
        sql = f"CAST({sql} AS {column.type})"
    return Rule(sql, ((column.name, column.field_id),))


Made = str | None
Make = Callable[[str, t.Type, str, bytes], Made]


def _nothing(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    return None


def _redact(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    return literal(text) if _is_text(type_) else None


def _fixed(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    match type_:
        case t.Varchar() | t.Char():
            return literal("XXXXXXXX")
        case t.Decimal(precision, scale):
            return f"CAST(0 AS decimal({precision}, {scale}))"
        case t.Timestamp():
            return f"CAST(TIMESTAMP '9999-12-31 00:00:00' AS {type_})"
        case t.TimestampTz():
            return f"CAST(TIMESTAMP '9999-12-31 00:00:00 UTC' AS {type_})"
        case t.Time():
            return f"CAST(TIME '00:00:00' AS {type_})"
    return _FIXED.get(type_)


def _alphanumeric(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    return _stand_ins(value) if _is_text(type_) else None


def _first_four(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    return f"substr({value}, 1, 4) || {_stand_ins(f'substr({value}, 5)')}" if _is_text(type_) else None


def _last_four(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    if not _is_text(type_):
        return None
    before = _stand_ins(f"substr({value}, 1, length({value}) - 4)")
    return f"IF(length({value}) <= 4, {value}, {before} || substr({value}, length({value}) - 3))"


def _truncated(unit: str) -> Make:
    def make(value: str, type_: t.Type, text: str, key: bytes) -> Made:
        if isinstance(type_, t.TimestampTz):
            # Of the day in UTC, whatever zone the session has.
            return f"CAST(date_trunc('{unit}', {value} AT TIME ZONE 'UTC') AS {type_})"
        of_days = type_ == t.DATE or isinstance(type_, t.Timestamp)
        return f"date_trunc('{unit}', {value})" if of_days else None

    return make


def _hash(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    if not _is_text(type_):
        return None
    data = f"to_utf8({value})"
    digest = f"hmac_sha256({data}, X'{key.hex()}')" if key else f"sha256({data})"
    return f"lower(to_hex({digest}))"


def _sha_256(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    return _sha_256_of(value, type_, "")


def _sha_256_of_query(value: str, type_: t.Type, text: str, key: bytes) -> Made:
    return _sha_256_of(value, type_, f"X'{secrets.token_hex(SALT_BYTES)}' || ")


def _sha_256_of(value: str, type_: t.Type, salt: str) -> Made:
    """Numbers are hashed, and made of the hash, with their lowest byte first."""
    if _is_text(type_):
        return f"lower(to_hex(sha256({salt}to_utf8({value}))))"
    if type_ == t.INTEGER:
        return f"from_big_endian_32(reverse(substr(sha256({salt}reverse(to_big_endian_32({value}))), 1, 4)))"
    if type_ == t.BIGINT:
        return f"from_big_endian_64(reverse(substr(sha256({salt}reverse(to_big_endian_64({value}))), 1, 8)))"
    return f"sha256({salt}{value})" if type_ == t.VARBINARY else None


def _stand_ins(value: str) -> str:
    return f"regexp_replace(regexp_replace({value}, '{_OTHERS}', 'x'), '[0-9]', 'n')"


def _is_text(type_: t.Type) -> bool:
    return isinstance(type_, (t.Varchar, t.Char))


MASKS: dict[str, Make] = {
    "nullify": _nothing,
    "redact": _redact,
    "hash": _hash,
    "mask-alphanum": _alphanumeric,
    "mask-to-fixed-value": _fixed,
    "replace-with-null": _nothing,
    "show-first-4": _first_four,
    "show-last-4": _last_four,
    "truncate-to-year": _truncated("year"),
    "truncate-to-month": _truncated("month"),
    "sha-256-global": _sha_256,
    "sha-256-query-local": _sha_256_of_query,
}
