"""The schemas of Flight SQL's metadata results.

Drivers compare them field by field, with nullability. Where the protocol's text and its implementations
differ (the order of the columns of a primary key), the implementations are followed.
"""

from __future__ import annotations

import pyarrow as pa


def _schema(*fields: tuple[str, pa.DataType] | tuple[str, pa.DataType, None]) -> pa.Schema:
    """A third part, None, marks a field that may be NULL."""
    return pa.schema([pa.field(f[0], f[1], nullable=len(f) == 3) for f in fields])


_TEXT, _INT32, _UINT8, _BOOL = pa.string(), pa.int32(), pa.uint8(), pa.bool_()

CATALOGS = _schema(("catalog_name", _TEXT))
DB_SCHEMAS = _schema(("catalog_name", _TEXT, None), ("db_schema_name", _TEXT))
TABLES = _schema(
    ("catalog_name", _TEXT, None),
    ("db_schema_name", _TEXT, None),
    ("table_name", _TEXT),
    ("table_type", _TEXT),
)
TABLES_WITH_SCHEMA = TABLES.append(pa.field("table_schema", pa.binary(), nullable=False))
TABLE_TYPES = _schema(("table_type", _TEXT))
PRIMARY_KEYS = _schema(
    ("catalog_name", _TEXT, None),
    ("db_schema_name", _TEXT, None),
    ("table_name", _TEXT),
    ("column_name", _TEXT),
    ("key_sequence", _INT32),
    ("key_name", _TEXT, None),
)
FOREIGN_KEYS = _schema(
    ("pk_catalog_name", _TEXT, None),
    ("pk_db_schema_name", _TEXT, None),
    ("pk_table_name", _TEXT),
    ("pk_column_name", _TEXT),
    ("fk_catalog_name", _TEXT, None),
    ("fk_db_schema_name", _TEXT, None),
    ("fk_table_name", _TEXT),
    ("fk_column_name", _TEXT),
    ("key_sequence", _INT32),
    ("fk_key_name", _TEXT, None),
    ("pk_key_name", _TEXT, None),
    ("update_rule", _UINT8),
    ("delete_rule", _UINT8),
)
XDBC_TYPES = _schema(
    ("type_name", _TEXT),
    ("data_type", _INT32),
    ("column_size", _INT32, None),
    ("literal_prefix", _TEXT, None),
    ("literal_suffix", _TEXT, None),
    ("create_params", pa.list_(pa.field("item", _TEXT, nullable=False)), None),
    ("nullable", _INT32),
    ("case_sensitive", _BOOL),
    ("searchable", _INT32),
    ("unsigned_attribute", _BOOL, None),
    ("fixed_prec_scale", _BOOL),
    ("auto_increment", _BOOL, None),
    ("local_type_name", _TEXT, None),
    ("minimum_scale", _INT32, None),
    ("maximum_scale", _INT32, None),
    ("sql_data_type", _INT32),
    ("datetime_subcode", _INT32, None),
    ("num_prec_radix", _INT32, None),
    ("interval_precision", _INT32, None),
)
# Drivers find the children by their position.
SQL_INFO_VALUE = pa.dense_union(
    [
        pa.field("string_value", _TEXT, nullable=False),
        pa.field("bool_value", _BOOL, nullable=False),
        pa.field("bigint_value", pa.int64(), nullable=False),
        pa.field("int32_bitmask", _INT32, nullable=False),
        pa.field("string_list", pa.list_(_TEXT), nullable=False),
        pa.field("int32_to_int32_list_map", pa.map_(_INT32, pa.list_(_INT32)), nullable=False),
    ],
    [0, 1, 2, 3, 4, 5],
)
SQL_INFO = _schema(("info_name", pa.uint32()), ("value", SQL_INFO_VALUE))
