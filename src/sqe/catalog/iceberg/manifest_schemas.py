"""The Avro schemas of manifests of data files and their lists, as Iceberg's versions 1 and 2 have them, and
files by them."""

from __future__ import annotations

import io
from typing import Any

from sqe.catalog.iceberg.manifests import PARTITION_ID

Raw = dict[str, Any]


def entry_schema(version: int, partition: Raw) -> Raw:
    """Of a manifest; `partition` is the Avro type of its partitions."""
    counts = {
        "column_sizes": (108, 117, 118),
        "value_counts": (109, 119, 120),
        "null_value_counts": (110, 121, 122),
        "nan_value_counts": (137, 138, 139),
    }
    bounds = {"lower_bounds": (125, 126, 127), "upper_bounds": (128, 129, 130)}
    file = [
        *([_field(134, "content", "int")] if version > 1 else []),
        _field(100, "file_path", "string"),
        _field(101, "file_format", "string"),
        _field(PARTITION_ID, "partition", partition),
        _field(103, "record_count", "long"),
        _field(104, "file_size_in_bytes", "long"),
        *([_field(105, "block_size_in_bytes", "long")] if version == 1 else []),
        *(_field(i, name, _map(k, v, "long"), optional=True) for name, (i, k, v) in counts.items()),
        *(_field(i, name, _map(k, v, "bytes"), optional=True) for name, (i, k, v) in bounds.items()),
        _field(131, "key_metadata", "bytes", optional=True),
        _field(132, "split_offsets", {"type": "array", "items": "long", "element-id": 133}, optional=True),
        _field(140, "sort_order_id", "int", optional=True),
    ]
    numbers = [
        _field(3, "sequence_number", "long", optional=True),
        _field(4, "file_sequence_number", "long", optional=True),
    ]
    return _record(
        "manifest_entry",
        [
            _field(0, "status", "int"),
            _field(1, "snapshot_id", "long", optional=version > 1),
            *(numbers if version > 1 else []),
            _field(2, "data_file", _record("r2", file)),
        ],
    )


def list_schema(version: int) -> Raw:
    """Of a manifest list."""
    counts = {
        "added_files_count": (504, "int"),
        "existing_files_count": (505, "int"),
        "deleted_files_count": (506, "int"),
        "added_rows_count": (512, "long"),
        "existing_rows_count": (513, "long"),
        "deleted_rows_count": (514, "long"),
    }
    summary = _record(
        "r508",
        [
            _field(509, "contains_null", "boolean"),
            _field(518, "contains_nan", "boolean", optional=True),
            _field(510, "lower_bound", "bytes", optional=True),
            _field(511, "upper_bound", "bytes", optional=True),
        ],
    )
    numbers = [
        _field(517, "content", "int"),
        _field(515, "sequence_number", "long"),
        _field(516, "min_sequence_number", "long"),
    ]
    return _record(
        "manifest_file",
        [
            _field(500, "manifest_path", "string"),
            _field(501, "manifest_length", "long"),
            _field(502, "partition_spec_id", "int"),
            *(numbers if version > 1 else []),
            _field(503, "added_snapshot_id", "long"),
            *(_field(i, name, kind, optional=version == 1) for name, (i, kind) in counts.items()),
            _field(507, "partitions", {"type": "array", "items": summary, "element-id": 508}, optional=True),
            _field(519, "key_metadata", "bytes", optional=True),
        ],
    )


def avro_file(schema: Raw, records: list[Raw], header: dict[str, str]) -> bytes:
    import fastavro

    content = io.BytesIO()
    fastavro.writer(content, schema, records, codec="deflate", metadata=header)
    return content.getvalue()


def _record(name: str, fields: list[Raw]) -> Raw:
    return {"type": "record", "name": name, "fields": fields}


def _field(field_id: int, name: str, kind: Any, *, optional: bool = False) -> Raw:
    if optional:
        return {"name": name, "type": ["null", kind], "default": None, "field-id": field_id}
    return {"name": name, "type": kind, "field-id": field_id}


def _map(key_id: int, value_id: int, value: str) -> Raw:
    pair = _record(f"k{key_id}_v{value_id}", [_field(key_id, "key", "int"), _field(value_id, "value", value)])
    return {"type": "array", "items": pair, "logicalType": "map"}
