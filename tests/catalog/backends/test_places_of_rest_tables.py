"""A REST catalog is not believed about places that its configuration does not allow: it may not read files of
the server's account to anybody, nor have the server's keys used in other buckets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog as PlainRestCatalog
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server
from tests.catalog.gateway.test_spark_outlives_keys_and_tokens import asking

from sqe.api.connection import Connection, connect
from sqe.catalog.backends.rest import RestCatalog, mount
from sqe.catalog.backends.vended import VendedStorage
from sqe.catalog.gateway.app import spark_files
from sqe.catalog.gateway.bindings import Access, Binding
from sqe.catalog.gateway.gateway import Gateway
from sqe.catalog.io import file_system
from sqe.catalog.io.places import AllowedPlaces
from sqe.config.config import CatalogSettings, load
from sqe.errors import AccessDenied, ConfigError

OWN = {"s3.access-key-id": "own", "s3.secret-access-key": "hush", "s3.endpoint": "https://mine"}
Named = tuple[dict[str, Any], str]


def served(location: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"location": location}, **more}


def storage(answer: dict[str, Any], *places: str, **more: Any) -> VendedStorage:
    return VendedStorage(answer, OWN, lambda: answer, allowed=AllowedPlaces("lake", places, **more))


@pytest.mark.parametrize(
    "place",
    [
        "file:///etc/passwd",
        "file:/etc/passwd",
        "/etc/passwd",
        "FILE:///etc/passwd",
        "s3://other/t/x.parquet",
        "s3a://other/t/x.parquet",
        "s3://lake@other/x.parquet",
        "s3://lake.other/x.parquet",
        "s3://user:pw@lake/x",
        "gs://lake/t/x.parquet",
        "hdfs://lake/x",
    ],
)
def test_vended_keys_open_the_bucket_of_the_table(place: str) -> None:
    vended = {"config": {"s3.access-key-id": "vended"}}
    given = storage(served("s3://lake/t", **vended))
    assert given.properties("s3a://lake/t/x.parquet")["s3.access-key-id"] == "vended"
    with pytest.raises(AccessDenied, match="is not a place for files of catalog 'lake'"):
        given.properties(place)


def test_a_bucket_that_keys_were_handed_out_for_is_the_tables_too() -> None:
    credentials = [{"prefix": "s3://aside/data/", "config": {"s3.access-key-id": "vended"}}]
    given = storage(served("s3://lake/t", **{"storage-credentials": credentials}))
    assert given.properties("s3://aside/data/x")["s3.access-key-id"] == "vended"
    everywhere = storage(served("s3://lake/t", **{"storage-credentials": [{"prefix": "", "config": {}}]}))
    with pytest.raises(AccessDenied):
        everywhere.properties("s3://other/x")


def test_configured_places_hold_whatever_is_vended() -> None:
    vended = {"config": {"s3.access-key-id": "vended"}}
    given = storage(served("s3://lake/w/t", **vended), "s3://lake/w")
    assert given.properties("s3://lake/w/t")["s3.access-key-id"] == "vended"
    for place in ("s3://lake/wide/t", "s3://lake/w/../x", "s3://lake", "file:///etc/passwd"):
        with pytest.raises(AccessDenied):
            given.properties(place)


def test_keys_of_the_configuration_go_to_configured_places_alone() -> None:
    """Where no place is configured they go nowhere, since it is the catalog that says where a table is."""
    anywhere = storage(served("s3://lake/t"))
    with pytest.raises(AccessDenied, match="there are no keys for") as refused:
        anywhere.properties("s3://lake/t/x")
    assert "catalogs.lake.allowed_locations" in str(refused.value) and "hush" not in str(refused.value)
    for given in (
        storage(served("s3://lake/t"), "s3://lake"),
        storage(served("s3://lake/t"), keyed=("s3://lake",)),
    ):
        assert given.properties("s3://lake/t/x") == OWN
        assert given.owner == "of the configuration"
        with pytest.raises(AccessDenied):
            given.properties("s3://other/x")


def test_spark_gets_them_for_those_places() -> None:
    files = spark_files(storage(served("s3://lake/w/t"), "s3://lake/w"), "s3://lake/w/t")
    assert {prefix for prefix, _ in files.by_prefix} == {"s3://lake/w/", "s3a://lake/w/"}
    assert {config["s3.access-key-id"] for _, config in files.by_prefix} == {"own"}
    assert "hush" not in str(files.config)
    assert files.config["client.credentials-provider"].endswith("AnonymousCredentialsProvider")
    assert files.config["io-impl"].endswith("S3FileIO"), "it opens no local file, whatever a manifest says"


def test_a_link_leads_out_of_no_place(tmp_path: Path) -> None:
    inside, outside = tmp_path / "lake", tmp_path / "secret"
    inside.mkdir()
    outside.write_text("hush")
    (inside / "link").symlink_to(outside)
    (inside / "plain").write_text("fine")
    given = storage(served(f"file://{inside}/t"), f"file://{inside}")
    plain = f"file://{inside}/plain"
    assert file_system(plain, given).read(plain) == b"fine"
    for place in (f"file://{inside}/link", f"file://{inside}/../secret"):
        with pytest.raises(AccessDenied):
            file_system(place, given).read(place)


def test_what_is_no_place_stops_the_start(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    for text, complaint in (
        (
            '[catalogs.a]\ncatalog_url = "https://x"\nwarehouse = "w"\nallowed_locations = ["lake"]',
            "not a place",
        ),
        (
            '[catalogs.a]\ntype = "sqlite"\nwarehouse = "w"\nallowed_locations = ["s3://b"]',
            "no key allowed_loc",
        ),
    ):
        file.write_text(text)
        with pytest.raises(ConfigError, match=complaint):
            load(file, {})


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeRestServer]:
    """With a table of two rows at home, on the disk of this machine."""
    with fake_rest_server(tmp_path / "lake") as server:
        catalog = _mounted(server, str(tmp_path / "lake"))
        catalog.create_namespace(DEFAULT)
        catalog.create_table(definition(catalog, "t"))
        catalog.close()
        plain = PlainRestCatalog("lake", uri=server.url, warehouse="lake").load_table((*DEFAULT, "t"))
        plain.append(pa.Table.from_pylist([{"id": 1}, {"id": 2}], schema=plain.schema().as_arrow()))
        yield server


def _mounted(server: FakeRestServer, *places: str) -> RestCatalog:
    return mount(CatalogSettings("lake", "rest", "lake", server.url, allowed_locations=places))


def _connected(server: FakeRestServer, home: Path, *places: str) -> Connection:
    allowed = f"allowed_locations = {list(places)}\n"
    (home / "sqe.toml").write_text(
        f'[catalogs.lake]\ncatalog_url = "{server.url}"\nwarehouse = "lake"\n{allowed}'
    )
    return connect(config=home / "sqe.toml")


def _pretend(server: FakeRestServer, change: Callable[[dict[str, Any], str], Named]) -> None:
    raw, location = server.entries["tables"][DEFAULT, "t"]
    server.entries["tables"][DEFAULT, "t"] = change(raw, location)


def test_no_local_file_is_read_unless_that_is_configured(server: FakeRestServer, tmp_path: Path) -> None:
    with _connected(server, tmp_path) as connection:
        for statement in (
            "SELECT * FROM t",
            'SELECT * FROM "t$files"',
            "DESCRIBE t",
            "EXPLAIN SELECT * FROM t",
            "INSERT INTO t (id) VALUES (3)",
            "DELETE FROM t",
            "SHOW STATS FOR t",
        ):
            with pytest.raises(AccessDenied, match="is not a place for files of catalog 'lake'"):
                connection.execute(statement)
        assert connection.execute("SHOW TABLES").fetchall() == [("t",)]
    with _connected(server, tmp_path, str(tmp_path / "lake")) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchall() == [(2,)]


@pytest.mark.parametrize("what", ["location", "metadata-location", "write.data.path", "manifest-list"])
def test_each_place_that_metadata_names(server: FakeRestServer, tmp_path: Path, what: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def change(raw: dict[str, Any], location: str) -> Named:
        match what:
            case "location":
                return {**raw, "location": f"file://{elsewhere}"}, location
            case "metadata-location":
                return raw, f"file://{elsewhere}/00001.metadata.json"
            case "write.data.path":
                return {**raw, "properties": {what: f"file://{elsewhere}"}}, location
        (snapshot,) = raw["snapshots"]
        moved = elsewhere / "snap.avro"
        moved.write_bytes(Path(snapshot["manifest-list"].removeprefix("file://")).read_bytes())
        return {**raw, "snapshots": [{**snapshot, "manifest-list": f"file://{moved}"}]}, location

    _pretend(server, change)
    refused = pytest.raises(AccessDenied, match="is not a place for files of catalog 'lake'")
    with _connected(server, tmp_path, str(tmp_path / "lake")) as connection, refused:
        connection.execute("SELECT count(id) FROM t")


def test_spark_is_not_told_of_a_local_table_with_files_elsewhere(
    server: FakeRestServer, tmp_path: Path
) -> None:
    """Inside Spark nothing keeps a local file from being opened: the gateway looks before."""
    plain = PlainRestCatalog("lake", uri=server.url, warehouse="lake").load_table((*DEFAULT, "t"))
    (data,) = (task.file for task in plain.scan().plan_files())
    moved = tmp_path / "secret.parquet"
    Path(data.file_path.removeprefix("file://")).rename(moved)
    plain.add_files([f"file://{moved}"])
    catalog = _mounted(server, str(tmp_path / "lake"))
    table = catalog.find_table(DEFAULT, "t")
    gateway = Gateway()
    for access in (Access.READ, Access.WRITE):
        namespace = gateway.bindings.begin({"t": Binding(table.name, access, catalog, table)})
        status, answer = asking(gateway)("GET", f"v1/namespaces/{namespace.name}/tables/t")
        assert status == 400 and "is not a place for files" in answer["error"]["message"]
        assert isinstance(namespace.failure, AccessDenied)
    gateway.close()
    catalog.close()
