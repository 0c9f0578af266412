"""Drivers compare the schemas of metadata with those of the protocol, nullability included."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.metadata import COMMANDS

FOREIGN_KEYS = """
pk_catalog_name: string
pk_db_schema_name: string
pk_table_name: string not null
pk_column_name: string not null
fk_catalog_name: string
fk_db_schema_name: string
fk_table_name: string not null
fk_column_name: string not null
key_sequence: int32 not null
fk_key_name: string
pk_key_name: string
update_rule: uint8 not null
delete_rule: uint8 not null
"""

TABLES = """
catalog_name: string
db_schema_name: string
table_name: string not null
table_type: string not null
"""

EXPECTED: list[tuple[Any, str]] = [
    (sql.CommandGetCatalogs(), "catalog_name: string not null"),
    (sql.CommandGetDbSchemas(), "catalog_name: string\ndb_schema_name: string not null"),
    (sql.CommandGetTables(), TABLES),
    (sql.CommandGetTables(include_schema=True), TABLES + "table_schema: binary not null"),
    (sql.CommandGetTableTypes(), "table_type: string not null"),
    (
        sql.CommandGetPrimaryKeys(),
        """
catalog_name: string
db_schema_name: string
table_name: string not null
column_name: string not null
key_sequence: int32 not null
key_name: string
""",
    ),
    (sql.CommandGetExportedKeys(), FOREIGN_KEYS),
    (sql.CommandGetImportedKeys(), FOREIGN_KEYS),
    (sql.CommandGetCrossReference(), FOREIGN_KEYS),
    (
        sql.CommandGetXdbcTypeInfo(),
        """
type_name: string not null
data_type: int32 not null
column_size: int32
literal_prefix: string
literal_suffix: string
create_params: list<item: string not null>
  child 0, item: string not null
nullable: int32 not null
case_sensitive: bool not null
searchable: int32 not null
unsigned_attribute: bool
fixed_prec_scale: bool not null
auto_increment: bool
local_type_name: string
minimum_scale: int32
maximum_scale: int32
sql_data_type: int32 not null
datetime_subcode: int32
num_prec_radix: int32
interval_precision: int32
""",
    ),
]


def test_every_metadata_command_is_answered() -> None:
    named = {name for name in vars(sql) if name.startswith("CommandGet")}
    assert {command.__name__ for command in COMMANDS} == named


@pytest.mark.parametrize(("command", "expected"), EXPECTED, ids=lambda value: type(value).__name__)
def test_schema(command: Any, expected: str) -> None:
    assert COMMANDS[type(command)].schema(command).to_string() == expected.strip()


def test_the_union_of_sql_info() -> None:
    """Drivers find the children by their positions and type codes."""
    schema = COMMANDS[sql.CommandGetSqlInfo].schema(sql.CommandGetSqlInfo())
    assert schema.field("info_name").equals(pa.field("info_name", pa.uint32(), nullable=False))
    value = schema.field("value")
    assert value.type.mode == "dense" and not value.nullable
    assert value.type.type_codes == [0, 1, 2, 3, 4, 5]
    assert [value.type.field(i) for i in range(6)] == [
        pa.field("string_value", pa.string(), nullable=False),
        pa.field("bool_value", pa.bool_(), nullable=False),
        pa.field("bigint_value", pa.int64(), nullable=False),
        pa.field("int32_bitmask", pa.int32(), nullable=False),
        pa.field("string_list", pa.list_(pa.string()), nullable=False),
        pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32())), nullable=False),
    ]
