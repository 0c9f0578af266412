"""What each mask shows of each type of column, on both lanes; the bytes are those that Iceberg prescribes."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import struct
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.catalog.iceberg.table import Column
from sqe.errors import UserError
from sqe.policy.masks import MASKS, mask_rule
from sqe.tree.rules import Mask
from sqe.types import sql_types as t

pytestmark = pytest.mark.spark
KEY = b"a key's bytes"
TEXTS = ["Añ (12)-3@x", "abc", "abcd", "", None, "😀😀😀😀😀1", "ab\nc1d"]
INTEGERS = [42, -1, 2147483647, None]
LONGS = [42, -1, 2**63 - 1, None]
BYTES = [b"\x01\x02", b"", None]
DAYS = [dt.date(2024, 5, 17), dt.date(1969, 12, 31), None]
MOMENTS = [dt.datetime(2024, 5, 17, 10, 11, 12, 123456), dt.datetime(1960, 2, 3), None]
ZONED = [None if m is None else m.replace(tzinfo=dt.UTC) for m in MOMENTS]
COLUMNS: dict[str, tuple[t.Type, list[Any]]] = {
    "s": (t.VARCHAR, TEXTS),
    "i": (t.INTEGER, INTEGERS),
    "b": (t.BIGINT, LONGS),
    "v": (t.VARBINARY, BYTES),
    "d": (t.DATE, DAYS),
    "ts": (t.Timestamp(6), MOMENTS),
    "tz": (t.TimestampTz(6, "UTC"), ZONED),
    "dc": (t.Decimal(10, 2), [Decimal("12345678.90"), None]),
    "x": (t.DOUBLE, [1.5, None]),
    "o": (t.BOOLEAN, [True, None]),
}
FIXED = {
    "s": "XXXXXXXX", "i": 999999999, "b": 999999999, "v": b"", "d": dt.date(9999, 12, 31),
    "ts": dt.datetime(9999, 12, 31), "tz": dt.datetime(9999, 12, 31, tzinfo=dt.UTC), "dc": Decimal("0.00"),
    "x": 0.0, "o": False,
}  # fmt: skip


def stand_in(character: str) -> str:
    if character in "0123456789":
        return "n"
    return character if character in "(),.-@" else "x"


def stand_ins(text: str) -> str:
    return "".join(map(stand_in, text))


def sha(column: str, value: Any) -> Any:
    match column:
        case "s":
            return hashlib.sha256(value.encode()).hexdigest()
        case "i":
            return struct.unpack("<i", hashlib.sha256(struct.pack("<i", value)).digest()[:4])[0]
        case "b":
            return struct.unpack("<q", hashlib.sha256(struct.pack("<q", value)).digest()[:8])[0]
        case "v":
            return hashlib.sha256(value).digest()
    return None


def truncated(column: str, value: Any, **parts: int) -> Any:
    if column not in ("d", "ts", "tz"):
        return None
    day = value.replace(**parts)
    return day if column == "d" else day.replace(hour=0, minute=0, second=0, microsecond=0)


def expected(mask: str, column: str, value: Any) -> Any:
    if value is None:
        return None
    is_text = column == "s"
    match mask:
        case "redact":
            return "***" if is_text else None
        case "hash":
            return hmac.new(KEY, value.encode(), hashlib.sha256).hexdigest() if is_text else None
        case "mask-alphanum":
            return stand_ins(value) if is_text else None
        case "mask-to-fixed-value":
            return FIXED[column]
        case "show-first-4":
            return value[:4] + stand_ins(value[4:]) if is_text else None
        case "show-last-4":
            kept = max(0, len(value) - 4) if is_text else 0
            return stand_ins(value[:kept]) + value[kept:] if is_text else None
        case "truncate-to-year":
            return truncated(column, value, month=1, day=1)
        case "truncate-to-month":
            return truncated(column, value, day=1)
        case "sha-256-global":
            return sha(column, value)
    return None


@pytest.fixture(scope="module", params=["fast", "spark"])
def home(request: pytest.FixtureRequest, connect: object) -> Iterator[Connection]:
    connection: Connection = connect(memory=True)  # type: ignore[operator]
    for name, (type_, values) in COLUMNS.items():
        connection.execute(f"CREATE TABLE IF NOT EXISTS of_{name} (n bigint, {name} {type_})")
        connection.executemany(f"INSERT INTO of_{name} VALUES (?, ?)", list(enumerate(values)))
    connection.execute(f"SET SESSION lane = '{request.param}'")
    yield connection
    connection.execute("RESET SESSION lane")
    for name in COLUMNS:
        connection.execute(f"DROP TABLE of_{name}")


def shown(home: Connection, mask: str, name: str) -> list[Any]:
    type_, _ = COLUMNS[name]
    sql = mask_rule(Mask(mask, "***", KEY), Column(name, type_, True, None, 2)).sql
    rows = home.execute(f"SELECT CAST({sql} AS {type_}) FROM of_{name} ORDER BY n").fetchall()
    return [row[0] for row in rows]


@pytest.mark.parametrize("mask", sorted(set(MASKS) - {"sha-256-query-local"}))
def test_a_mask_shows_what_it_should_of_every_type(home: Connection, mask: str) -> None:
    for name, (_, values) in COLUMNS.items():
        assert shown(home, mask, name) == [expected(mask, name, value) for value in values], name


def test_a_hash_for_one_query_is_another_in_the_next(home: Connection) -> None:
    for name in ("s", "i", "b", "v"):
        first, second = (shown(home, "sha-256-query-local", name) for _ in range(2))
        assert [value is None for value in first] == [value is None for value in COLUMNS[name][1]]
        assert all(a != b for a, b in zip(first, second, strict=True) if a is not None)


def test_a_mask_that_there_is_not_is_named() -> None:
    with pytest.raises(UserError, match="there is no mask 'blur'"):
        mask_rule(Mask("blur"), Column("s", t.VARCHAR, True, None, 1))


@pytest.mark.parametrize("mask", sorted(MASKS))
def test_a_short_column_stays_as_short(mask: str) -> None:
    sql = mask_rule(Mask(mask, "it's", KEY), Column('a"b', t.Varchar(5), True, None, 1)).sql
    assert sql.endswith("AS varchar(5))")
    assert mask != "redact" or "'it''s'" in sql
