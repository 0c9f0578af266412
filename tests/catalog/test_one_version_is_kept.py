"""A table that is changed often takes the memory of one version, beside those that are in use."""

from __future__ import annotations

import copy
import gc
import json
import tracemalloc
from pathlib import Path

from tests.catalog.backends.conformance import DEFAULT, definition

from sqe.api.connection import connect
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.table import Table, table_bytes
from sqe.tree import changes as c


def long_history(raw: dict[str, object], snapshots: int) -> dict[str, object]:
    """Metadata with as many snapshots, as Spark writes them."""
    summary = {f"total-{name}": str(10**6 + n) for n, name in enumerate("abcdefghijklm")}
    entries = [
        {
            "snapshot-id": 10**18 + n,
            "parent-snapshot-id": 10**18 + n - 1,
            "sequence-number": n + 1,
            "timestamp-ms": 10**12 + n,
            "schema-id": 0,
            "manifest-list": f"{raw['location']}/metadata/snap-{10**18 + n}-1-{'0' * 36}.avro",
            "summary": {"operation": "append", "spark.app.id": f"local-{n}", **summary},
        }
        for n in range(snapshots)
    ]
    log = [{"timestamp-ms": e["timestamp-ms"], "snapshot-id": e["snapshot-id"]} for e in entries]
    last = entries[-1]["snapshot-id"]
    return {
        **copy.deepcopy(raw),
        "snapshots": entries,
        "snapshot-log": log,
        "current-snapshot-id": last,
        "refs": {"main": {"type": "branch", "snapshot-id": last}},
    }


def test_the_weight_of_a_table_is_about_what_it_takes(tmp_path: Path) -> None:
    catalog = EmbeddedCatalog("iceberg", tmp_path)
    made = catalog.create_table(definition(catalog, "t"))
    raw = metadata.read(made.metadata_location, made.name)
    text = json.dumps(long_history(raw, 2000))
    tracemalloc.start()
    table = metadata.parse(json.loads(text), "file:///x", made.name)
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0.5 < table_bytes(table) / taken < 2


def test_versions_do_not_add_up_in_a_catalog(tmp_path: Path) -> None:
    catalog = EmbeddedCatalog("iceberg", tmp_path)
    name = catalog.create_table(definition(catalog, "t")).name
    first = catalog.find_table(DEFAULT, "t")
    for number in range(20):
        catalog.alter_table(name, c.SetComment(f"{number:03}"))
        catalog.find_table(DEFAULT, "t")
    fresh = EmbeddedCatalog("iceberg", tmp_path)
    fresh.find_table(DEFAULT, "t")
    assert catalog.kept_bytes == fresh.kept_bytes
    # Who holds an older one goes on with it.
    assert first.comment is None


def test_no_other_version_is_held_by_plans_or_lanes(tmp_path: Path) -> None:
    with connect(warehouse=tmp_path) as connection:
        connection.execute("CREATE TABLE t (a integer)")
        connection.execute("SET SESSION lane = 'fast'")
        for number in range(12):
            connection.execute(f"COMMENT ON TABLE t IS 'at {number}'")
            cursor = connection.execute(f"SELECT a, {number} FROM t")
            assert cursor.fetchall() == []
        coordinator = connection.coordinator
        assert len(coordinator.plans) == 1
        readings = coordinator.readings()
        for name in ("metadata_cache", "file_cache", "plan_cache", "history"):
            assert readings[f"sqe_{name}_bytes"] >= 0
        assert readings["sqe_metadata_cache_bytes"] > 0 and readings["sqe_plan_cache_bytes"] > 0
        del cursor
        gc.collect()
        uuid = coordinator.catalogs.get("iceberg").find_table(DEFAULT, "t").uuid
        versions = {x.metadata_location for x in gc.get_objects() if type(x) is Table and x.uuid == uuid}
        assert len(versions) <= 2
