"""A catalog that begins with the server and ends with it."""

from __future__ import annotations

from pathlib import Path

from tests.doors.trino.trino_door import Wire, opened_door

from sqe.catalog.backends.memory import MemoryCatalog

MEMORY = '[catalogs.memory]\ntype = "memory"\n'


def test_it_ends_with_the_server(tmp_path: Path) -> None:
    with opened_door(tmp_path, MEMORY) as door:
        wire = Wire(door.url)
        assert "error" not in wire.run("CREATE TABLE memory.default.t (a bigint)").pages[-1]
        assert wire.run("SELECT count(*) FROM memory.default.t").rows == [[0]]
        catalog = door.server.coordinator.catalogs.get("memory")
        assert isinstance(catalog, MemoryCatalog) and catalog.path.is_dir()
    assert not catalog.path.exists()
    home = tmp_path / "again"
    home.mkdir()
    with opened_door(home, MEMORY) as door:
        assert Wire(door.url).run("SHOW TABLES FROM memory.default").rows == []
