"""A child reads what its statement was admitted to, and can do nothing else."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb import extensions
from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.engine.duckdb.processes import Processes

_ids = itertools.count(1)


@pytest.fixture(scope="module")
def lane() -> Iterator[Processes]:
    lane = Processes(FastSettings(processes=1))
    yield lane
    lane.close()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables: `mine`, which statements are admitted to, and `theirs`; and a neighbour `mine2`."""
    home = tmp_path_factory.mktemp("lake")
    for name in ("mine", "mine2", "theirs"):
        (home / name).mkdir()
        duckdb.execute(f"COPY (SELECT '{name}' AS who) TO '{home / name / 'a.parquet'}'")
    return home


def rows(lane: Processes, sql: str, *, identity: str = "joe", **more: Any) -> list[Any]:
    answer = lane.run(sql, statement_id=f"s{next(_ids)}", identity_key=identity, **more)
    return [row for batch in answer for row in batch.to_pylist()]


def refused(lane: Processes, sql: str, lake: Path) -> FastLaneFailed:
    with pytest.raises(FastLaneFailed) as caught:
        rows(lane, sql, locations=[str(lake / "mine")])
    assert str(lake) not in str(caught.value)
    assert "/etc" not in str(caught.value)
    return caught.value


def test_what_was_admitted_is_read(lane: Processes, lake: Path) -> None:
    sql = f"SELECT who FROM read_parquet('{lake}/mine/a.parquet')"
    assert rows(lane, sql, locations=[str(lake / "mine")]) == [{"who": "mine"}]


def test_one_file_admits_no_other(lane: Processes, lake: Path) -> None:
    other = lake / "mine" / "b.parquet"
    shutil.copy(lake / "mine" / "a.parquet", other)
    sql = f"SELECT * FROM read_parquet('{other}')"
    with pytest.raises(FastLaneFailed):
        rows(lane, sql, identity="of one file", locations=[str(lake / "mine" / "a.parquet")])


def test_an_admission_is_of_one_identity(lane: Processes, lake: Path) -> None:
    sql = f"SELECT who FROM read_parquet('{lake}/mine/a.parquet')"
    assert rows(lane, sql, locations=[str(lake / "mine")])
    with pytest.raises(FastLaneFailed):
        rows(lane, sql, identity="ann")
    # What an identity was admitted to before stays open to its instance; there is no other SQL than ours.
    assert rows(lane, sql)


def test_tables_of_one_identity_end_up_in_one_instance(lane: Processes, lake: Path) -> None:
    """Otherwise every combination of tables would have an instance, and a cold cache, of its own."""
    both = f"SELECT count(*) AS n FROM read_parquet(['{lake}/mine/a.parquet', '{lake}/theirs/a.parquet'])"
    for name in ("mine", "theirs"):
        sql = f"SELECT who FROM read_parquet('{lake}/{name}/a.parquet')"
        assert rows(lane, sql, identity="two tables", locations=[str(lake / name)]) == [{"who": name}]
    assert rows(lane, both, identity="two tables") == [{"n": 2}]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_parquet('{lake}/theirs/a.parquet')",
        "SELECT * FROM read_parquet('{lake}/mine2/a.parquet')",
        "SELECT * FROM read_parquet('{lake}/mine/../theirs/a.parquet')",
        "SELECT * FROM read_parquet('{lake}/*/a.parquet')",
        "SELECT * FROM '{lake}/theirs/a.parquet'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM glob('{lake}/*')",
        "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
        "SELECT * FROM parquet_metadata('{lake}/theirs/a.parquet')",
        "SELECT getenv('HOME')",
        "SELECT * FROM duckdb_secrets()",
    ],
)
def test_other_places_are_closed(lane: Processes, lake: Path, text: str) -> None:
    refused(lane, text.format(lake=lake), lake)


@pytest.mark.parametrize(
    "path",
    [
        "{lake}/{table}/../theirs/a.parquet",
        "{lake}/{table}/x/../../theirs/a.parquet",
        "{lake}/theirs/a.parquet",
    ],
)
def test_no_manifest_leads_out_of_its_table(lane: Processes, lake: Path, path: str) -> None:
    """`iceberg_scan` reads the manifests itself, and opens what they name."""
    table = f"t{next(_ids)}"
    with SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{lake}") as catalog:
        catalog.create_namespace("s")
        schema = pa.schema([("who", pa.string())])
        (lake / table / "x").mkdir(parents=True)
        made = catalog.create_table(("s", table), schema, location=f"file://{lake}/{table}")
        made.append(pa.table({"who": ["own"]}, schema))
        own = made.metadata_location.removeprefix("file://")
        made.add_files(["file://" + path.format(lake=lake, table=table)])
        led = made.metadata_location.removeprefix("file://")
    more: dict[str, Any] = {"locations": [str(lake / table)], "extensions": ["avro", "iceberg"]}
    assert rows(lane, f"SELECT who FROM iceberg_scan('{own}')", **more) == [{"who": "own"}]
    with pytest.raises(FastLaneFailed):
        rows(lane, f"SELECT who FROM iceberg_scan('{led}')", **more)


def test_the_network_is_closed(lane: Processes, lake: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        refused(lane, f"SELECT * FROM read_parquet('http://127.0.0.1:{port}/a.parquet')", lake)
        refused(lane, f"SELECT * FROM 's3://127.0.0.1:{port}/a.parquet'", lake)
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.parametrize(
    "text",
    [
        "COPY (SELECT 1) TO '{lake}/mine/written.csv'",
        "EXPORT DATABASE '{lake}/mine/exported'",
        "ATTACH '{lake}/mine/attached.db'",
        "CREATE TABLE t AS SELECT 1",
        "INSERT INTO t VALUES (1)",
        "LOAD httpfs",
        "INSTALL httpfs",
        "SET threads = 7",
        "SET lock_configuration = false",
        "SET VARIABLE x = 1",
        "RESET threads",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "SHOW TABLES",
        "DESCRIBE SELECT 1",
        "SUMMARIZE SELECT 1",
        "EXPLAIN SELECT 1",
        "CHECKPOINT",
        "CREATE SECRET (TYPE s3)",
        "PREPARE x AS SELECT 1",
        "BEGIN",
        "SELECT 1; SELECT 2",
        "SELECT 1; COPY (SELECT 1) TO '{lake}/mine/written.csv'",
        "FROM '{lake}/mine/a.parquet'",
        "",
    ],
)
def test_nothing_but_one_select_is_run(lane: Processes, lake: Path, text: str) -> None:
    before = sorted(lake.rglob("*"))
    refused(lane, text.format(lake=lake), lake)
    assert sorted(lake.rglob("*")) == before


def test_python_variables_are_not_tables(lane: Processes, lake: Path) -> None:
    for name in ("request", "sys", "instance", "batch"):
        refused(lane, f"SELECT * FROM {name}", lake)


def test_settings_are_locked_in(lane: Processes) -> None:
    names = (
        "enable_external_access", "lock_configuration", "python_enable_replacements",
        "autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions",
    )  # fmt: skip
    found = rows(lane, "SELECT " + ", ".join(f"current_setting('{n}')::VARCHAR AS {n}" for n in names))[0]
    assert found == {**dict.fromkeys(names, "false"), "lock_configuration": "true"}


def test_nothing_secret_reaches_a_process_list(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SQE_TOKEN", "very-secret")
    lane = Processes(FastSettings(processes=1))
    try:
        answer = lane.run(
            "SELECT 'hidden-text', error('stop')", statement_id="s", identity_key="token-of-joe"
        )
        with pytest.raises(FastLaneFailed):
            list(answer)
        [pid] = lane.children()
        seen = Path(f"/proc/{pid}/environ").read_bytes() + Path(f"/proc/{pid}/cmdline").read_bytes()
        for secret in (b"very-secret", b"hidden-text", b"token-of-joe"):
            assert secret not in seen
        assert "Umask:\t0077" in Path(f"/proc/{pid}/status").read_text()
        # Its socket, the null device, and what DuckDB opened: nothing of ours.
        held = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
        assert {name.split(":")[0] for name in held} <= {"/dev/null", "socket", "anon_inode"}
        assert os.getsid(pid) == pid
    finally:
        lane.close()
    assert capfd.readouterr() == ("", "")


def test_extensions_are_those_that_were_installed(tmp_path: Path) -> None:
    [avro, iceberg] = extensions.verified(("iceberg", "avro"))
    assert avro.endswith("avro.duckdb_extension")
    package = Path(iceberg).parents[2]
    file = str(Path(iceberg).relative_to(package))
    assert extensions.check(package, file) == Path(iceberg)

    copy = tmp_path / package.name
    shutil.copytree(package, copy)
    [record] = package.parent.glob(f"{package.name}-*.dist-info")
    shutil.copytree(record, tmp_path / record.name)
    assert extensions.check(copy, file) == copy / file
    with open(copy / file, "r+b") as content:
        content.seek(1000)
        content.write(b"\0\1\2\3changed")
    with pytest.raises(FastLaneFailed, match="not the file that was installed"):
        extensions.check(copy, file)
    (tmp_path / record.name / "RECORD").unlink()
    with pytest.raises(FastLaneFailed):
        extensions.check(copy, file)


def test_extensions_are_loaded_only_if_asked_for(lane: Processes) -> None:
    known = "SELECT count(*) > 0 AS n FROM duckdb_functions() WHERE function_name = 'iceberg_scan'"
    assert rows(lane, known, identity="plain") == [{"n": False}]
    assert rows(lane, known, identity="iceberg", extensions=("avro", "iceberg")) == [{"n": True}]
    assert rows(lane, known, identity="plain") == [{"n": False}]


def test_a_table_of_ours_cannot_hide_another_place(lane: Processes, lake: Path) -> None:
    table = pa.table({"path": [f"{lake}/theirs/a.parquet"]})
    with pytest.raises(FastLaneFailed):
        rows(lane, "SELECT * FROM read_parquet((SELECT path FROM t))", tables={"t": table})
