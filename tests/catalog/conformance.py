"""What every catalog must do. A backend's test file subclasses `CatalogConformance` and supplies
`catalog`, an empty catalog with the schema `default`, and `append`, which writes rows as others would."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.catalog import Catalog
from sqe.errors import AlreadyExists, NotFound, UserError
from sqe.tree import types as t
from sqe.tree.relations import TableName
from sqe.tree.statements import ColumnDefinition, CreateTable, PartitionField

DEFAULT = ("default",)
COLUMNS = (ColumnDefinition("id", t.BIGINT), ColumnDefinition("name", t.VARCHAR))
ROWS: list[dict[str, Any]] = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": None}]


def definition(
    catalog: Catalog,
    name: str,
    columns: tuple[ColumnDefinition, ...] = COLUMNS,
    *,
    namespace: tuple[str, ...] = DEFAULT,
    **more: Any,
) -> CreateTable:
    return CreateTable(TableName(catalog.name, namespace, name), columns, **more)


class CatalogConformance:
    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        raise NotImplementedError

    def test_a_new_catalog_has_the_schema_default_and_no_table(self, catalog: Catalog) -> None:
        assert catalog.namespaces() == [DEFAULT]
        assert catalog.tables(DEFAULT) == []

    def test_a_schema_is_created_and_dropped(self, catalog: Catalog) -> None:
        catalog.create_namespace(("sales",))
        assert catalog.namespaces() == [DEFAULT, ("sales",)]
        catalog.drop_namespace(("sales",))
        assert catalog.namespaces() == [DEFAULT]

    def test_a_schema_is_created_once(self, catalog: Catalog) -> None:
        catalog.create_namespace(("sales",))
        with pytest.raises(AlreadyExists) as error:
            catalog.create_namespace(("sales",))
        assert error.value.code == "SCHEMA_ALREADY_EXISTS"

    def test_nested_schemas_bring_their_parents(self, catalog: Catalog) -> None:
        catalog.create_namespace(("a", "b", "c"))
        assert catalog.namespaces() == [("a",), ("a", "b"), ("a", "b", "c"), DEFAULT]
        catalog.create_table(definition(catalog, "t", namespace=("a", "b")))
        assert catalog.tables(("a", "b")) == ["t"]
        assert catalog.tables(("a",)) == []
        assert catalog.find_table(("A", "B"), "T").name == TableName(catalog.name, ("a", "b"), "t")

    def test_a_schema_that_is_not_empty_is_dropped_only_with_cascade(self, catalog: Catalog) -> None:
        catalog.create_namespace(("sales",))
        catalog.create_table(definition(catalog, "t", namespace=("sales",)))
        with pytest.raises(UserError) as error:
            catalog.drop_namespace(("sales",))
        assert error.value.code == "SCHEMA_NOT_EMPTY"
        assert catalog.tables(("sales",)) == ["t"]
        catalog.drop_namespace(("sales",), cascade=True)
        assert catalog.namespaces() == [DEFAULT]

    def test_a_schema_with_a_schema_in_it_is_not_empty(self, catalog: Catalog) -> None:
        catalog.create_namespace(("a", "b"))
        catalog.create_namespace(("a2",))
        with pytest.raises(UserError) as error:
            catalog.drop_namespace(("a",))
        assert error.value.code == "SCHEMA_NOT_EMPTY"
        catalog.drop_namespace(("a",), cascade=True)
        assert catalog.namespaces() == [("a2",), DEFAULT]

    def test_a_missing_schema_is_named_with_the_nearest(self, catalog: Catalog) -> None:
        catalog.create_namespace(("marketing",))
        for lookup in (
            lambda: catalog.find_namespace(("markteing",)),
            lambda: catalog.find_table(("markteing",), "t"),
            lambda: catalog.drop_namespace(("markteing",)),
            lambda: catalog.create_table(definition(catalog, "t", namespace=("markteing",))),
        ):
            with pytest.raises(NotFound) as error:
                lookup()
            assert error.value.code == "SCHEMA_NOT_FOUND"
            assert "markteing" in error.value.message
            assert error.value.hint == "did you mean 'marketing'?"

    def test_a_missing_table_is_named_with_the_nearest(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "customers"))
        for lookup in (
            lambda: catalog.find_table(DEFAULT, "custmers"),
            lambda: catalog.drop_table(DEFAULT, "custmers"),
        ):
            with pytest.raises(NotFound) as error:
                lookup()
            assert error.value.code == "TABLE_NOT_FOUND"
            assert error.value.hint == "did you mean 'customers'?"

    def test_names_are_found_exactly_or_by_the_only_match_that_differs_in_case(
        self, catalog: Catalog
    ) -> None:
        catalog.create_namespace(("Sales",))
        catalog.create_table(definition(catalog, "Orders", namespace=("Sales",)))
        assert catalog.find_namespace(("SALES",)) == ("Sales",)
        assert catalog.find_table(("sales",), "ORDERS").name.name == "Orders"
        catalog.create_table(definition(catalog, "orders", namespace=("Sales",)))
        assert catalog.find_table(("sales",), "orders").name.name == "orders"
        assert catalog.find_table(("sales",), "Orders").name.name == "Orders"
        with pytest.raises(UserError) as error:
            catalog.find_table(("sales",), "ORDERS")
        assert error.value.code == "AMBIGUOUS_NAME"
        assert "quotes" in str(error.value)

    def test_what_may_not_be_seen_looks_absent(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "secrets"))
        catalog.create_table(definition(catalog, "open"))

        def visible(namespace: tuple[str, ...], table: str | None) -> bool:
            return table != "secrets"

        assert catalog.find_table(DEFAULT, "open", visible=visible)
        for name in ("secrets", "secret", "SECRETS"):
            with pytest.raises(NotFound) as error:
                catalog.find_table(DEFAULT, name, visible=visible)
            assert str(error.value) == f"table '{catalog.name}.default.{name}' does not exist"

    def test_a_table_is_what_the_statement_says(self, catalog: Catalog) -> None:
        made = catalog.create_table(
            definition(
                catalog,
                "events",
                (
                    ColumnDefinition("id", t.BIGINT, nullable=False, comment="the key"),
                    ColumnDefinition("at", t.Timestamp(6)),
                    ColumnDefinition("price", t.Decimal(12, 2)),
                    ColumnDefinition(
                        "items", t.Array(t.Row((t.RowField("sku", t.VARCHAR), t.RowField("n", t.INTEGER))))
                    ),
                    ColumnDefinition("tags", t.Map(t.VARCHAR, t.DOUBLE)),
                ),
                partitioning=(PartitionField("day", "at"), PartitionField("bucket", "id", 16)),
                properties=(("owner", "me"),),
                comment="what happened",
            )
        )
        table = catalog.find_table(DEFAULT, "events")
        assert table == made
        assert [(c.name, str(c.type), c.nullable, c.comment) for c in table.columns] == [
            ("id", "bigint", False, "the key"),
            ("at", "timestamp(6)", True, None),
            ("price", "decimal(12,2)", True, None),
            ("items", "array(row(sku varchar, n integer))", True, None),
            ("tags", "map(varchar, double)", True, None),
        ]
        assert [(p.name, p.transform, p.column) for p in table.partitioning] == [
            ("at_day", "day", "at"),
            ("id_bucket", "bucket[16]", "id"),
        ]
        assert table.properties["owner"] == "me"
        assert table.comment == "what happened"
        assert table.format_version == 2
        assert table.current_snapshot_id is None

    def test_a_table_is_created_once(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "t"))
        with pytest.raises(AlreadyExists) as error:
            catalog.create_table(definition(catalog, "t"))
        assert error.value.code == "TABLE_ALREADY_EXISTS"

    def test_rows_of_others_are_seen_at_once(self, catalog: Catalog) -> None:
        name = catalog.create_table(definition(catalog, "t")).name
        assert catalog.find_table(DEFAULT, "t").current_snapshot is None
        self.append(catalog, name, ROWS)
        snapshot = catalog.find_table(DEFAULT, "t").current_snapshot
        assert snapshot is not None
        assert (snapshot.operation, snapshot.summary["total-records"]) == ("append", "3")

    def test_the_past_is_found_by_time_and_by_name(self, catalog: Catalog) -> None:
        name = catalog.create_table(definition(catalog, "t")).name
        self.append(catalog, name, ROWS)
        first = catalog.find_table(DEFAULT, "t").current_snapshot
        assert first is not None
        self.append(catalog, name, ROWS)
        table = catalog.find_table(DEFAULT, "t")
        second = table.current_snapshot
        assert second is not None and second.parent_id == first.id
        assert table.snapshot_at(first.timestamp_ms - 1) is None
        assert table.snapshot_at(first.timestamp_ms) in (first.id, second.id)
        assert table.snapshot_at(second.timestamp_ms + 1) == second.id
        assert table.snapshot_of_ref("main") == second.id
        assert table.snapshot_of_ref("no-such") is None
        assert table.columns_at(first.id) == table.columns

    def test_a_dropped_table_is_gone(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "t"))
        catalog.drop_table(DEFAULT, "T")
        assert catalog.tables(DEFAULT) == []
        with pytest.raises(NotFound):
            catalog.find_table(DEFAULT, "t")

    def test_replacing_empties_and_redefines_and_keeps_the_past(self, catalog: Catalog) -> None:
        made = catalog.create_table(definition(catalog, "t", comment="old", properties=(("kept", "yes"),)))
        self.append(catalog, made.name, ROWS)
        before = catalog.find_table(DEFAULT, "t")
        catalog.create_table(
            definition(
                catalog,
                "t",
                (ColumnDefinition("id", t.VARCHAR), ColumnDefinition("day", t.DATE)),
                partitioning=(PartitionField("identity", "day"),),
                replace=True,
            )
        )
        after = catalog.find_table(DEFAULT, "t")
        assert [(c.name, str(c.type)) for c in after.columns] == [("id", "varchar"), ("day", "date")]
        assert not {c.field_id for c in before.columns} & {c.field_id for c in after.columns}
        assert after.current_snapshot is None
        assert after.uuid == before.uuid
        assert after.comment is None and after.properties["kept"] == "yes"
        assert before.current_snapshot_id is not None
        assert after.columns_at(before.current_snapshot_id) == before.columns

    def test_replacing_what_is_not_there_creates_it(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "t", replace=True))
        assert catalog.tables(DEFAULT) == ["t"]

    def test_every_row_is_deleted_and_counted(self, catalog: Catalog) -> None:
        name = catalog.create_table(definition(catalog, "t")).name
        assert catalog.delete_all(name) == 0
        self.append(catalog, name, ROWS)
        self.append(catalog, name, ROWS[:2])
        assert catalog.delete_all(name) == 5
        snapshot = catalog.find_table(DEFAULT, "t").current_snapshot
        assert snapshot is not None
        assert snapshot.summary["total-records"] == "0"
        assert catalog.delete_all(name) == 0

    def test_spark_is_told_of_this_catalog_alone(self, catalog: Catalog) -> None:
        prefix = f"spark.sql.catalog.{catalog.name}"
        assert catalog.spark_conf()[prefix] == "org.apache.iceberg.spark.SparkCatalog"
        assert all(key == prefix or key.startswith(prefix + ".") for key in catalog.spark_conf())
