from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.table import StaticTable
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.local_files import to_path

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import AlreadyExists, UserError
from sqe.tree.definitions import ColumnDefinition, PartitionField
from sqe.tree.relations import TableName
from sqe.types import sql_types as t

COLUMNS = (
    ColumnDefinition("id", t.BIGINT, nullable=False, comment="the key"),
    ColumnDefinition("name", t.VARCHAR),
    ColumnDefinition("at", t.Timestamp(6)),
    ColumnDefinition("day", t.DATE),
    ColumnDefinition("ratio", t.DOUBLE),
    ColumnDefinition("who", t.Row((t.RowField("country", t.VARCHAR),))),
)


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    return EmbeddedCatalog("iceberg", tmp_path / "warehouse")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_pyiceberg_reads_every_version(catalog: EmbeddedCatalog, version: int) -> None:
    table = catalog.create_table(
        definition(
            catalog,
            "t",
            COLUMNS,
            partitioning=(
                PartitionField("bucket", "id", 8),
                PartitionField("truncate", "name", 3),
                PartitionField("hour", "at"),
                PartitionField("month", "day"),
                PartitionField("identity", "day"),
                PartitionField("identity", "who.country"),
            ),
            properties=(("format-version", str(version)), ("write.delete.mode", "merge-on-read")),
        )
    )
    plain = StaticTable.from_metadata(table.metadata_location)
    assert plain.format_version == version == table.format_version
    assert [(f.name, str(f.field_type), f.required, f.doc) for f in plain.schema().fields] == [
        ("id", "long", True, "the key"),
        ("name", "string", False, None),
        ("at", "timestamp", False, None),
        ("day", "date", False, None),
        ("ratio", "double", False, None),
        ("who", "struct<7: country: optional string>", False, None),
    ]
    assert [(f.name, str(f.transform), f.source_id, f.field_id) for f in plain.spec().fields] == [
        ("id_bucket", "bucket[8]", 1, 1000),
        ("name_trunc", "truncate[3]", 2, 1001),
        ("at_hour", "hour", 3, 1002),
        ("day_month", "month", 4, 1003),
        ("day", "identity", 4, 1004),
        ("who.country", "identity", 7, 1005),
    ]
    assert plain.metadata.last_column_id == 7
    assert plain.properties["write.delete.mode"] == "merge-on-read"
    assert "format-version" not in plain.properties


def test_trinos_spelling_of_properties_is_understood(catalog: EmbeddedCatalog) -> None:
    table = catalog.create_table(
        definition(catalog, "t", properties=(("format_version", "3"), ("format", "ORC")))
    )
    assert table.format_version == 3
    assert table.properties["write.format.default"] == "orc"


def test_nanoseconds_raise_the_version(catalog: EmbeddedCatalog) -> None:
    columns = (ColumnDefinition("at", t.Timestamp(9)),)
    assert catalog.create_table(definition(catalog, "t", columns)).format_version == 3
    with pytest.raises(UserError, match="needs format version 3"):
        catalog.create_table(definition(catalog, "u", columns, properties=(("format-version", "2"),)))


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"columns": ()}, "MISSING_COLUMN_NAME", "needs a column"),
        ({"columns": (COLUMNS[0], COLUMNS[0])}, "DUPLICATE_COLUMN_NAME", "defined twice"),
        ({"columns": (ColumnDefinition("i", t.DAY_SECOND),)}, "NOT_SUPPORTED", "interval"),
        ({"partitioning": (PartitionField("day", "att"),)}, "COLUMN_NOT_FOUND", "did you mean 'at'"),
        ({"partitioning": (PartitionField("day", "id"),)}, "NOT_SUPPORTED", "partitioned by day"),
        ({"partitioning": (PartitionField("hour", "day"),)}, "NOT_SUPPORTED", "partitioned by hour"),
        ({"partitioning": (PartitionField("bucket", "ratio", 4),)}, "NOT_SUPPORTED", "by bucket"),
        ({"partitioning": (PartitionField("identity", "who"),)}, "NOT_SUPPORTED", "nested"),
        ({"partitioning": (PartitionField("bucket", "id", 0),)}, "INVALID_ARGUMENTS", "above zero"),
        ({"partitioning": (PartitionField("bucket", "id"),)}, "INVALID_ARGUMENTS", "above zero"),
        ({"partitioning": (PartitionField("week", "at"),)}, "NOT_SUPPORTED", "'week' does not exist"),
        (
            {"partitioning": (PartitionField("day", "at"), PartitionField("hour", "at"))},
            "INVALID_TABLE_PROPERTY",
            "twice by time",
        ),
        ({"properties": (("format-version", "9"),)}, "INVALID_TABLE_PROPERTY", "'9' does not exist"),
        ({"properties": (("format", "csv"),)}, "INVALID_TABLE_PROPERTY", "'csv' does not exist"),
        ({"properties": (("py-io-impl", "os.path"),)}, "INVALID_TABLE_PROPERTY", "cannot be set"),
        ({"location": "s3://bucket/t"}, "NOT_SUPPORTED", "not a local path"),
    ],
)
def test_a_wrong_definition_is_refused_and_leaves_nothing(
    catalog: EmbeddedCatalog, change: dict[str, Any], code: str, words: str
) -> None:
    with pytest.raises(UserError) as error:
        catalog.create_table(definition(catalog, "t", **{"columns": COLUMNS, **change}))
    assert error.value.code == code
    assert words in str(error.value)
    assert catalog.tables(DEFAULT) == []
    assert list(catalog.data.iterdir()) == []


def test_tables_lie_where_they_were_asked_to(catalog: EmbeddedCatalog, tmp_path: Path) -> None:
    catalog.create_namespace(("away",), location=str(tmp_path / "else where"))
    inherited = catalog.create_table(definition(catalog, "t", namespace=("away",)))
    own = catalog.create_table(definition(catalog, "u", location=f"file:{tmp_path}/own/"))
    usual = catalog.create_table(definition(catalog, "v"))
    assert inherited.location.startswith(f"file://{tmp_path}/else where/t-")
    assert own.location == f"file://{tmp_path}/own"
    assert usual.location.startswith(f"file://{catalog.data}/default/v-")


def test_tables_that_engines_make_lie_where_ours_do(catalog: EmbeddedCatalog, tmp_path: Path) -> None:
    catalog.create_namespace(("away",), location=str(tmp_path / "x"))
    column = {"id": 0, "name": "a", "required": False, "type": "long"}
    request = {"name": "alias", "schema": {"type": "struct", "fields": [column]}}

    def location(namespace: tuple[str, ...], name: str, **more: str) -> str:
        staged = catalog.stage(TableName(catalog.name, namespace, name), {**request, **more})
        return str(staged.raw["location"])

    assert location(DEFAULT, "orders").startswith(f"file://{catalog.data}/default/orders-")
    assert location(("away",), "orders").startswith(f"file://{tmp_path}/x/orders-")
    assert location(DEFAULT, "orders", location=f"file:{tmp_path}/own/") == f"file://{tmp_path}/own"
    for name in ("..", "../../up", "a/b"):
        assert to_path(location(DEFAULT, name)).parent == catalog.data / "default"


def test_a_table_made_again_shares_no_directory(catalog: EmbeddedCatalog) -> None:
    first = catalog.create_table(definition(catalog, "t"))
    catalog.drop_table(DEFAULT, "t")
    assert catalog.create_table(definition(catalog, "t")).location != first.location


def test_replacing_raises_the_version_but_never_lowers_it(catalog: EmbeddedCatalog) -> None:
    for version, expected in (("1", 1), (None, 2), ("3", 3), (None, 3)):
        properties = (("format-version", version),) if version else ()
        table = catalog.create_table(definition(catalog, "t", properties=properties, replace=True))
        plain = StaticTable.from_metadata(table.metadata_location)
        assert plain.format_version == table.format_version == expected
    with pytest.raises(UserError, match="cannot go back to 2"):
        catalog.create_table(definition(catalog, "t", properties=(("format-version", "2"),), replace=True))


def test_replacing_keeps_what_we_do_not_know(catalog: EmbeddedCatalog) -> None:
    table = catalog.create_table(definition(catalog, "t"))
    path = to_path(table.metadata_location)
    raw = json.loads(path.read_text())
    raw["of-the-future"] = {"deep": [1, 2]}
    raw["schemas"][0]["fields"][0]["of-the-future"] = True
    path.write_text(json.dumps(raw))
    again = catalog.create_table(definition(catalog, "t", replace=True))
    after = json.loads(to_path(again.metadata_location).read_text())
    assert after["of-the-future"] == {"deep": [1, 2]}
    assert after["schemas"][0]["fields"][0]["of-the-future"] is True
    assert after["metadata-log"][-1]["metadata-file"] == table.metadata_location


def test_a_view_is_no_table_but_has_its_name(catalog: EmbeddedCatalog) -> None:
    catalog.create_table(definition(catalog, "t"))
    with sqlite3.connect(catalog.path / "sqe.db") as db:
        db.execute("INSERT INTO iceberg_tables VALUES ('iceberg', 'default', 'v', 'file:///v', NULL, 'VIEW')")
    db.close()
    assert catalog.tables(DEFAULT) == ["t"]
    for act in (
        lambda: catalog.find_table(DEFAULT, "v"),
        lambda: catalog.drop_table(DEFAULT, "v"),
        lambda: catalog.drop_table(DEFAULT, "V", purge=True),
    ):
        with pytest.raises(UserError) as error:
            act()
        assert error.value.code == "TABLE_NOT_FOUND"
    for replace in (False, True):
        with pytest.raises(AlreadyExists, match=r"view .* already exists"):
            catalog.create_table(definition(catalog, "v", replace=replace))
    with pytest.raises(UserError, match="not empty"):
        catalog.drop_namespace(DEFAULT)
