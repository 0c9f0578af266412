"""A scheme of another package: found by its entry point, and enough for a catalog to keep its tables in."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.catalog.io.file_system_conformance import FileSystemConformance
from tests.catalog.io.memory_files import SCHEME, install

from sqe.catalog import io
from sqe.catalog.backends.hadoop import HadoopCatalog
from sqe.catalog.backends.jdbc import JdbcCatalog
from sqe.catalog.backends.sqlite_pointers import SqlitePointers
from sqe.catalog.io import file_system
from sqe.catalog.io.local import LocalFiles
from sqe.catalog.io.protocol import FileSystem
from sqe.errors import ConfigError, NotSupported
from sqe.tree import changes as c


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "_makers", {})
    install(tmp_path / "site", monkeypatch)


class TestMemoryFiles(FileSystemConformance):
    @pytest.fixture
    def files(self) -> FileSystem:
        return file_system(f"{SCHEME}://")

    @pytest.fixture
    def place(self) -> str:
        return f"{SCHEME}://bucket/place"


def test_no_package_stands_in_for_ours() -> None:
    assert isinstance(file_system("file:///x"), LocalFiles)
    assert isinstance(file_system("/x"), LocalFiles)


def test_one_that_cannot_be_loaded_is_told() -> None:
    with pytest.raises(ConfigError, match="broken-of-tests"):
        file_system("broken-of-tests://x")


def test_a_catalog_keeps_its_tables_there(tmp_path: Path) -> None:
    pointers = SqlitePointers("lake", tmp_path / "p.db", directories=(), lock_timeout=5, own=False)
    catalog = JdbcCatalog("lake", pointers, f"{SCHEME}://bucket/lake")
    table = catalog.create_table(definition(catalog, "t"))
    assert table.location.startswith(f"{SCHEME}://bucket/lake/default/t-")
    catalog.alter_table(table.name, c.SetComment("there"))
    assert catalog.find_table(DEFAULT, "t").comment == "there"
    metadata = f"{table.location}/metadata"
    assert len(file_system(metadata).entries(metadata)) == 2
    assert catalog.drop_table(DEFAULT, "t", purge=True) == []
    assert file_system(metadata).entries(metadata) == []
    assert not (tmp_path / "bucket").exists()


def test_a_catalog_of_directories_needs_directories_to_write() -> None:
    catalog = HadoopCatalog("lake", f"{SCHEME}://bucket/lake")
    assert catalog.namespaces() == []
    with pytest.raises(NotSupported, match="of type hadoop, tables in an object store can only be read"):
        catalog.create_namespace(("new",))
