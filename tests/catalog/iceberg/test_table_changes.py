"""A change of a table touches what it names, and nothing else."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.catalog.backends.conformance import COLUMNS, DEFAULT, definition, name, view_definition
from tests.local_files import to_path

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.io import spell
from sqe.errors import SqeError, Unavailable
from sqe.tree import changes as c
from sqe.tree.definitions import ColumnDefinition, PartitionField
from sqe.types import sql_types as t


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    return EmbeddedCatalog("iceberg", tmp_path / "warehouse")


def pointed(catalog: EmbeddedCatalog, table: str) -> Path:
    with contextlib.closing(sqlite3.connect(catalog.path / "sqe.db")) as db:
        rows = db.execute("SELECT metadata_location FROM iceberg_tables WHERE table_name = ?", (table,))
        [(location,)] = rows.fetchall()
    return to_path(location)


def metadata_of(catalog: EmbeddedCatalog, table: str) -> dict[str, Any]:
    raw = json.loads(pointed(catalog, table).read_text())
    assert isinstance(raw, dict)
    return raw


def overwrite(catalog: EmbeddedCatalog, table: str, **more: Any) -> None:
    file = pointed(catalog, table)
    file.write_text(json.dumps({**json.loads(file.read_text()), **more}))


def test_fields_that_we_do_not_know_survive(catalog: EmbeddedCatalog) -> None:
    catalog.create_table(definition(catalog, "t"))
    raw = metadata_of(catalog, "t")
    raw["schemas"][0]["identifier-field-ids"] = []
    raw["schemas"][0]["x-schema"] = "kept"
    raw["schemas"][0]["fields"][0]["x-field"] = {"deep": [1]}
    overwrite(catalog, "t", **raw, **{"x-table": {"deep": [1]}, "encryption-keys": [{"key-id": "k"}]})
    for change in (
        c.AddColumn(ColumnDefinition("x", t.DATE)),
        c.RenameColumn(("name",), "label"),
        c.SetColumnComment(("id",), "the key"),
        c.SetProperties((("a", "b"), ("format-version", "3"))),
    ):
        catalog.alter_table(name(catalog, "t"), change)
    after = metadata_of(catalog, "t")
    assert (after["x-table"], after["encryption-keys"]) == ({"deep": [1]}, [{"key-id": "k"}])
    current = next(s for s in after["schemas"] if s["schema-id"] == after["current-schema-id"])
    assert current["x-schema"] == "kept" and current["identifier-field-ids"] == []
    assert current["fields"][0]["x-field"] == {"deep": [1]}


def test_fields_of_views_that_we_do_not_know_survive(catalog: EmbeddedCatalog) -> None:
    catalog.create_view(view_definition(catalog, "v", properties={"theirs": "kept"}))
    overwrite(catalog, "v", **{"x-view": [1]})
    before = metadata_of(catalog, "v")
    catalog.create_view(view_definition(catalog, "v", "SELECT 2 AS a"), replace=True)
    catalog.alter_view(name(catalog, "v"), c.SetComment("x"))
    after = metadata_of(catalog, "v")
    assert (after["x-view"], after["view-uuid"]) == ([1], before["view-uuid"])
    assert after["properties"] == {"theirs": "kept", "comment": "x"}
    assert [v["version-id"] for v in after["versions"]] == [1, 2]
    assert [e["version-id"] for e in after["version-log"]] == [1, 2]
    assert len(after["schemas"]) == 1


def test_old_versions_of_a_view_are_forgotten_in_the_end(catalog: EmbeddedCatalog) -> None:
    for number in range(15):
        catalog.create_view(view_definition(catalog, "v", f"SELECT {number} AS a"), replace=True)
    raw = metadata_of(catalog, "v")
    assert [v["version-id"] for v in raw["versions"]] == list(range(6, 16))
    assert [e["version-id"] for e in raw["version-log"]] == list(range(6, 16))
    assert raw["current-version-id"] == 15


def test_each_change_is_one_commit_in_the_log(catalog: EmbeddedCatalog) -> None:
    made = catalog.create_table(definition(catalog, "t"))
    first = metadata_of(catalog, "t")
    catalog.alter_table(made.name, c.AddColumn(ColumnDefinition("x", t.Array(t.DATE))))
    second = metadata_of(catalog, "t")
    assert [e["metadata-file"] for e in second["metadata-log"]] == [made.metadata_location]
    assert second["metadata-log"][0]["timestamp-ms"] == first["last-updated-ms"] <= second["last-updated-ms"]
    assert (first["last-column-id"], second["last-column-id"]) == (2, 4)
    assert (len(second["schemas"]), second["current-schema-id"]) == (2, 1)
    assert pointed(catalog, "t").name.startswith("00001-")


def test_what_changes_nothing_writes_nothing(catalog: EmbeddedCatalog) -> None:
    made = catalog.create_table(definition(catalog, "t", properties=(("a", "1"),), comment="c"))
    for change in (
        c.AddColumn(ColumnDefinition("ID", t.DATE), if_not_exists=True),
        c.DropColumn(("nosuch",), if_exists=True),
        c.RenameColumn(("nosuch",), "x", if_exists=True),
        c.RenameColumn(("id",), "id"),
        c.SetColumnType(("id",), t.BIGINT),
        c.SetNullable(("id",), True),
        c.SetComment("c"),
        c.SetProperties((("a", "1"), ("format-version", "2"), ("b", None))),
    ):
        catalog.alter_table(made.name, change)
    assert spell(pointed(catalog, "t")) == made.metadata_location


def test_a_schema_that_was_there_before_is_used_again(catalog: EmbeddedCatalog) -> None:
    made = catalog.create_table(definition(catalog, "t"))
    catalog.alter_table(made.name, c.RenameColumn(("name",), "label"))
    catalog.alter_table(made.name, c.RenameColumn(("label",), "name"))
    raw = metadata_of(catalog, "t")
    assert (len(raw["schemas"]), raw["current-schema-id"]) == (2, 0)


def test_version_1_keeps_its_own_fields_in_step(catalog: EmbeddedCatalog) -> None:
    made = catalog.create_table(
        definition(
            catalog,
            "t",
            partitioning=(PartitionField("bucket", "id", 2),),
            properties=(("format-version", "1"),),
        )
    )
    raw = metadata_of(catalog, "t")
    # As the first writers of version 1 left it.
    for newer in ("schemas", "current-schema-id", "partition-specs", "default-spec-id", "sort-orders"):
        raw.pop(newer)
    pointed(catalog, "t").write_text(json.dumps(raw))
    catalog = EmbeddedCatalog("iceberg", catalog.path)
    catalog.alter_table(made.name, c.RenameColumn(("name",), "label"))
    after = metadata_of(catalog, "t")
    assert [f["name"] for f in after["schema"]["fields"]] == ["id", "label"]
    assert after["schema"] == after["schemas"][-1]
    assert [p.name for p in catalog.find_table(DEFAULT, "t").partitioning] == ["id_bucket"]
    upgraded = catalog.alter_table(made.name, c.SetProperties((("format-version", "2"),)))
    assert [p.name for p in upgraded.partitioning] == ["id_bucket"]
    assert "schema" not in metadata_of(catalog, "t")


def test_properties_of_a_column_follow_it(catalog: EmbeddedCatalog) -> None:
    row = ColumnDefinition("r", t.Row((t.RowField("x", t.DATE), t.RowField("y", t.DATE))))
    metrics = "write.metadata.metrics.column."
    made = catalog.create_table(
        definition(
            catalog,
            "t",
            (*COLUMNS, row),
            properties=((metrics + "name", "full"), (metrics + "r.x", "none"), (metrics + "id", "counts")),
        )
    )
    catalog.alter_table(made.name, c.RenameColumn(("NAME",), "label"))
    catalog.alter_table(made.name, c.RenameColumn(("r",), "s"))
    after = catalog.alter_table(made.name, c.DropColumn(("id",)))
    kept = {k: v for k, v in after.properties.items() if k.startswith(metrics)}
    assert kept == {metrics + "label": "full", metrics + "s.x": "none"}


def test_changes_at_the_same_time_are_all_made(catalog: EmbeddedCatalog) -> None:
    made = catalog.create_table(definition(catalog, "t"))
    faults: list[SqeError] = []

    def add(number: int) -> None:
        mine = EmbeddedCatalog("iceberg", catalog.path)
        try:
            mine.alter_table(made.name, c.AddColumn(ColumnDefinition(f"c{number}", t.DATE)))
        except SqeError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    after = catalog.find_table(DEFAULT, "t")
    assert {x.name for x in after.columns} == {"id", "name", *(f"c{n}" for n in range(8))}
    assert len({x.field_id for x in after.columns}) == 10
    # What lost a race has left no file.
    files = [f for f in pointed(catalog, "t").parent.iterdir() if f.name.endswith(".metadata.json")]
    assert len(files) == 9


def test_a_table_whose_metadata_is_broken_is_not_altered(catalog: EmbeddedCatalog) -> None:
    made = catalog.create_table(definition(catalog, "t"))
    pointed(catalog, "t").write_text('{"format-version": 2}')
    with pytest.raises(Unavailable) as error:
        EmbeddedCatalog("iceberg", catalog.path).alter_table(
            made.name, c.AddColumn(ColumnDefinition("x", t.DATE))
        )
    assert error.value.code == "ICEBERG_INVALID_METADATA"
