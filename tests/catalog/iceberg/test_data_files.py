"""What manifests say is read as Iceberg means it, once, and kept."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import math
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastavro
import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import read_manifest_list
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.local_files import to_path
from tests.stored_tables import Lake

from sqe.catalog.iceberg import data_files
from sqe.catalog.iceberg.data_files import FileCache, TableFiles, scan_bytes
from sqe.catalog.iceberg.manifests import data_files as all_files
from sqe.catalog.iceberg.single_values import ordinal, value
from sqe.catalog.iceberg.table import Table
from sqe.engine.duckdb.pruning import kept_files
from sqe.engine.duckdb.table_kinds import Plain, kind_of
from sqe.errors import Unavailable
from sqe.tree.expressions import Call, Field, Literal, Ref
from sqe.tree.relations import Scan
from sqe.types import sql_types as t

D = decimal.Decimal
UTC = dt.UTC
TYPES = {
    "ok": BooleanType(), "i": IntegerType(), "id": LongType(), "r": FloatType(), "x": DoubleType(),
    "dec": DecimalType(12, 2), "big": DecimalType(38, 3), "d": DateType(), "at": TimeType(),
    "ts": TimestampType(), "tz": TimestamptzType(), "s": StringType(), "u": UUIDType(), "f": FixedType(3),
    "b": BinaryType(),
}  # fmt: skip
SCHEMA = Schema(*(NestedField(n, name, kind) for n, (name, kind) in enumerate(TYPES.items(), 1)))
LOW: dict[str, Any] = {
    "ok": False, "i": -(2**31), "id": -(2**63), "r": -1.5, "x": -1e300, "dec": D("-12.34"),
    "big": D("-99999999999999999999999999999999999.999"), "d": dt.date(1, 1, 1), "at": dt.time(0, 0, 0, 1),
    "ts": dt.datetime(1, 1, 1), "tz": dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), "s": "",
    "u": uuid.UUID(int=1).bytes, "f": b"\0\0\1", "b": b"",
}  # fmt: skip
HIGH: dict[str, Any] = {
    "ok": True, "i": 2**31 - 1, "id": 2**63 - 1, "r": 0.25, "x": 1e300, "dec": D("9999999999.99"),
    "big": D("99999999999999999999999999999999999.999"), "d": dt.date(9999, 12, 31),
    "at": dt.time(23, 59, 59, 999999), "ts": dt.datetime(9999, 12, 31, 23, 59, 59, 999999),
    "tz": dt.datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC), "s": "Zoë 😀", "u": uuid.UUID(int=2**128 - 1).bytes,
    "f": b"\xff\xff\xff", "b": b"\xff",
}  # fmt: skip


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(tmp_path)
    yield lake
    lake.close()


def typed(lake: Lake) -> Table:
    name = lake.create(SCHEMA)
    lake.append(name, {c: [LOW[c], None, HIGH[c]] for c in TYPES})
    return lake.table(name)


def test_bounds_of_every_type(lake: Lake) -> None:
    table = typed(lake)
    files = FileCache().files_of(table)
    assert (len(files), files.rows, files.formats, files.deletes) == (1, 3, frozenset({"PARQUET"}), ())
    assert files.bytes == to_path(files.locations[0]).stat().st_size == scan_bytes(files)
    [file] = all_files(table)
    for column in table.columns:
        low, high = LOW[column.name], HIGH[column.name]
        if column.name == "u":
            low, high = (str(uuid.UUID(bytes=v)) for v in (low, high))
        facts = files.facts(column.field_id, column.type)
        assert facts.any_null is True, column.name
        if facts.low is not None:
            assert (facts.low, facts.high) == (low, high), column.name
        assert (file.lower or {}).get(column.field_id) == facts.low
        assert (file.upper or {}).get(column.field_id) == facts.high
    known = [c.name for c in table.columns if files.facts(c.field_id, c.type).low is not None]
    # PyIceberg writes no bounds of the others.
    assert set(known) >= set(TYPES) - {"u", "f", "at"}


@pytest.mark.parametrize(("kind", "stored", "expected"), [
    (t.BOOLEAN, b"\x01", True),
    (t.BIGINT, b"\xff\xff\xff\xff", -1),
    (t.DOUBLE, b"\x00\x00\xc0\x3f", 1.5),
    (t.Decimal(20, 2), b"\xfb\x2e", D("-12.34")),
    (t.DATE, b"\xff\xff\xff\xff", dt.date(1969, 12, 31)),
    (t.Timestamp(6), b"\x01\x00\x00\x00", dt.datetime(1970, 1, 2)),
    (t.Timestamp(6), b"\xff" * 8, dt.datetime(1969, 12, 31, 23, 59, 59, 999999)),
    (t.TimestampTz(6), b"\x00" * 8, dt.datetime(1970, 1, 1, tzinfo=UTC)),
    (t.Time(6), b"\x01" + b"\x00" * 7, dt.time(0, 0, 0, 1)),
    (t.Timestamp(9), b"\x01" + b"\x00" * 7, 1),
    (t.UUID, bytes(16), "00000000-0000-0000-0000-000000000000"),
    (t.Fixed(2), b"\x00\xff", b"\x00\xff"),
    (t.VARCHAR, "é".encode(), "é"),
])  # fmt: skip
def test_values_are_read_in_wider_types_too(kind: t.Type, stored: bytes, expected: object) -> None:
    assert value(ordinal(stored, kind), kind) == expected


def test_nothing_is_made_of_bytes_that_are_no_value() -> None:
    for kind, stored in ((t.BIGINT, b""), (t.BIGINT, b"\0\0"), (t.DOUBLE, b"\0"), (t.Decimal(5, 2), b"")):
        with pytest.raises(ValueError, match="bytes are no"):
            ordinal(stored, kind)


def test_as_pyiceberg_reads_them(lake: Lake) -> None:
    table = typed(lake)
    snapshot = table.current_snapshot
    assert snapshot is not None and snapshot.manifest_list is not None
    io_ = PyArrowFileIO()
    theirs = [
        entry.data_file
        for manifest in read_manifest_list(io_.new_input(snapshot.manifest_list))
        for entry in manifest.fetch_manifest_entry(io_)
    ]
    assert [
        (f.location, f.format, f.record_count, f.size, f.value_counts, f.null_counts, f.nan_counts,
         f.column_sizes)
        for f in all_files(table)
    ] == [
        (f.file_path, f.file_format.value, f.record_count, f.file_size_in_bytes, f.value_counts,
         f.null_value_counts, f.nan_value_counts, f.column_sizes)
        for f in theirs
    ]  # fmt: skip


def test_facts_are_of_all_files_or_of_none(lake: Lake) -> None:
    name = lake.create(Schema(NestedField(1, "a", LongType()), NestedField(2, "x", DoubleType())))
    lake.append(name, {"a": [1, 2], "x": [1.0, 2.0]})
    lake.append(name, {"a": [7], "x": [math.nan]})
    files = FileCache().files_of(lake.table(name))
    facts = files.facts(1, t.BIGINT)
    assert (facts.any_null, facts.any_nan, facts.low, facts.high) == (False, False, 1, 7)
    facts = files.facts(2, t.DOUBLE)
    assert facts.any_null is False
    assert facts.any_nan is None, "PyIceberg does not count them"
    lake.append(name, {"a": [None], "x": [3.0]})
    facts = FileCache().files_of(lake.table(name)).facts(1, t.BIGINT)
    assert (facts.any_null, facts.low, facts.high) == (True, 1, 7)
    unknown = files.facts(99, t.BIGINT)
    assert (unknown.any_null, unknown.low, unknown.high) == (None, None, None)
    empty = TableFiles(()).facts(1, t.BIGINT)
    assert (empty.any_null, empty.low) == (False, None)


def test_a_new_snapshot_costs_its_new_manifests(lake: Lake) -> None:
    name = lake.create(SCHEMA)
    cache = FileCache()
    assert (len(cache.files_of(lake.table(name))), cache.manifests_read) == (0, 0)
    for number in range(1, 4):
        lake.append(name, {c: [HIGH[c]] for c in TYPES})
        assert (len(cache.files_of(lake.table(name))), cache.manifests_read) == (number, number)
    table = lake.table(name)
    assert cache.files_of(table) is cache.files_of(table)
    oldest = min(table.snapshots.values(), key=lambda s: s.timestamp_ms)
    assert len(cache.files_of(table, oldest.id)) == 1
    assert cache.manifests_read == 3


def test_what_was_used_last_is_kept(lake: Lake) -> None:
    names = [lake.create(SCHEMA) for _ in range(3)]
    for name in names:
        lake.append(name, {c: [HIGH[c]] for c in TYPES})
    tables = [lake.table(name) for name in names]
    cache = FileCache(most_bytes=8000)  # room for two tables of one file each, and for no manifest
    reads = []
    for number in (0, 0, 1, 1, 0, 2, 2, 0, 1):
        cache.files_of(tables[number])
        reads.append(cache.manifests_read)
        assert cache.bytes <= 8000
    assert reads == [1, 1, 2, 2, 2, 3, 3, 3, 4]


def test_a_table_that_changes_takes_no_more_room_than_its_last_version(lake: Lake) -> None:
    name = lake.create(SCHEMA)
    cache = FileCache()
    for _ in range(6):
        lake.append(name, {c: [HIGH[c]] for c in TYPES})
        cache.files_of(lake.table(name))
    fresh = FileCache()
    fresh.files_of(lake.table(name))
    assert cache.bytes == fresh.bytes


def test_many_threads_read_a_manifest_once(lake: Lake) -> None:
    name = lake.create(SCHEMA)
    for _ in range(5):
        lake.append(name, {c: [HIGH[c]] for c in TYPES})
    table, cache, together = lake.table(name), FileCache(), threading.Barrier(8)

    def read(_: int) -> TableFiles:
        together.wait()
        return cache.files_of(table)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(read, range(8)))
    assert all(files is found[0] for files in found)
    assert cache.manifests_read == 5


def test_damaged_manifests(lake: Lake) -> None:
    table = typed(lake)
    snapshot = table.current_snapshot
    assert snapshot is not None and snapshot.manifest_list is not None
    listed = to_path(snapshot.manifest_list)
    line: Any
    [line] = fastavro.reader(io.BytesIO(listed.read_bytes()))
    manifest = to_path(line["manifest_path"])
    for path in (manifest, listed):
        content = path.read_bytes()
        zeros = content[:-60] + bytes(20) + content[-40:]
        for damage in (b"", b"Obj\x01", content[:-50], content[:-1], zeros, b"\0" * 4096):
            path.write_bytes(damage)
            cache = FileCache()
            with pytest.raises(Unavailable, match=r"the manifests of table 'iceberg\.a\.t1' cannot be read"):
                cache.files_of(table)
            path.write_bytes(content)
            assert len(cache.files_of(table)) == 1, "a failure is not kept"
        path.unlink()
        with pytest.raises(Unavailable):
            FileCache().files_of(table)
        path.write_bytes(content)
    lost = replace(table, current_snapshot_id=5)
    with pytest.raises(Unavailable, match="has lost its snapshot 5"):
        FileCache().files_of(lost)


def test_a_date_outside_pythons_years(lake: Lake) -> None:
    name = lake.create(Schema(NestedField(1, "d", DateType())), partitioning="identity of d")
    lake.append(name, {"d": [dt.date(2024, 1, 1)]})
    table = multiplied(lake, name, 1, lambda n, file: file.update(
        partition={"part": 5_000_000},
        lower_bounds=[{"key": 1, "value": (5_000_000).to_bytes(4, "little")}],
        upper_bounds=[{"key": 1, "value": (5_000_000).to_bytes(4, "little")}],
    ))  # fmt: skip
    files = FileCache().files_of(table)
    assert files.facts(1, t.DATE).low is None
    ref = Ref(t.DATE, Field(1, "d", t.DATE))
    scan = Scan((ref.field,), table.name, ("d",))
    for op, kept in (("$gt", 1), ("$lt", 0)):
        condition = Call(t.BOOLEAN, op, (ref, Literal(t.DATE, dt.date(9999, 12, 31))))
        assert len(kept_files(scan, table, files, condition)) == kept


def multiplied(lake: Lake, name: str, count: int, change: Callable[[int, dict[str, Any]], None]) -> Table:
    """The table, its only file listed so often in its manifest, each time changed."""

    def entries(stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
        [entry] = stored
        many = [{**entry, "data_file": dict(entry["data_file"])} for _ in range(count)]
        for number, one in enumerate(many):
            change(number, one["data_file"])
        return many

    return lake.doctored(name, entries)


def test_ten_thousand_files_are_planned_like_a_hundred(lake: Lake) -> None:
    """Once they are known: no manifest is read, and nothing is done for each file."""

    def numbered(number: int, file: dict[str, Any]) -> None:
        low, high = (str(number * 10 + n).encode().rjust(8, b"0") for n in (0, 9))
        file["file_path"] = file["file_path"].replace(".parquet", f"-{number}.parquet")
        for bounds, n, text in (("lower_bounds", 0, low), ("upper_bounds", 9, high)):
            whole = (number * 10 + n).to_bytes(8, "little")
            file[bounds] = [{"key": 1, "value": whole}, {"key": 2, "value": text}]

    steps = {}
    for count in (100, 10_000):
        name = lake.create(Schema(NestedField(1, "id", LongType()), NestedField(2, "s", StringType())))
        lake.append(name, {"id": [1], "s": ["1"]})
        table = multiplied(lake, name, count, numbered)
        cache = FileCache()
        assert (len(cache.files_of(table)), cache.manifests_read) == (count, 1)
        fields = (Field(1, "id", t.BIGINT), Field(2, "s", t.VARCHAR))
        scan = Scan(fields, table.name, ("id", "s"))
        refs = [Ref(f.type, f) for f in fields]
        condition = Call(t.BOOLEAN, "$and", (
            Call(t.BOOLEAN, "$eq", (refs[0], Literal(t.BIGINT, 555))),
            Call(t.BOOLEAN, "$like", (refs[1], Literal(t.VARCHAR, "000005%"))),
        ))  # fmt: skip

        def plan(
            table: Table = table, cache: FileCache = cache, scan: Scan = scan, condition: Call = condition
        ) -> None:
            files = cache.files_of(table)
            assert isinstance(kind_of(table, files), Plain)
            kept = kept_files(scan, table, files, condition)
            assert list(kept) == [55]
            assert files.paths(kept)[0].endswith("-55.parquet")
            assert scan_bytes(files, kept) == files.bytes / len(files)

        plan()
        steps[count] = calls_of(plan)
        assert cache.manifests_read == 1
    assert steps[10_000] == steps[100]


def calls_of(function: Callable[[], None]) -> int:
    """How many calls of Python functions and of built-in ones it takes."""
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


SCRIPT = """
import sys
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.iceberg.data_files import FileCache
from sqe.catalog.iceberg.metadata_tables import columns, rows

table = EmbeddedCatalog("iceberg", sys.argv[1]).find_table(("a",), "t1")
assert len(FileCache().files_of(table)) == 1
for suffix in ("files", "manifests", "partitions"):
    assert columns(table, suffix) and len(list(rows(table, suffix))) == 1, suffix
print(sorted({"pyiceberg", "sqlalchemy", "pyarrow", "pyspark", "sqlglot"} & set(sys.modules)))
"""


def test_no_heavy_library_is_imported(lake: Lake, tmp_path: Path) -> None:
    typed(lake)
    root = Path(data_files.__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root)},
        check=True,
    )
    assert done.stdout.strip() == "[]"
