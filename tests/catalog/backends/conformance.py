"""What every catalog must do. A backend's test file subclasses `CatalogConformance`, and the classes below
it that it can, and supplies `catalog`, an empty catalog with the schema `default`, and `append`, which
writes rows as others would."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sqe.catalog.iceberg.commits import RequirementFailed
from sqe.catalog.iceberg.table import TableCommit
from sqe.catalog.iceberg.view import ViewDefinition
from sqe.catalog.protocol import Catalog
from sqe.errors import AlreadyExists, NotFound, NotSupported, TypeMismatch, UserError
from sqe.tree import changes as c
from sqe.tree.definitions import ColumnDefinition, PartitionField, SortField
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable
from sqe.types import sql_types as t

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


def view_definition(
    catalog: Catalog,
    name: str,
    sql: str = "SELECT 1 AS a",
    *,
    namespace: tuple[str, ...] = DEFAULT,
    **more: Any,
) -> ViewDefinition:
    return ViewDefinition(
        TableName(catalog.name, namespace, name),
        {"trino": sql},
        (ColumnDefinition("a", t.BIGINT, comment="the only one"),),
        catalog.name,
        namespace,
        **more,
    )


def name(catalog: Catalog, table: str) -> TableName:
    return TableName(catalog.name, DEFAULT, table)


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

    def test_a_schema_and_a_table_cannot_have_one_name(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "t"))
        catalog.create_namespace((*DEFAULT, "s", "deep"))
        for clash in (
            lambda: catalog.create_namespace((*DEFAULT, "t")),
            lambda: catalog.create_namespace((*DEFAULT, "t", "deeper")),
            lambda: catalog.create_table(definition(catalog, "s")),
            lambda: catalog.create_table(definition(catalog, "deep", namespace=(*DEFAULT, "s"))),
            lambda: catalog.create_table(definition(catalog, "s", replace=True)),
            lambda: catalog.check_name(name(catalog, "s")),
        ):
            with pytest.raises(UserError) as error:
                clash()
            # Not what IF NOT EXISTS forgives.
            assert error.value.code == "ALREADY_EXISTS" and not isinstance(error.value, AlreadyExists)
        assert catalog.tables(DEFAULT) == ["t"]
        assert (*DEFAULT, "t") not in catalog.namespaces()
        catalog.check_name(name(catalog, "free"))

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
            assert error.value.message == f"table '{catalog.name}.default.{name}' does not exist"
            assert "secret" not in (error.value.hint or "")

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

    def test_columns_are_added_dropped_and_renamed(self, catalog: Catalog) -> None:
        table = catalog.create_table(definition(catalog, "t")).name
        self.append(catalog, table, ROWS)
        before = catalog.find_table(DEFAULT, "t")
        inner = t.Row((t.RowField("x", t.INTEGER), t.RowField("y", t.VARCHAR)))
        for change in (
            c.AddColumn(ColumnDefinition("r", inner, comment="a row")),
            c.AddColumn(ColumnDefinition("ID", t.DATE), if_not_exists=True),
            c.AddColumn(ColumnDefinition("z", t.Array(inner)), within=("R",)),
            c.AddColumn(ColumnDefinition("w", t.DATE), within=("r", "z", "element")),
            c.RenameColumn(("NAME",), "Label"),
            c.RenameColumn(("r", "y"), "why"),
            c.DropColumn(("r", "x")),
            c.DropColumn(("nosuch",), if_exists=True),
            c.DropColumn(("id",)),
            c.AddColumn(ColumnDefinition("id", t.VARCHAR)),
        ):
            catalog.alter_table(table, change)
        after = catalog.find_table(DEFAULT, "t")
        assert [(x.name, str(x.type), x.comment) for x in after.columns] == [
            ("Label", "varchar", None),
            ("r", "row(why varchar, z array(row(x integer, y varchar, w date)))", "a row"),
            ("id", "varchar", None),
        ]
        # The name that is back is another column.
        assert after.columns[-1].field_id not in {x.field_id for x in before.columns}
        assert before.current_snapshot_id is not None
        assert after.columns_at(before.current_snapshot_id) == before.columns

    def test_impossible_changes_of_columns_are_refused(self, catalog: Catalog) -> None:
        table = catalog.create_table(
            definition(
                catalog,
                "t",
                (
                    *COLUMNS,
                    ColumnDefinition("day", t.DATE),
                    ColumnDefinition("r", t.Row((t.RowField("x", t.DATE),))),
                ),
                partitioning=(PartitionField("bucket", "id", 4),),
                sort_order=(SortField("day", True),),
            )
        ).name
        for change, code in (
            (c.AddColumn(ColumnDefinition("Name", t.DATE)), "COLUMN_ALREADY_EXISTS"),
            (c.AddColumn(ColumnDefinition("id_bucket", t.DATE)), "COLUMN_ALREADY_EXISTS"),
            (c.AddColumn(ColumnDefinition("x", t.DATE), within=("name",)), "NOT_SUPPORTED"),
            (c.AddColumn(ColumnDefinition("x", t.DATE), within=("nosuch",)), "COLUMN_NOT_FOUND"),
            (c.AddColumn(ColumnDefinition("x", t.Timestamp(9))), "NOT_SUPPORTED"),
            (c.AddColumn(ColumnDefinition("", t.DATE)), "MISSING_COLUMN_NAME"),
            (c.RenameColumn(("name",), "ID"), "COLUMN_ALREADY_EXISTS"),
            (c.RenameColumn(("name",), "id_bucket"), "COLUMN_ALREADY_EXISTS"),
            (c.RenameColumn(("nosuch",), "x"), "COLUMN_NOT_FOUND"),
            (c.DropColumn(("nosuch",)), "COLUMN_NOT_FOUND"),
            (c.DropColumn(("id",)), "NOT_SUPPORTED"),
            (c.DropColumn(("day",)), "NOT_SUPPORTED"),
            (c.DropColumn(("r", "x")), "NOT_SUPPORTED"),
            (c.SetColumnType(("id",), t.INTEGER), "TYPE_MISMATCH"),
            (c.SetColumnType(("name",), t.Array(t.VARCHAR)), "TYPE_MISMATCH"),
            (c.SetColumnType(("r",), t.VARCHAR), "TYPE_MISMATCH"),
            (c.SetColumnComment(("nosuch",), "x"), "COLUMN_NOT_FOUND"),
        ):
            with pytest.raises((UserError, NotFound, NotSupported, TypeMismatch)) as error:
                catalog.alter_table(table, change)
            assert error.value.code == code, change
        single = catalog.create_table(definition(catalog, "s", COLUMNS[:1])).name
        with pytest.raises(NotSupported, match="the only column"):
            catalog.alter_table(single, c.DropColumn(("id",)))

    def test_types_are_promoted_as_iceberg_allows(self, catalog: Catalog) -> None:
        columns = (
            ColumnDefinition("i", t.INTEGER),
            ColumnDefinition("f", t.REAL),
            ColumnDefinition("d", t.Decimal(9, 2)),
            ColumnDefinition("a", t.Array(t.INTEGER)),
            ColumnDefinition("m", t.Map(t.INTEGER, t.REAL)),
        )
        table = catalog.create_table(definition(catalog, "t", columns)).name
        for path, target in (
            (("i",), t.BIGINT),
            (("f",), t.DOUBLE),
            (("d",), t.Decimal(20, 2)),
            (("a", "element"), t.BIGINT),
            (("m", "value"), t.DOUBLE),
        ):
            catalog.alter_table(table, c.SetColumnType(path, target))
        after = catalog.alter_table(table, c.SetColumnType(("i",), t.BIGINT))
        assert [str(x.type) for x in after.columns] == [
            "bigint", "double", "decimal(20,2)", "array(bigint)", "map(integer, double)",
        ]  # fmt: skip
        with pytest.raises(NotSupported, match="keys of the map"):
            catalog.alter_table(table, c.SetColumnType(("m", "key"), t.BIGINT))

    def test_not_null_needs_proof(self, catalog: Catalog) -> None:
        table = catalog.create_table(definition(catalog, "t")).name
        catalog.alter_table(table, c.SetNullable(("name",), False))
        assert [x.nullable for x in catalog.find_table(DEFAULT, "t").columns] == [True, False]
        catalog.alter_table(table, c.SetNullable(("name",), True))
        self.append(catalog, table, ROWS)
        with pytest.raises(NotSupported, match="do not show that no row is NULL"):
            catalog.alter_table(table, c.SetNullable(("name",), False))
        with pytest.raises(NotSupported, match="the rows that are there"):
            catalog.alter_table(table, c.AddColumn(ColumnDefinition("x", t.DATE, nullable=False)))
        catalog.alter_table(table, c.SetNullable(("id",), False))
        assert [x.nullable for x in catalog.find_table(DEFAULT, "t").columns] == [False, True]

    def test_properties_and_comments_are_set_and_removed(self, catalog: Catalog) -> None:
        table = catalog.create_table(definition(catalog, "t", properties=(("a", "1"), ("b", "2")))).name
        catalog.alter_table(table, c.SetProperties((("a", None), ("b", "3"), ("format-version", "3"))))
        catalog.alter_table(table, c.SetComment("about"))
        after = catalog.alter_table(table, c.SetColumnComment(("ID",), "the key"))
        assert (after.format_version, after.comment, after.columns[0].comment) == (3, "about", "the key")
        assert "a" not in after.properties and after.properties["b"] == "3"
        assert catalog.alter_table(table, c.SetComment(None)).comment is None
        for properties, code in (
            ((("format-version", "2"),), "NOT_SUPPORTED"),
            ((("format-version", "9"),), "INVALID_TABLE_PROPERTY"),
            ((("format-version", None),), "INVALID_TABLE_PROPERTY"),
            ((("io-impl", "x.Y"),), "INVALID_TABLE_PROPERTY"),
        ):
            with pytest.raises(UserError) as error:
                catalog.alter_table(table, c.SetProperties(properties))
            assert error.value.code == code

    def test_a_commit_is_made_or_changes_nothing(self, catalog: Catalog) -> None:
        table = catalog.create_table(definition(catalog, "t"))
        before = catalog.load(table.name)
        uuid = {"type": "assert-table-uuid", "uuid": table.uuid}
        update = {"action": "set-properties", "updates": {"colour": "blue"}}
        after = catalog.commit(table.name, [uuid], [update])
        assert after.location != before.location
        assert catalog.load(table.name).raw["properties"]["colour"] == "blue"
        assert catalog.find_table(DEFAULT, "t").properties["colour"] == "blue"
        with pytest.raises(RequirementFailed):
            catalog.commit(
                table.name, [uuid, {"type": "assert-current-schema-id", "current-schema-id": 9}], [update]
            )
        with pytest.raises((NotFound, RequirementFailed)):
            catalog.commit(TableName(catalog.name, DEFAULT, "missing"), [uuid], [update])
        assert catalog.load(table.name).location == after.location
        with pytest.raises(NotFound):
            catalog.load(TableName(catalog.name, DEFAULT, "missing"))

    def test_a_table_is_read_as_it_was_bound(self, catalog: Catalog) -> None:
        bound = catalog.create_table(definition(catalog, "t"))
        catalog.alter_table(bound.name, c.SetProperties((("colour", "red"),)))
        raw = json.loads(catalog.metadata_as_bound(bound))
        assert raw["table-uuid"] == bound.uuid and "colour" not in raw.get("properties", {})

    def test_a_staged_table_is_there_with_its_commit(self, catalog: Catalog) -> None:
        name = TableName(catalog.name, DEFAULT, "made")
        column = {"id": 0, "name": "a", "required": False, "type": "long"}
        staged = catalog.stage(
            name,
            {
                "name": "alias",
                "schema": {"type": "struct", "schema-id": 0, "fields": [column]},
                "partition-spec": {"spec-id": 0, "fields": []},
                "write-order": {"order-id": 0, "fields": []},
                "properties": {"format-version": "2"},
                "stage-create": True,
            },
        ).raw
        assert "made" not in catalog.tables(DEFAULT)
        updates = [
            {"action": "assign-uuid", "uuid": staged["table-uuid"]},
            {"action": "upgrade-format-version", "format-version": 2},
            {"action": "add-schema", "schema": staged["schemas"][0], "last-column-id": 1},
            {"action": "set-current-schema", "schema-id": -1},
            {"action": "add-spec", "spec": staged["partition-specs"][0]},
            {"action": "set-default-spec", "spec-id": -1},
            {"action": "add-sort-order", "sort-order": staged["sort-orders"][0]},
            {"action": "set-default-sort-order", "sort-order-id": -1},
            {"action": "set-location", "location": staged["location"]},
        ]
        catalog.commit(name, [{"type": "assert-create"}], updates)
        assert catalog.find_table(DEFAULT, "made").uuid == staged["table-uuid"]
        with pytest.raises((AlreadyExists, RequirementFailed)):
            catalog.commit(name, [{"type": "assert-create"}], updates)

    def test_changes_at_the_same_time_are_all_made(self, catalog: Catalog) -> None:
        table = catalog.create_table(definition(catalog, "t")).name

        def add(writer: int) -> None:
            for number in range(3):
                column = ColumnDefinition(f"w{writer}_{number}", t.DATE)
                catalog.alter_table(table, c.AddColumn(column))

        with ThreadPoolExecutor(3) as writers:
            list(writers.map(add, range(3)))
        columns = catalog.find_table(DEFAULT, "t").columns
        assert {x.name for x in columns[2:]} == {f"w{w}_{n}" for w in range(3) for n in range(3)}
        assert len({x.field_id for x in columns}) == len(columns) == 11

    def test_one_of_several_makers_of_a_table_wins(self, catalog: Catalog) -> None:
        def make(_: int) -> bool:
            try:
                catalog.create_table(definition(catalog, "t"))
            except AlreadyExists:
                return False
            return True

        with ThreadPoolExecutor(4) as makers:
            assert sum(makers.map(make, range(4))) == 1
        assert catalog.find_table(DEFAULT, "t").columns


class ViewConformance:
    """Of catalogs that have views and can rename."""

    def test_a_view_comes_and_goes(self, catalog: Catalog) -> None:
        catalog.create_view(view_definition(catalog, "v", properties={"comment": "mine", "x": "y"}))
        assert (catalog.views(DEFAULT), catalog.tables(DEFAULT)) == (["v"], [])
        view = catalog.find_view(DEFAULT, "V")
        assert view is not None
        assert (view.name, view.sql) == (TableName(catalog.name, DEFAULT, "v"), "SELECT 1 AS a")
        assert (view.default_catalog, view.default_namespace) == (catalog.name, DEFAULT)
        assert [(x.name, str(x.type), x.comment) for x in view.columns] == [("a", "bigint", "the only one")]
        assert (view.comment, view.properties["x"]) == ("mine", "y")
        assert catalog.find_view_name(DEFAULT, "V") == view.name
        catalog.drop_view(DEFAULT, "V")
        assert catalog.views(DEFAULT) == []
        assert catalog.find_view(DEFAULT, "v") is None
        with pytest.raises(NotFound, match=r"view '.*\.default\.v' does not exist"):
            catalog.drop_view(DEFAULT, "v")

    def test_tables_and_views_share_their_names(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "t"))
        catalog.create_view(view_definition(catalog, "v"))
        for make in (
            lambda: catalog.create_view(view_definition(catalog, "v")),
            lambda: catalog.create_view(view_definition(catalog, "t")),
            lambda: catalog.create_view(view_definition(catalog, "t"), replace=True),
            lambda: catalog.create_table(definition(catalog, "v", replace=True)),
            lambda: catalog.rename_view(name(catalog, "v"), name(catalog, "t")),
            lambda: catalog.rename_table(name(catalog, "t"), name(catalog, "v")),
        ):
            with pytest.raises(AlreadyExists) as error:
                make()
            assert error.value.code == "TABLE_ALREADY_EXISTS"
        for miss in (
            lambda: catalog.drop_view(DEFAULT, "t"),
            lambda: catalog.rename_view(name(catalog, "t"), name(catalog, "u")),
            lambda: catalog.drop_table(DEFAULT, "v"),
            lambda: catalog.rename_table(name(catalog, "v"), name(catalog, "u")),
            lambda: catalog.alter_table(name(catalog, "v"), c.SetComment("x")),
            lambda: catalog.alter_view(name(catalog, "t"), c.SetComment("x")),
        ):
            with pytest.raises(NotFound):
                miss()
        assert (catalog.tables(DEFAULT), catalog.views(DEFAULT)) == (["t"], ["v"])

    def test_replacing_a_view_gives_it_another_text(self, catalog: Catalog) -> None:
        catalog.create_view(view_definition(catalog, "v", properties={"comment": "old"}), replace=True)
        catalog.create_view(view_definition(catalog, "v", "SELECT 2 AS a"), replace=True)
        view = catalog.find_view(DEFAULT, "v")
        assert view is not None and (view.sql, view.comment) == ("SELECT 2 AS a", None)

    def test_a_view_is_commented(self, catalog: Catalog) -> None:
        view = name(catalog, "v")
        catalog.create_view(view_definition(catalog, "v"))
        catalog.alter_view(view, c.SetComment("new"))
        catalog.alter_view(view, c.SetColumnComment(("A",), None))
        found = catalog.find_view(DEFAULT, "v")
        assert found is not None
        assert (found.comment, found.columns[0].comment, found.sql) == ("new", None, "SELECT 1 AS a")
        with pytest.raises(NotFound) as error:
            catalog.alter_view(view, c.SetColumnComment(("b",), "x"))
        assert error.value.code == "COLUMN_NOT_FOUND"

    def test_nothing_is_moved_beside_a_schema_of_its_name(self, catalog: Catalog) -> None:
        catalog.create_namespace((*DEFAULT, "s"))
        catalog.create_table(definition(catalog, "t"))
        catalog.create_view(view_definition(catalog, "v"))
        for clash in (
            lambda: catalog.rename_table(name(catalog, "t"), name(catalog, "s")),
            lambda: catalog.rename_view(name(catalog, "v"), name(catalog, "s")),
            lambda: catalog.create_view(view_definition(catalog, "s")),
            lambda: catalog.create_namespace((*DEFAULT, "v")),
        ):
            with pytest.raises(UserError) as error:
                clash()
            assert error.value.code == "ALREADY_EXISTS"

    def test_tables_and_views_move_within_the_catalog(self, catalog: Catalog) -> None:
        catalog.create_namespace(("a", "b"))
        made = catalog.create_table(definition(catalog, "t"))
        catalog.create_view(view_definition(catalog, "v"))
        catalog.rename_table(made.name, TableName(catalog.name, ("a", "b"), "Moved"))
        catalog.rename_view(name(catalog, "v"), TableName(catalog.name, ("A",), "w"))
        assert (catalog.tables(DEFAULT), catalog.views(DEFAULT)) == ([], [])
        table = catalog.find_table(("a", "b"), "moved")
        assert table.name == TableName(catalog.name, ("a", "b"), "Moved")
        assert table.uuid == made.uuid
        assert catalog.views(("a",)) == ["w"]
        with pytest.raises(NotFound) as error:
            catalog.rename_table(table.name, TableName(catalog.name, ("nosuch",), "t"))
        assert error.value.code == "SCHEMA_NOT_FOUND"


class SchemaRenameConformance:
    def test_a_schema_is_renamed_with_what_is_in_it(self, catalog: Catalog) -> None:
        for schema in (("a", "b"), ("ab",), ("taken",)):
            catalog.create_namespace(schema)
        catalog.create_table(definition(catalog, "t", namespace=("a", "b")))
        catalog.create_view(view_definition(catalog, "v", namespace=("a",)))
        catalog.create_table(definition(catalog, "t", namespace=("ab",)))
        catalog.rename_namespace(("A",), ("new",))
        assert catalog.namespaces() == [("ab",), DEFAULT, ("new",), ("new", "b"), ("taken",)]
        assert (catalog.tables(("new", "b")), catalog.views(("new",))) == (["t"], ["v"])
        with pytest.raises(AlreadyExists) as error:
            catalog.rename_namespace(("new",), ("taken",))
        assert error.value.code == "SCHEMA_ALREADY_EXISTS"

    def test_a_schema_does_not_get_a_tables_name(self, catalog: Catalog) -> None:
        catalog.create_table(definition(catalog, "t"))
        catalog.create_namespace(("s",))
        with pytest.raises(UserError) as error:
            catalog.rename_namespace(("s",), (*DEFAULT, "t"))
        assert error.value.code == "ALREADY_EXISTS"


class DeleteConformance:
    """Of catalogs that delete all rows without an engine."""

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        raise NotImplementedError

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


class ProtocolConformance:
    """Of catalogs that do all that the REST protocol can ask."""

    def test_a_schema_has_properties(self, catalog: Catalog) -> None:
        catalog.create_namespace(("p",), properties={"a": "1", "b": "2"})
        catalog.change_namespace(("p",), {"b": "3", "c": "4"}, ["a", "missing"])
        properties = catalog.namespace_properties(("p",))
        assert {key: properties.get(key) for key in "abc"} == {"a": None, "b": "3", "c": "4"}
        for missing in (("nothing",), ("P",)):
            with pytest.raises(NotFound):
                catalog.namespace_properties(missing)
            with pytest.raises(NotFound):
                catalog.change_namespace(missing, {"a": "1"}, [])

    def test_several_tables_are_committed_together(self, catalog: Catalog) -> None:
        tables = [catalog.create_table(definition(catalog, name)) for name in ("a", "b")]
        update = {"action": "set-properties", "updates": {"colour": "blue"}}

        def commits(*uuids: str) -> list[TableCommit]:
            return [
                TableCommit(table.name, [{"type": "assert-table-uuid", "uuid": uuid}], [update])
                for table, uuid in zip(tables, uuids, strict=True)
            ]

        with pytest.raises(RequirementFailed):
            catalog.commit_all(commits(tables[0].uuid, "0" * 8))
        with pytest.raises((NotFound, RequirementFailed)):
            catalog.commit_all(
                [*commits(*(t.uuid for t in tables)), TableCommit(name(catalog, "c"), [], [update])]
            )
        assert [catalog.find_table(DEFAULT, n).properties.get("colour") for n in "ab"] == [None, None]
        catalog.commit_all(commits(*(t.uuid for t in tables)))
        assert [catalog.find_table(DEFAULT, n).properties.get("colour") for n in "ab"] == ["blue", "blue"]

    def test_a_table_of_a_request(self, catalog: Catalog) -> None:
        schema = {"type": "struct", "schema-id": 0, "fields": [_FIELD]}
        made = catalog.create_requested(name(catalog, "t"), {"name": "t", "schema": schema})
        assert catalog.find_table(DEFAULT, "t").uuid == made.raw["table-uuid"]
        with pytest.raises(AlreadyExists):
            catalog.create_requested(name(catalog, "t"), {"name": "t", "schema": schema})

    def test_a_table_that_is_there_is_registered(self, catalog: Catalog) -> None:
        made = catalog.create_table(definition(catalog, "t"))
        with pytest.raises(AlreadyExists):
            catalog.register(made.name, made.metadata_location)
        catalog.drop_table(DEFAULT, "t")
        catalog.register(name(catalog, "again"), made.metadata_location)
        assert catalog.find_table(DEFAULT, "again").uuid == made.uuid

    def test_a_view_of_a_request_and_its_commits(self, catalog: Catalog) -> None:
        view = name(catalog, "v")
        made = catalog.create_requested_view(view, _view_request("SELECT 1", "spark"))
        assert catalog.has_view(view) and catalog.views(DEFAULT) == ["v"]
        uuid = {"type": "assert-view-uuid", "uuid": made.raw["view-uuid"]}
        properties = {"action": "set-properties", "updates": {"colour": "blue"}}
        catalog.commit_view(view, [uuid], [properties])
        assert catalog.load_view(view).raw["properties"]["colour"] == "blue"
        with pytest.raises(RequirementFailed):
            catalog.commit_view(view, [{**uuid, "uuid": "0" * 8}], [properties])
        with pytest.raises(AlreadyExists):
            catalog.create_requested_view(view, _view_request("SELECT 2", "spark"))
        with pytest.raises(NotFound):
            catalog.load_view(name(catalog, "missing"))
        # It is of another dialect than ours.
        with pytest.raises(NotSupported, match="'spark'"):
            catalog.find_view(DEFAULT, "v")


_FIELD = {"id": 0, "name": "a", "type": "long", "required": False}


def _view_request(sql: str, dialect: str) -> dict[str, Any]:
    return {
        "name": "v",
        "schema": {"type": "struct", "schema-id": 0, "fields": [_FIELD]},
        "view-version": {
            "version-id": 1,
            "timestamp-ms": 1,
            "schema-id": 0,
            "summary": {},
            "default-namespace": ["default"],
            "representations": [{"type": "sql", "sql": sql, "dialect": dialect}],
        },
        "properties": {},
    }
