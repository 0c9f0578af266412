from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.catalog.backends.conformance import DEFAULT, definition
from tests.local_files import to_path

from sqe.catalog.backends.embedded import EmbeddedCatalog

# Makes tables of its own, and takes part in a race for each of some common ones.
WORKER = """
import sys
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import AlreadyExists
from sqe.tree.relations import TableName
from sqe.tree.statements import ColumnDefinition, CreateTable
from sqe.types.sql_types import BIGINT

catalog = EmbeddedCatalog("iceberg", sys.argv[1])
me, won = sys.argv[2], 0

def table(name, **more):
    return CreateTable(TableName("iceberg", ("default",), name), (ColumnDefinition(me, BIGINT),), **more)

for i in range(15):
    catalog.create_table(table(f"{me}_{i}"))
    catalog.create_table(table("replaced", replace=True))
    try:
        catalog.create_table(table(f"common_{i}"))
        won += 1
    except AlreadyExists:
        pass
print(won)
"""


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    place = tmp_path / "warehouse"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(place), f"w{n}"], stdout=subprocess.PIPE, text=True
        )
        for n in range(4)
    ]
    won = [int(worker.communicate()[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    assert sum(won) == 15

    catalog = EmbeddedCatalog("iceberg", place)
    own = {f"w{n}_{i}" for n in range(4) for i in range(15)}
    assert set(catalog.tables(DEFAULT)) == own | {f"common_{i}" for i in range(15)} | {"replaced"}
    # Each of the replacements built on the one before it, and no loser left a file.
    replaced = catalog.find_table(DEFAULT, "replaced")
    raw = json.loads(to_path(replaced.metadata_location).read_text())
    assert len(raw["schemas"]) == 60
    assert len(raw["metadata-log"]) == 59
    assert len(list(to_path(replaced.location).glob("metadata/*"))) == 60
    assert len(list(catalog.data.glob("default/*"))) == 76


def test_another_process_finds_what_was_left(tmp_path: Path) -> None:
    before = EmbeddedCatalog("iceberg", tmp_path / "w")
    before.create_table(definition(before, "t", comment="kept"))
    after = EmbeddedCatalog("iceberg", tmp_path / "w")
    assert after.find_table(DEFAULT, "t") == before.find_table(DEFAULT, "t")
