"""PURGE deletes what is in a table's own places, whatever its metadata names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import URL
from tests.catalog.backends.conformance import DEFAULT, ROWS, definition
from tests.local_files import to_path

from sqe.api.connection import connect
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.backends.hadoop import HadoopCatalog
from sqe.catalog.protocol import Catalog
from sqe.errors import SqeError


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    return EmbeddedCatalog("iceberg", tmp_path / "warehouse")


def table_with_rows(catalog: EmbeddedCatalog, name: str, *added: Path) -> Path:
    """Where it is. `added` are files that others made, and that are in its manifests."""
    table = catalog.create_table(definition(catalog, name))
    uri = URL.create("sqlite", database=str(catalog.path / "sqe.db")).render_as_string()
    with SqlCatalog(catalog.name, uri=uri) as plain:
        stored = plain.load_table((*DEFAULT, name))
        stored.append(pa.Table.from_pylist(ROWS, schema=stored.schema().as_arrow()))
        if added:
            stored.add_files([str(path) for path in added])
    return to_path(table.location)


def rewrite(catalog: Catalog, name: str, **said: Any) -> None:
    """Says something else in the metadata of a table, as its author may."""
    file = to_path(catalog.find_table(DEFAULT, name).metadata_location)
    raw = json.loads(file.read_text())
    raw["properties"] = {**raw.get("properties", {}), **said.pop("properties", {})}
    # Behind those that are really its own.
    said["metadata-log"] = [*raw.get("metadata-log", []), *said.get("metadata-log", [])]
    raw.update(said)
    file.write_text(json.dumps(raw))


def files_below(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def named(*places: str) -> list[dict[str, Any]]:
    return [{"timestamp-ms": 1, "metadata-file": place} for place in places]


def test_files_of_others_stay_and_are_told(catalog: EmbeddedCatalog, tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other.parquet"
    (home / "deep").mkdir(parents=True)
    for name in ("a", "b", "c", "deep/d", "e%2Ff"):
        (home / name).write_text("precious")
    pq.write_table(pa.table({"id": pa.array([9], pa.int64()), "name": ["x"]}), other)
    place = table_with_rows(catalog, "t", other)
    neighbour = table_with_rows(catalog, "u")
    before = files_below(neighbour)
    (place / "link").symlink_to(home)
    rewrite(
        catalog,
        "t",
        **{
            "metadata-log": named(
                str(home / "a"),
                f"file://{place}/../../../../home/b",
                f"file:{place}/link/c",
                f"file://{place}/link/deep/../deep/d",
                f"{home}/e%2Ff",
                "s3://bucket/key",
                f"file://{neighbour}/{before[0]}",
            ),
            "properties": {"write.data.path": str(home), "write.metadata.path": f"file://{neighbour}"},
        },
    )
    left = catalog.drop_table(DEFAULT, "t", purge=True)
    assert files_below(home) == ["a", "b", "c", "deep/d", "e%2Ff"]
    assert files_below(neighbour) == before
    assert other.exists()
    assert len(left) == 8 and str(home / "a") in left and "s3://bucket/key" in left
    # Its own are gone, but for the link that is not the table's.
    assert files_below(place) == []


@pytest.mark.parametrize("location", ["/", "{home}", "{warehouse}", "{data}", "{neighbour}"])
def test_a_location_that_the_metadata_makes_up_is_not_the_tables(
    catalog: EmbeddedCatalog, tmp_path: Path, location: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "a").write_text("precious")
    place = table_with_rows(catalog, "t")
    neighbour = table_with_rows(catalog, "u")
    before = files_below(neighbour)
    said = location.format(home=home, warehouse=catalog.path, data=catalog.data, neighbour=neighbour)
    log = named(str(home / "a"), str(neighbour / before[0]), str(catalog.path / "sqe.db"))
    rewrite(catalog, "t", location=said, **{"metadata-log": log})
    left = catalog.drop_table(DEFAULT, "t", purge=True)
    assert sorted(left) == sorted(entry["metadata-file"] for entry in log)
    assert files_below(home) == ["a"] and files_below(neighbour) == before
    assert not place.exists() and catalog.find_table(DEFAULT, "u")


def test_configured_paths_of_the_warehouse_are_purged(catalog: EmbeddedCatalog) -> None:
    place = table_with_rows(catalog, "t")
    bulk = catalog.data / "bulk"
    bulk.mkdir()
    (bulk / "x.parquet").write_text("")
    log = named(f"file:{bulk}/x.parquet")
    rewrite(catalog, "t", properties={"write.data.path": f"file:{bulk}"}, **{"metadata-log": log})
    assert catalog.drop_table(DEFAULT, "t", purge=True) == []
    assert not bulk.exists() and not place.exists()


def test_a_table_around_others_purges_none_of_them(catalog: EmbeddedCatalog) -> None:
    victim = table_with_rows(catalog, "victim")
    before = files_below(victim)
    around = definition(catalog, "mine", location=str(victim.parent))
    catalog.create_table(around)
    rewrite(catalog, "mine", **{"metadata-log": named(*(f"file://{victim}/{file}" for file in before))})
    left = catalog.drop_table(DEFAULT, "mine", purge=True)
    assert len(left) == len(before) and files_below(victim) == before


def test_a_path_that_two_tables_name_is_purged_by_neither(catalog: EmbeddedCatalog) -> None:
    bulk = catalog.data / "bulk"
    bulk.mkdir(parents=True)
    (bulk / "x.parquet").write_text("rows of u")
    for name in ("t", "u"):
        table_with_rows(catalog, name)
        rewrite(catalog, name, properties={"write.data.path": f"file:{bulk}"})
    rewrite(catalog, "t", **{"metadata-log": named(f"file:{bulk}/x.parquet")})
    assert catalog.drop_table(DEFAULT, "t", purge=True) == [f"file:{bulk}/x.parquet"]
    assert (bulk / "x.parquet").exists()


def test_a_manifest_elsewhere_is_not_fetched(catalog: EmbeddedCatalog) -> None:
    table_with_rows(catalog, "t")
    file = to_path(catalog.find_table(DEFAULT, "t").metadata_location)
    snapshots = json.loads(file.read_text())["snapshots"]
    rewrite(catalog, "t", snapshots=[{**snapshots[0], "manifest-list": "http://127.0.0.1:9/x.avro"}])
    with pytest.raises(SqeError, match="is not a local path"):
        catalog.drop_table(DEFAULT, "t", purge=True)
    assert catalog.tables(DEFAULT) == ["t"]


def test_hadoop_deletes_its_directory_alone(tmp_path: Path) -> None:
    catalog = HadoopCatalog("lake", tmp_path / "warehouse")
    catalog.create_namespace(DEFAULT)
    for name in ("t", "u"):
        catalog.create_table(definition(catalog, name))
    (tmp_path / "precious").write_text("x")
    schema = to_path(catalog.warehouse) / "default"
    (schema / "t" / "link").symlink_to(tmp_path)
    neighbour = schema / "u" / "metadata" / "v1.metadata.json"
    log = named(str(tmp_path / "precious"), str(neighbour), f"{schema}/t/link/precious")
    rewrite(catalog, "t", properties={"write.data.path": str(tmp_path)}, **{"metadata-log": log})
    assert len(catalog.drop_table(DEFAULT, "t", purge=True)) == 3
    assert (tmp_path / "precious").exists() and neighbour.exists()
    assert catalog.tables(DEFAULT) == ["u"]


def test_what_is_left_is_a_warning(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("x")
    with connect(warehouse=tmp_path / "warehouse") as connection:
        connection.execute("CREATE TABLE t (a integer)")
        catalog = connection.coordinator.catalogs.get("iceberg")
        rewrite(catalog, "t", **{"metadata-log": named(str(precious))})
        cursor = connection.execute("DROP TABLE t PURGE")
        assert len(cursor.warnings) == 1 and str(precious) in cursor.warnings[0]
    assert precious.exists()
