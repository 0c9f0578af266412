"""The whole scenario at debug level, and then a look into everything that it left or showed: no token, key or
password that was used is there, neither as it is nor in base64 nor encoded for an address."""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import adbc_driver_manager
import pytest
import urllib3
from tests.stack.between import Asked, ShortKeys, Told, between
from tests.stack.lake import Lake
from tests.stack.serving import Serving, rows, serving

from sqe.config.spark import SparkSettings
from sqe.engine.spark import server
from sqe.engine.spark.jars import ICEBERG, ICEBERG_AWS, default_cache
from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]
# Spark's own copy of a table's file system goes to its executors, which are in the same process.
STATEMENTS = [
    "SELECT * FROM lake.sales.secrets",
    "EXPLAIN SELECT * FROM lake.sales.secrets",
    "EXPLAIN ANALYZE SELECT * FROM lake.sales.secrets",
    "EXPLAIN (TYPE DISTRIBUTED) SELECT * FROM lake.sales.secrets",
    "SHOW SESSION",
    "SHOW CREATE TABLE lake.sales.secrets",
    'SELECT * FROM lake.sales."secrets$properties"',
    'SELECT * FROM lake.sales."secrets$files"',
    "SELECT * FROM lake.hr.secrets",
    "INSERT INTO lake.sales.secrets VALUES (3, 'z')",
    "SELECT * FROM system.runtime.queries",
    "SELECT * FROM lake.sales.secrets WHERE name / 0 = 1",
]


class Seen:
    """All that somebody could read, by where it was."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, bytes]] = []

    def add(self, where: str, text: str | bytes) -> None:
        self.texts.append((where, text.encode(errors="replace") if isinstance(text, str) else text))

    def add_files(self, directory: Path) -> None:
        for path in directory.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.stat().st_size < 50 << 20:
                self.add(str(path), path.read_bytes())

    def places_of(self, secret: str) -> set[str]:
        """Each with the beginning of the line."""
        raw = secret.encode()
        forms = {raw, quote(secret, safe="").encode(), quote_plus(secret).encode()}
        # In base64 it looks different by where it begins: what is in the middle of each is enough.
        for shift in range(3):
            encoded = base64.b64encode(b"x" * shift + raw)
            forms.add(encoded[4 * (shift > 0) : len(encoded) - 4].rstrip(b"="))
        return {
            f"{where}: {_line(text, at)}"
            for where, text in self.texts
            for form in forms
            if (at := text.find(form)) >= 0
        }


def _line(text: bytes, at: int) -> str:
    return text[text.rfind(b"\n", 0, at) + 1 :][:120].decode(errors="replace")


class Processes:
    """This one, and all that it has started."""

    def look(self, seen: Seen) -> None:
        for pid in [os.getpid(), *self._children(os.getpid())]:
            for file in ("cmdline", "environ"):
                with contextlib.suppress(OSError):
                    text = Path(f"/proc/{pid}/{file}").read_bytes()
                    seen.add(f"/proc/{pid}/{file} ({self._name(pid)})", text)

    def _children(self, pid: int) -> Iterator[int]:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in task.read_text().split():
                yield int(child)
                yield from self._children(int(child))

    def _name(self, pid: int) -> str:
        return Path(f"/proc/{pid}/comm").read_text().strip()


@pytest.fixture
def own_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Spark]:
    """With all that Spark can tell: its event log, its user interface, and its log at debug level."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    events = tmp_path / "events"
    events.mkdir()
    log = server.LOGGING.replace("rootLogger.level = warn", "rootLogger.level = info").replace("10MB", "1GB")
    for name in ("org.apache.iceberg", "org.apache.spark.sql.connect"):
        log += f"logger.{name[-7:]}.name = {name}\nlogger.{name[-7:]}.level = debug\n"
    monkeypatch.setattr(server, "LOGGING", log)
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events}",
        "spark.eventLog.compress": "false",
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    spark = Spark(SparkSettings(driver_memory="1g", conf=conf), default_cache(), (ICEBERG, ICEBERG_AWS))
    yield spark
    spark.close(wait=60)


def test_nothing_tells_a_secret(
    lake: Lake,
    own_spark: Spark,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    lake.need_servers()
    caplog.set_level(logging.DEBUG)
    # What the test itself sends is no business of the server's log.
    for library in ("urllib3", "httpcore", "botocore"):
        logging.getLogger(library).setLevel(logging.INFO)
    seen, processes = Seen(), Processes()
    secrets: dict[str, str] = {"password of alice": "alice-secret", "client of Keycloak": "sqe-secret"}
    lake.people.set_lifetime(20)
    try:
        with between(lake.url) as catalog, between(lake.servers["s3"].facts["url"]) as store:
            keys = ShortKeys(catalog, store, 8.0)
            heard = catalog.change

            def remember(asked: Asked, told: Told) -> None:
                heard(asked, told)
                if b"s3.session-token" in told.body:
                    config = json.loads(told.body)["config"]
                    key = config["s3.access-key-id"]
                    secrets[f"secret of {key}"] = config["s3.secret-access-key"]
                    secrets[f"session of {key}"] = config["s3.session-token"]

            catalog.change = remember
            with serving(lake, tmp_path, own_spark, catalog_url=catalog.url) as sqe:
                _run(sqe, seen, processes)
                time.sleep(8)
                # Once more, with renewed keys and tokens.
                _run(sqe, seen, processes)
                seen.add("metrics", _metrics(sqe))
                for page in _pages_of_spark(tmp_path / "temporary"):
                    seen.add(*page)
                gateway = sqe.server.coordinator.gateway
                secrets["gateway"] = next(
                    value for key, value in gateway.spark_conf().items() if ".header." in key
                )
                seen.add_files(tmp_path / "temporary")
            assert len(keys.used) > 3
            for asked in catalog.asked:
                if asked.token is not None:
                    secrets[f"token {len(secrets)}"] = asked.token
    finally:
        lake.people.set_lifetime(300)
    own_spark.close(wait=60)
    seen.add("log", caplog.text)
    seen.add("log records", "\n".join(repr(vars(record)) for record in caplog.records))
    out, err = capfd.readouterr()
    seen.add("output", out + err)
    (tmp_path / "sqe.toml").unlink()
    seen.add_files(tmp_path)
    _look_for(secrets, seen, tmp_path)


def _look_for(secrets: dict[str, str], seen: Seen, home: Path) -> None:
    names = {where for where, _ in seen.texts}
    # It would be no use to look where nothing is.
    assert any(where.startswith("/proc/") and "java" in where for where in names)
    assert any("/events/" in where for where in names) and any("spark.log" in where for where in names)
    assert any("of Spark's pages" in where for where in names)
    assert len([name for name in secrets if name.startswith("token")]) > 4
    everything = b"".join(text for _, text in seen.texts)
    assert b"secrets" in everything and len(everything) > 100_000
    found = {name: places for name, secret in secrets.items() if (places := seen.places_of(secret))}
    assert not found, "\n".join(f"{name}: {place}" for name, places in found.items() for place in places)


def _run(sqe: Serving, seen: Seen, processes: Processes) -> None:
    sqe.ask("bob", "CREATE SCHEMA IF NOT EXISTS lake.sales")
    sqe.ask("bob", "CREATE OR REPLACE TABLE lake.sales.secrets AS SELECT 1 AS id, 'x' AS name")
    for user in ("alice", "bob"):
        for sql in STATEMENTS:
            try:
                seen.add(f"answer to {user}: {sql}", repr(sqe.ask(user, sql)))
            except adbc_driver_manager.Error as error:
                details = repr((error.details, error.vendor_code, error.sqlstate))
                seen.add(f"error of {user}: {sql}", str(error) + details)
        processes.look(seen)
    with sqe.connect("bob") as connection:
        rows(connection, "SET SESSION lane = 'spark'")
        seen.add("lane", repr(rows(connection, "EXPLAIN SELECT count(*) FROM lake.sales.secrets")))


def _metrics(sqe: Serving) -> bytes:
    text = b""
    for port in (sqe.server.admin.prometheus_port, sqe.server.admin.health_port):
        for path in ("/metrics", "/health", "/ready", "/status"):
            if port:
                answer = urllib3.request("GET", f"http://127.0.0.1:{port}{path}", retries=False)
                text += bytes(answer.data)
    return text


def _pages_of_spark(temporary: Path) -> Iterator[tuple[str, bytes]]:
    """The user interface, which its log says the place of."""
    (file,) = temporary.rglob("spark.log")
    log = file.read_text()
    match = re.search(r"service 'SparkUI' on port (\d+)", log)
    assert match is not None
    base = f"http://127.0.0.1:{match[1]}"

    def page(path: str) -> bytes:
        answer = urllib3.request("GET", base + path, redirect=False, timeout=60.0)
        assert answer.status < 400, path
        return bytes(answer.data)

    application = json.loads(page("/api/v1/applications"))[0]["id"]
    api = f"/api/v1/applications/{application}"
    pages = ["/jobs/", "/stages/", "/environment/", "/SQL/", "/connect/", "/executors/"]
    for path in [*pages, f"{api}/environment", f"{api}/sql?details=true&length=200", f"{api}/jobs"]:
        yield f"{path} of Spark's pages", page(path)
