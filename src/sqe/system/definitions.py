"""The system tables: their schemas, columns and types, as Trino's clients expect them."""

from __future__ import annotations

from sqe.foundation.record import record
from sqe.types import sql_types as t

INFORMATION_SCHEMA = "information_schema"
SYSTEM = "system"

_INSTANT = t.TimestampTz(3)


@record
class SystemTable:
    """`hidden` columns can be named, and * does not show them."""

    schema: str
    name: str
    columns: tuple[tuple[str, t.Type], ...]
    hidden: frozenset[str] = frozenset()


def _table(schema: str, name: str, *columns: str | tuple[str, t.Type], hidden: str = "") -> SystemTable:
    """Columns without a type are varchar."""
    typed = tuple((c, t.VARCHAR) if isinstance(c, str) else c for c in columns)
    return SystemTable(schema, name, typed, frozenset(hidden.split()))


def _integers(*names: str) -> tuple[tuple[str, t.Type], ...]:
    return tuple((name, t.BIGINT) for name in names)


_PROPERTIES = ("catalog_name", "property_name", "default_value", "type", "description")

TABLES: dict[tuple[str, str], SystemTable] = {
    (table.schema, table.name): table
    for table in (
        _table(INFORMATION_SCHEMA, "schemata", "catalog_name", "schema_name"),
        _table(
            INFORMATION_SCHEMA,
            "tables",
            "table_catalog",
            "table_schema",
            "table_name",
            "table_type",
            "table_comment",
            hidden="table_comment",
        ),
        _table(
            INFORMATION_SCHEMA,
            "columns",
            "table_catalog",
            "table_schema",
            "table_name",
            "column_name",
            ("ordinal_position", t.BIGINT),
            "column_default",
            "is_nullable",
            "data_type",
            "comment",
            "column_comment",
            "extra_info",
            hidden="comment column_comment extra_info",
        ),
        _table(INFORMATION_SCHEMA, "views", "table_catalog", "table_schema", "table_name", "view_definition"),
        _table(INFORMATION_SCHEMA, "roles", "role_name"),
        _table(INFORMATION_SCHEMA, "enabled_roles", "role_name"),
        _table(
            INFORMATION_SCHEMA, "applicable_roles", "grantee", "grantee_type", "role_name", "is_grantable"
        ),
        _table(
            INFORMATION_SCHEMA,
            "table_privileges",
            "grantor",
            "grantor_type",
            "grantee",
            "grantee_type",
            "table_catalog",
            "table_schema",
            "table_name",
            "privilege_type",
            "is_grantable",
            "with_hierarchy",
        ),
        _table(
            "runtime",
            "queries",
            "query_id",
            "state",
            "user",
            "source",
            "query",
            ("resource_group_id", t.Array(t.VARCHAR)),
            *_integers("queued_time_ms", "analysis_time_ms", "planning_time_ms", "execution_time_ms"),
            ("created", _INSTANT),
            ("started", _INSTANT),
            ("last_heartbeat", _INSTANT),
            ("end", _INSTANT),
            *_integers("output_rows", "rows_written", "files_read", "files_skipped", "bytes_read"),
            "lane",
            "lane_reason",
            "error_type",
            "error_code",
        ),
        _table(
            "runtime", "nodes", "node_id", "http_uri", "node_version", ("coordinator", t.BOOLEAN), "state"
        ),
        _table("metadata", "catalogs", "catalog_name", "connector_id", "connector_name", "state"),
        _table("metadata", "table_comments", "catalog_name", "schema_name", "table_name", "comment"),
        _table("metadata", "table_properties", *_PROPERTIES),
        _table("metadata", "schema_properties", *_PROPERTIES),
        _table("metadata", "column_properties", *_PROPERTIES),
        _table("metadata", "analyze_properties", *_PROPERTIES),
        _table("metadata", "materialized_view_properties", *_PROPERTIES),
        _table(
            "metadata",
            "materialized_views",
            "catalog_name",
            "schema_name",
            "name",
            "storage_catalog",
            "storage_schema",
            "storage_table",
            "freshness",
            ("last_fresh_time", _INSTANT),
            "comment",
            "definition",
        ),
        _table("jdbc", "catalogs", "table_cat"),
        _table("jdbc", "schemas", "table_schem", "table_catalog"),
        _table("jdbc", "table_types", "table_type"),
        _table(
            "jdbc",
            "tables",
            "table_cat",
            "table_schem",
            "table_name",
            "table_type",
            "remarks",
            "type_cat",
            "type_schem",
            "type_name",
            "self_referencing_col_name",
            "ref_generation",
        ),
        _table(
            "jdbc",
            "columns",
            "table_cat",
            "table_schem",
            "table_name",
            "column_name",
            ("data_type", t.BIGINT),
            "type_name",
            *_integers("column_size", "buffer_length", "decimal_digits", "num_prec_radix", "nullable"),
            "remarks",
            "column_def",
            *_integers("sql_data_type", "sql_datetime_sub", "char_octet_length", "ordinal_position"),
            "is_nullable",
            "scope_catalog",
            "scope_schema",
            "scope_table",
            ("source_data_type", t.BIGINT),
            "is_autoincrement",
            "is_generatedcolumn",
        ),
        _table(
            "jdbc",
            "types",
            "type_name",
            *_integers("data_type", "precision"),
            "literal_prefix",
            "literal_suffix",
            "create_params",
            ("nullable", t.BIGINT),
            ("case_sensitive", t.BOOLEAN),
            ("searchable", t.BIGINT),
            ("unsigned_attribute", t.BOOLEAN),
            ("fixed_prec_scale", t.BOOLEAN),
            ("auto_increment", t.BOOLEAN),
            "local_type_name",
            *_integers(
                "minimum_scale", "maximum_scale", "sql_data_type", "sql_datetime_sub", "num_prec_radix"
            ),
        ),
        _table(
            "jdbc",
            "attributes",
            "type_cat",
            "type_schem",
            "type_name",
            "attr_name",
            ("data_type", t.BIGINT),
            "attr_type_name",
            *_integers("attr_size", "decimal_digits", "num_prec_radix", "nullable"),
            "remarks",
            "attr_def",
            *_integers("sql_data_type", "sql_datetime_sub", "char_octet_length", "ordinal_position"),
            "is_nullable",
            "scope_catalog",
            "scope_schema",
            "scope_table",
            ("source_data_type", t.BIGINT),
        ),
        _table(
            "jdbc",
            "procedures",
            "procedure_cat",
            "procedure_schem",
            "procedure_name",
            "remarks",
            ("procedure_type", t.BIGINT),
            "specific_name",
        ),
        _table(
            "jdbc",
            "procedure_columns",
            "procedure_cat",
            "procedure_schem",
            "procedure_name",
            "column_name",
            *_integers("column_type", "data_type"),
            "type_name",
            *_integers("precision", "length", "scale", "radix"),
            ("nullable", t.BIGINT),
            "remarks",
            "column_def",
            *_integers("sql_data_type", "sql_datetime_sub", "char_octet_length", "ordinal_position"),
            "is_nullable",
            "specific_name",
        ),
        _table(
            "jdbc",
            "pseudo_columns",
            "table_cat",
            "table_schem",
            "table_name",
            "column_name",
            *_integers("data_type", "column_size", "decimal_digits", "num_prec_radix"),
            "column_usage",
            "remarks",
            ("char_octet_length", t.BIGINT),
            "is_nullable",
        ),
        _table("jdbc", "super_tables", "table_cat", "table_schem", "table_name", "supertable_name"),
        _table(
            "jdbc",
            "super_types",
            "type_cat",
            "type_schem",
            "type_name",
            "supertype_cat",
            "supertype_schem",
            "supertype_name",
        ),
        _table(
            "jdbc",
            "udts",
            "type_cat",
            "type_schem",
            "type_name",
            "class_name",
            ("data_type", t.BIGINT),
            "remarks",
            ("base_type", t.BIGINT),
        ),
    )
}


def schemas_of(catalog: str) -> list[str]:
    """Those that the system adds to a catalog."""
    if catalog != SYSTEM:
        return [INFORMATION_SCHEMA]
    return sorted({schema for schema, _ in TABLES})


def find(catalog: str, schema: str, name: str) -> SystemTable | None:
    """A system table, in any case of its letters."""
    if schema.lower() not in schemas_of(catalog):
        return None
    return TABLES.get((schema.lower(), name.lower()))


def tables_in(schema: str) -> list[SystemTable]:
    return [TABLES[key] for key in sorted(TABLES) if key[0] == schema]
