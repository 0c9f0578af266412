"""CREATE TABLE as Iceberg metadata: a new table's first file, or the next file of a table it replaces."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from sqe.catalog.iceberg.metadata import NEWEST_VERSION
from sqe.catalog.iceberg.table import MAIN
from sqe.catalog.names import match, nearest
from sqe.errors import InvalidArgument, NotFound, NotSupported, UserError
from sqe.tree.definitions import PartitionField
from sqe.tree.statements import CreateTable
from sqe.types.iceberg import needs_version_3, to_iceberg

DEFAULT_VERSION = 2
# Trino's spellings of table properties that are not Iceberg's own.
_TRINO_PROPERTIES = {"format": "write.format.default", "format_version": "format-version"}
_FORMATS = ("parquet", "orc", "avro")
DEFAULT_CODEC = ("write.parquet.compression-codec", "zstd")
_PREVIOUS_VERSIONS = "write.metadata.previous-versions-max"
# Computed by engines, or the name of a class that a reader of the table would load.
RESERVED = {
    "uuid",
    "snapshot-count",
    "current-schema",
    "current-snapshot-id",
    "current-snapshot-summary",
    "current-snapshot-timestamp-ms",
    "default-partition-spec",
    "default-sort-order",
    "py-io-impl",
    "io-impl",
    "write.location-provider.impl",
    "write.py-location-provider.impl",
}
FIRST_PARTITION_ID = 1000
_TIME = {"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"}
_BUCKETED = _TIME | {"int", "long", "date", "time", "string", "uuid", "binary"}
_SUFFIX = {"identity": "", "bucket": "_bucket", "truncate": "_trunc"}


def new_metadata(statement: CreateTable, location: str) -> dict[str, Any]:
    """The first metadata of a table."""
    properties = table_properties(statement)
    requested_version = properties.pop("format-version", None)
    properties.setdefault(*DEFAULT_CODEC)
    ids = itertools.count(1)
    fields = _fields(statement, lambda: next(ids))
    version = _version(fields, requested_version, at_least=1)
    partitions = _partition_fields(statement, fields, first_id=FIRST_PARTITION_ID)
    order = _sort_fields(statement, fields)
    schema = {"type": "struct", "schema-id": 0, "fields": fields}
    return first_metadata(version, location, schema, next(ids) - 1, partitions, order, properties)


def first_metadata(
    version: int,
    location: str,
    schema: dict[str, Any],
    last_column_id: int,
    partitions: list[Any],
    order: list[Any],
    properties: dict[str, str],
) -> dict[str, Any]:
    """Of a table with one schema, one partition spec and one sort order."""
    order_id = 1 if order else 0
    raw = {
        **empty_metadata(version),
        "table-uuid": str(uuid.uuid4()),
        "location": location,
        "last-updated-ms": time.time_ns() // 1_000_000,
        "last-column-id": last_column_id,
        "schemas": [schema],
        "partition-specs": [{"spec-id": 0, "fields": partitions}],
        "last-partition-id": FIRST_PARTITION_ID - 1 + len(partitions),
        "default-sort-order-id": order_id,
        "sort-orders": [{"order-id": order_id, "fields": order}],
        "properties": properties,
    }
    return in_version(raw, version)


def empty_metadata(version: int) -> dict[str, Any]:
    """What there is before anything is said of a table."""
    return {
        "format-version": version,
        "table-uuid": "",
        "location": "",
        "last-sequence-number": 0,
        "last-updated-ms": 0,
        "last-column-id": 0,
        "current-schema-id": 0,
        "schemas": [],
        "default-spec-id": 0,
        "partition-specs": [],
        "last-partition-id": FIRST_PARTITION_ID - 1,
        "default-sort-order-id": 0,
        "sort-orders": [],
        "properties": {},
        "current-snapshot-id": None,
        "refs": {},
        "snapshots": [],
        "statistics": [],
        "partition-statistics": [],
        "snapshot-log": [],
        "metadata-log": [],
    }


def replacement(
    statement: CreateTable, base: dict[str, Any], *, base_location: str, location: str
) -> dict[str, Any]:
    """The metadata of a table that CREATE OR REPLACE has emptied and redefined.

    As Iceberg's own replace: the table keeps its uuid, its snapshots and its tags, and `main` starts
    anew. Columns get ids that were never used, so that nothing old is read as new. Properties stay
    unless the statement sets them; the comment is the statement's.
    """
    properties = table_properties(statement)
    requested_version = properties.pop("format-version", None)
    base_properties = {k: v for k, v in (base.get("properties") or {}).items() if k != "comment"}
    ids = itertools.count(int(base["last-column-id"]) + 1)
    fields = _fields(statement, lambda: next(ids))
    version = _version(fields, requested_version, at_least=int(base["format-version"]))
    last_partition = int(base.get("last-partition-id") or _last_partition_id(base))
    partitions = _partition_fields(statement, fields, first_id=last_partition + 1)

    raw = dict(base)
    schemas = list(base.get("schemas") or [{"schema-id": 0, **base["schema"]}])
    schema_id = 1 + max(int(s["schema-id"]) for s in schemas)
    specs = list(base.get("partition-specs") or [{"spec-id": 0, "fields": base.get("partition-spec") or []}])
    spec_id = next((s["spec-id"] for s in specs if not s["fields"] and not partitions), None)
    if spec_id is None:
        spec_id = 1 + max(int(s["spec-id"]) for s in specs)
        specs.append({"spec-id": spec_id, "fields": partitions})
    orders = list(base.get("sort-orders") or ())
    order = _sort_fields(statement, fields)
    order_id = 1 + max((int(o["order-id"]) for o in orders), default=0) if order else 0
    if not any(o["order-id"] == order_id for o in orders):
        orders.append({"order-id": order_id, "fields": order})
    raw.update(
        {
            "location": location,
            "last-updated-ms": max(time.time_ns() // 1_000_000, int(base["last-updated-ms"])),
            "last-column-id": next(ids) - 1,
            "current-schema-id": schema_id,
            "schemas": [*schemas, {"type": "struct", "schema-id": schema_id, "fields": fields}],
            "default-spec-id": spec_id,
            "partition-specs": specs,
            "last-partition-id": last_partition + len(partitions),
            "default-sort-order-id": order_id,
            "sort-orders": orders,
            "properties": base_properties | properties,
            "current-snapshot-id": None,
            "refs": {name: ref for name, ref in (base.get("refs") or {}).items() if name != MAIN},
            # Both belong to main, whose history ends here.
            "snapshot-log": [],
            "metadata-log": metadata_log(base, base_location, base_properties | properties),
        }
    )
    raw.setdefault("table-uuid", str(uuid.uuid4()))
    raw.setdefault("last-sequence-number", 0)
    return in_version(raw, version)


def complete(raw: dict[str, Any]) -> dict[str, Any]:
    """A copy with all that version 1 may leave out and later ones need."""
    schemas = [{"schema-id": 0, **s} for s in raw.get("schemas") or [raw["schema"]]]
    specs = raw.get("partition-specs") or [{"spec-id": 0, "fields": raw.get("partition-spec") or []}]
    return {
        "table-uuid": str(uuid.uuid4()),
        "last-sequence-number": 0,
        "current-schema-id": schemas[0]["schema-id"],
        "default-spec-id": specs[0]["spec-id"],
        "last-partition-id": _last_partition_id(raw),
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        **raw,
        "schemas": schemas,
        "partition-specs": specs,
    }


def in_version(raw: dict[str, Any], version: int) -> dict[str, Any]:
    """Sets what differs between the versions of the format."""
    raw["format-version"] = version
    if raw.get("current-snapshot-id") in (None, -1):
        # As Iceberg's Java library spells the absence.
        raw["current-snapshot-id"] = None if version >= 3 else -1
    raw.pop("schema", None)
    raw.pop("partition-spec", None)
    if version == 1:
        raw.pop("last-sequence-number", None)
        raw["schema"] = next(s for s in raw["schemas"] if s["schema-id"] == raw["current-schema-id"])
        raw["partition-spec"] = next(
            s["fields"] for s in raw["partition-specs"] if s["spec-id"] == raw["default-spec-id"]
        )
    if version >= 3:
        raw.setdefault("next-row-id", 0)
    return raw


def committed(raw: dict[str, Any], base: dict[str, Any], base_location: str) -> dict[str, Any]:
    """The metadata after a change of `base`, with what each commit records."""
    return {
        **raw,
        "last-updated-ms": max(time.time_ns() // 1_000_000, int(base["last-updated-ms"])),
        "metadata-log": metadata_log(base, base_location, raw.get("properties") or {}),
    }


def metadata_log(base: dict[str, Any], location: str, properties: dict[str, str]) -> list[Any]:
    log = [
        *(base.get("metadata-log") or ()),
        {"timestamp-ms": base["last-updated-ms"], "metadata-file": location},
    ]
    try:
        length = max(1, int(properties.get(_PREVIOUS_VERSIONS, "100")))
    except ValueError:
        length = 100
    return log[-length:]


def _last_partition_id(base: dict[str, Any]) -> int:
    specs = [s["fields"] for s in base.get("partition-specs") or ()] or [base.get("partition-spec") or []]
    return max(
        (int(f.get("field-id", FIRST_PARTITION_ID + i)) for fields in specs for i, f in enumerate(fields)),
        default=FIRST_PARTITION_ID - 1,
    )


def table_properties(statement: CreateTable) -> dict[str, str]:
    """The properties of a CREATE TABLE as Iceberg spells them, checked; for engines that create it, too."""
    properties = checked_properties(dict(statement.properties))
    if statement.comment is not None:
        properties["comment"] = statement.comment
    return properties


def checked_properties(properties: Mapping[str, str]) -> dict[str, str]:
    checked = {_TRINO_PROPERTIES.get(key, key): value for key, value in properties.items()}
    for key in checked:
        if key in RESERVED:
            raise InvalidArgument(f"the table property '{key}' cannot be set", code="INVALID_TABLE_PROPERTY")
        if key.lower().startswith("encryption."):
            raise NotSupported(
                f"the table property '{key}' would have no effect: tables are not encrypted by SQE",
                code="INVALID_TABLE_PROPERTY",
            )
    if (file_format := checked.get("write.format.default")) is not None:
        if file_format.lower() not in _FORMATS:
            raise InvalidArgument(
                f"the file format '{file_format}' does not exist",
                code="INVALID_TABLE_PROPERTY",
                hint=f"one of {', '.join(_FORMATS)}",
            )
        checked["write.format.default"] = file_format.lower()
    return checked


def _version(fields: list[dict[str, Any]], requested: str | None, *, at_least: int) -> int:
    newer = [f["name"] for f in fields if needs_version_3(f["type"])]
    if requested is None:
        return max(at_least, 3 if newer else DEFAULT_VERSION)
    version = next_version_of(requested, at_least=at_least)
    if newer and version < 3:
        raise NotSupported(
            f"column '{newer[0]}': its type needs format version 3", hint="set format-version to 3"
        )
    return version


def next_version_of(requested: str, *, at_least: int) -> int:
    """The number of a requested format version, for a table that has version `at_least`."""
    if requested not in [str(v) for v in range(1, NEWEST_VERSION + 1)]:
        raise InvalidArgument(
            f"the Iceberg format version '{requested}' does not exist",
            code="INVALID_TABLE_PROPERTY",
            hint=f"format-version is a number from 1 to {NEWEST_VERSION}",
        )
    version = int(requested)
    if version < at_least:
        raise NotSupported(f"the table has format version {at_least}, and cannot go back to {version}")
    return version


def _fields(statement: CreateTable, next_id: Callable[[], int]) -> list[dict[str, Any]]:
    if not statement.columns:
        raise UserError(f"table '{statement.table}' needs a column", code="MISSING_COLUMN_NAME")
    seen = set()
    for column in statement.columns:
        if not column.name:
            raise UserError("a column needs a name", code="MISSING_COLUMN_NAME")
        if column.name in seen:
            raise UserError(f"column '{column.name}' is defined twice", code="DUPLICATE_COLUMN_NAME")
        seen.add(column.name)
    fields = []
    ids = [next_id() for _ in statement.columns]
    for field_id, column in zip(ids, statement.columns, strict=True):
        field = {
            "id": field_id,
            "name": column.name,
            "required": not column.nullable,
            "type": to_iceberg(column.type, next_id, column=column.name),
        }
        if column.comment is not None:
            field["doc"] = column.comment
        fields.append(field)
    return fields


def _partition_fields(
    statement: CreateTable, fields: list[dict[str, Any]], *, first_id: int
) -> list[dict[str, Any]]:
    sources = _sources(fields)
    partitions: list[dict[str, Any]] = []
    used = set()
    for number, partition in enumerate(statement.partitioning):
        name = match(partition.column, sources, kind="column")
        if name is None:
            raise NotFound(
                f"column '{partition.column}' of the partitioning does not exist",
                code="COLUMN_NOT_FOUND",
                hint=nearest(partition.column, sources),
            )
        source_id, stored = sources[name]
        target = name + _SUFFIX.get(partition.transform, f"_{partition.transform}")
        transform = _transform(partition, name, stored)
        # Iceberg refuses two of the same kind over one column, and a name that is a column's.
        kind = "time" if partition.transform in ("year", "month", "day", "hour") else partition.transform
        if (source_id, kind) in used or any(p["name"] == target for p in partitions):
            raise UserError(f"column '{name}' is partitioned twice by {kind}", code="INVALID_TABLE_PROPERTY")
        if target != name and target in sources:
            raise UserError(
                f"the partition field '{target}' would have the name of a column",
                code="INVALID_TABLE_PROPERTY",
                hint="rename that column",
            )
        used.add((source_id, kind))
        partitions.append(
            {"source-id": source_id, "field-id": first_id + number, "name": target, "transform": transform}
        )
    return partitions


def _sort_fields(statement: CreateTable, fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sources = _sources(fields)
    sort_fields = []
    for key in statement.sort_order:
        name = match(key.column, sources, kind="column")
        if name is None:
            raise NotFound(
                f"column '{key.column}' of the sort order does not exist",
                code="COLUMN_NOT_FOUND",
                hint=nearest(key.column, sources),
            )
        source_id, stored = sources[name]
        if isinstance(stored, dict):
            raise NotSupported(f"a table cannot be sorted by '{name}': it is no plain value")
        sort_fields.append(
            {
                "transform": "identity",
                "source-id": source_id,
                "direction": "desc" if key.descending else "asc",
                "null-order": "nulls-first" if key.nulls_first else "nulls-last",
            }
        )
    return sort_fields


def _sources(fields: list[dict[str, Any]], prefix: str = "") -> dict[str, tuple[int, Any]]:
    """Every column, and every field of a row as `column.field`, with its id and type."""
    sources: dict[str, tuple[int, Any]] = {}
    for field in fields:
        name = prefix + field["name"]
        sources[name] = (field["id"], field["type"])
        if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
            sources |= _sources(field["type"]["fields"], name + ".")
    return sources


def _transform(partition: PartitionField, column: str, stored: Any) -> str:
    kind = "nested" if isinstance(stored, dict) else stored.split("(")[0].split("[")[0]
    allowed = {
        "identity": _BUCKETED | {"boolean", "float", "double", "decimal", "fixed"},
        "bucket": _BUCKETED | {"decimal", "fixed"},
        "truncate": {"int", "long", "decimal", "string", "binary"},
        "year": _TIME | {"date"},
        "month": _TIME | {"date"},
        "day": _TIME | {"date"},
        "hour": _TIME,
    }.get(partition.transform)
    if allowed is None:
        raise NotSupported(
            f"the partition transform '{partition.transform}' does not exist",
            hint="identity, bucket, truncate, year, month, day or hour",
        )
    if kind not in allowed:
        raise NotSupported(
            f"column '{column}' cannot be partitioned by {partition.transform}: it is a {kind}"
        )
    if partition.transform not in ("bucket", "truncate"):
        return partition.transform
    if partition.argument is None or not 0 < partition.argument < 2**31:
        raise InvalidArgument(f"{partition.transform} of column '{column}' needs a number above zero")
    return f"{partition.transform}[{partition.argument}]"
