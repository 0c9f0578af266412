"""The same statements leave the same metadata files, over REST as in a catalog of Iceberg's own.

Plain Spark runs them on Iceberg's JdbcCatalog and over REST. Every metadata file that the tables went
through is compared, except for ids, times, places and sizes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.doors.iceberg.plain_pyspark import plain_pyspark, run
from tests.local_files import to_path

pytestmark = pytest.mark.integration

START = """
CREATE TABLE {t} (id int NOT NULL, name string, day date) USING iceberg PARTITIONED BY (day)
    TBLPROPERTIES ('format-version' = '{version}', 'write.delete.mode' = '{mode}',
                   'write.update.mode' = '{mode}', 'write.merge.mode' = '{mode}');
INSERT INTO {t} VALUES
    (1, 'a', DATE '2024-01-01'), (2, 'b', DATE '2024-01-01'), (3, 'c', DATE '2024-02-01'), (4, NULL, NULL);
"""
SCRIPTS = {
    "rows": """
INSERT INTO {t} VALUES (5, 'e', DATE '2024-02-01'), (6, 'f', DATE '2024-03-01'), (7, 'g', DATE '2024-03-01');
DELETE FROM {t} WHERE day = DATE '2024-01-01';
DELETE FROM {t} WHERE id = 3;
UPDATE {t} SET name = 'changed' WHERE id IN (5, 6);
MERGE INTO {t} AS t USING (SELECT * FROM VALUES (5, 'x'), (6, 'y'), (9, 'z') AS s (id, name)) AS s
    ON t.id = s.id
    WHEN MATCHED AND s.name = 'y' THEN DELETE
    WHEN MATCHED THEN UPDATE SET name = s.name
    WHEN NOT MATCHED THEN INSERT (id, name, day) VALUES (s.id, s.name, DATE '2024-03-01');
INSERT OVERWRITE {t} PARTITION (day = DATE '2024-03-01') SELECT 10, 'only';
INSERT OVERWRITE {t} SELECT id, upper(name), day FROM {t} WHERE id > 4;
""",
    "truncated": "TRUNCATE TABLE {t};",
    "shapes": """
ALTER TABLE {t} ADD COLUMNS (price decimal(9, 2) COMMENT 'net', point struct<x: int, y: int>);
ALTER TABLE {t} ADD COLUMN point.z double AFTER x;
ALTER TABLE {t} ADD COLUMN first boolean FIRST;
ALTER TABLE {t} ALTER COLUMN id TYPE bigint;
ALTER TABLE {t} ALTER COLUMN price TYPE decimal(12, 2);
ALTER TABLE {t} ALTER COLUMN name COMMENT 'who';
ALTER TABLE {t} RENAME COLUMN name TO title;
ALTER TABLE {t} DROP COLUMN first;
ALTER TABLE {t} SET IDENTIFIER FIELDS id;
ALTER TABLE {t} ADD PARTITION FIELD bucket(4, id);
INSERT INTO {t} VALUES (5, 'e', DATE '2024-05-01', 1.5, named_struct('x', 1, 'z', 2.0D, 'y', 3));
ALTER TABLE {t} REPLACE PARTITION FIELD day WITH month(day) AS by_month;
ALTER TABLE {t} DROP PARTITION FIELD bucket(4, id);
INSERT INTO {t} VALUES (6, 'f', DATE '2024-06-01', NULL, NULL);
ALTER TABLE {t} WRITE ORDERED BY title DESC NULLS LAST, id;
ALTER TABLE {t} WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id;
ALTER TABLE {t} DROP IDENTIFIER FIELDS id;
ALTER TABLE {t} ALTER COLUMN id DROP NOT NULL;
ALTER TABLE {t} SET TBLPROPERTIES ('comment' = 'shaped', 'write.target-file-size-bytes' = '1000000');
ALTER TABLE {t} UNSET TBLPROPERTIES ('comment');
INSERT INTO {t} VALUES (7, 'g', DATE '2024-06-01', NULL, NULL);
""",
    "refs": """
ALTER TABLE {t} CREATE BRANCH dev;
ALTER TABLE {t} CREATE TAG first RETAIN 5 DAYS;
INSERT INTO {t}.branch_dev VALUES (5, 'e', DATE '2024-05-01');
DELETE FROM {t}.branch_dev WHERE id = 2;
ALTER TABLE {t} CREATE BRANCH kept RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 DAYS;
CALL {catalog}.system.fast_forward('{name}', 'main', 'dev');
INSERT INTO {t} VALUES (6, 'f', DATE '2024-06-01');
ALTER TABLE {t} CREATE OR REPLACE TAG first;
ALTER TABLE {t} REPLACE BRANCH kept RETAIN 9 DAYS;
ALTER TABLE {t} DROP BRANCH dev;
CALL {catalog}.system.set_current_snapshot(table => '{name}', ref => 'kept');
ALTER TABLE {t} DROP TAG first;
""",
    # `id` and `day` stay: a V1 table cannot be written once a column that it was partitioned by is gone.
    "replaced": """
CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (bucket(2, id))
    TBLPROPERTIES ('format-version' = '{version}')
    AS SELECT id, name AS title, day, 1.5D AS ratio FROM {t} WHERE id > 1;
INSERT INTO {t} VALUES (8, 'h', NULL, 2.5D);
REPLACE TABLE {t} (id bigint NOT NULL, other string, day date) USING iceberg
    TBLPROPERTIES ('replaced' = 'yes');
INSERT INTO {t} VALUES (1, 'a', NULL);
""",
    "maintained": """
INSERT INTO {t} VALUES (5, 'e', DATE '2024-01-01');
INSERT INTO {t} VALUES (6, 'f', DATE '2024-01-01');
DELETE FROM {t} WHERE id IN (2, 5);
CALL {catalog}.system.rewrite_manifests('{name}');
CALL {catalog}.system.compute_table_stats(table => '{name}', columns => array('id', 'name'));
CALL {catalog}.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true'));
CALL {catalog}.system.compute_table_stats('{name}');
CALL {catalog}.system.compute_partition_stats('{name}');
CALL {catalog}.system.expire_snapshots(
    table => '{name}', older_than => TIMESTAMP '2100-01-01', retain_last => 2);
INSERT INTO {t} VALUES (7, 'g', DATE '2024-01-01');
""",
    "upgraded": """
ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '2');
DELETE FROM {t} WHERE id = 1;
ALTER TABLE {t} SET TBLPROPERTIES ('format-version' = '3');
DELETE FROM {t} WHERE id = 2;
UPDATE {t} SET name = 'changed' WHERE id = 3;
""",
    "created from rows": """
CREATE TABLE {t}_more USING iceberg TBLPROPERTIES ('format-version' = '{version}') AS SELECT * FROM {t};
DROP TABLE {t};
ALTER TABLE {t}_more RENAME TO {name};
INSERT INTO {t} VALUES (5, 'e', DATE '2024-01-01');
""",
}
COPY, MERGE = "copy-on-write", "merge-on-read"
# What merge-on-read leaves in the summaries of snapshots, by the version that a table begins with.
DELETES = {
    1: ["added-position-delete-files", "added-dvs"],
    2: ["added-position-delete-files"],
    3: ["added-dvs"],
}
CASES = [
    *[("rows", version, mode) for version, mode in ((1, COPY), (2, COPY), (2, MERGE), (3, COPY), (3, MERGE))],
    *[(script, version, COPY) for script in ("shapes", "refs", "replaced") for version in (1, 2, 3)],
    *[("maintained", version, mode) for version, mode in ((1, COPY), (2, MERGE), (3, MERGE))],
    ("upgraded", 1, MERGE),
    ("truncated", 2, COPY),
    ("created from rows", 2, COPY),
]


@pytest.fixture(scope="module")
def spark(
    client_properties: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    directory = tmp_path_factory.mktemp("plain")
    plain = {
        "type": "jdbc",
        "uri": f"jdbc:sqlite:{directory}/catalog.db",
        "warehouse": (directory / "warehouse").as_uri(),
        "jdbc.schema-version": "V1",
    }
    with plain_pyspark({"plain": plain, "rest": {"type": "rest", **client_properties}}) as session:
        for catalog in ("plain", "rest"):
            session.sql(f"CREATE NAMESPACE {catalog}.fidelity")
        yield session


@pytest.mark.parametrize(("script", "version", "mode"), CASES, ids=lambda value: str(value).replace(" ", "_"))
def test_metadata_files_are_the_same(spark: SparkSession, script: str, version: int, mode: str) -> None:
    name = re.sub(r"\W", "_", f"fidelity.{script}_{version}_{mode}").replace("_", ".", 1)
    for catalog in ("plain", "rest"):
        words = {"t": f"{catalog}.{name}", "catalog": catalog, "name": name, "version": version, "mode": mode}
        for statement in (START + SCRIPTS[script]).split(";"):
            if statement.strip():
                spark.sql(statement.format(**words)).collect()
    rows = [sorted(map(repr, run(spark, f"SELECT * FROM {catalog}.{name}"))) for catalog in ("plain", "rest")]
    assert rows[0] == rows[1]
    expected, actual = [history(spark, f"{catalog}.{name}") for catalog in ("plain", "rest")]
    for number, (one, other) in enumerate(zip(expected, actual, strict=False)):
        assert one == other, f"metadata file {number} of {len(expected)}"
    assert len(expected) == len(actual)
    if mode == MERGE:
        assert all(f'"{mark}"' in json.dumps(expected) for mark in DELETES[version])


def history(spark: SparkSession, table: str) -> list[Any]:
    """All the table's metadata files from the first on, without what differs from run to run."""
    # Their names begin with their numbers.
    log = sorted(file for (file,) in run(spark, f"SELECT file FROM {table}.metadata_log_entries"))
    numbers: dict[str, int] = {}
    files = []
    for metadata in (json.loads(to_path(file).read_text()) for file in log):
        for snapshot in metadata["snapshots"]:
            numbers.setdefault(str(snapshot["snapshot-id"]), len(numbers) + 1)
        files.append(normal(metadata, "", numbers))
    return files


def normal(value: Any, key: str, snapshots: dict[str, int]) -> Any:
    if isinstance(value, dict):
        # Iceberg's server notes in `created-at` when a table was staged.
        return {name: normal(v, name, snapshots) for name, v in value.items() if name != "created-at"}
    if isinstance(value, list):
        entries = [normal(entry, key, snapshots) for entry in value]
        # Iceberg keeps these by snapshot id, so they come in any order.
        return sorted(entries, key=json.dumps) if key.endswith("statistics") else entries
    if key.endswith("snapshot-id"):
        return f"snapshot {snapshots.get(str(value), value if value == -1 else 'expired')}"
    if key.endswith("-ms") and not key.startswith("max-"):
        return "time"
    if key == "location":
        return "location"
    if key.endswith(("-size", "-size-in-bytes", "-uuid")):
        return key
    return place(value) if isinstance(value, str) else value


def place(text: str) -> str:
    """A file's place in its table, without the ids in its name."""
    text = re.sub(r"file:\S*/(data|metadata)/", r"\1/", text)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{15,}", "id", text)
