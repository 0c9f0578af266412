from __future__ import annotations

from pathlib import Path

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.catalogs import Catalogs, embedded
from sqe.errors import ConfigError, NotFound, UserError


def test_the_default_is_iceberg_in_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    catalogs = embedded()
    assert (catalogs.names(), catalogs.default) == (["iceberg"], "iceberg")
    # Nothing is made until it is needed.
    assert list(tmp_path.iterdir()) == []
    assert catalogs.get("iceberg").namespaces() == [DEFAULT]
    assert sorted(p.name for p in (tmp_path / ".sqe" / "warehouse").iterdir()) == ["iceberg", "sqe.db"]


def test_several_catalogs_stand_side_by_side(tmp_path: Path) -> None:
    catalogs = embedded(catalogs={"sales": tmp_path / "s", "archive": tmp_path / "a"})
    assert (catalogs.names(), catalogs.default) == (["archive", "sales"], "archive")
    sales, archive = catalogs.get("sales"), catalogs.get("ARCHIVE")
    sales.create_table(definition(sales, "t"))
    assert (sales.tables(DEFAULT), archive.tables(DEFAULT)) == (["t"], [])
    assert (tmp_path / "s" / "sqe.db").is_file()


def test_a_missing_catalog_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as error:
        embedded(warehouse=tmp_path).get("icberg")
    assert error.value.code == "CATALOG_NOT_FOUND"
    assert error.value.hint == "did you mean 'iceberg'?"


def test_memory_leaves_nothing_behind() -> None:
    catalogs = embedded(memory=True)
    catalog = catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    catalog.create_table(definition(catalog, "t"))
    assert catalog.path.is_dir()
    catalogs.close()
    assert not catalog.path.exists()
    catalogs.close()


@pytest.mark.parametrize("name", ["", "a.b", "a b", "system", "spark_catalog", "1a", 'a"b', "a\n"])
def test_names_that_engines_would_misread_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        embedded(catalogs={name: tmp_path})


def test_only_one_kind_of_place_is_chosen(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        embedded(warehouse=tmp_path, memory=True)
    with pytest.raises(ConfigError):
        Catalogs({})


def test_a_warehouse_is_mounted_under_the_name_that_it_has(tmp_path: Path) -> None:
    home = embedded(warehouse=tmp_path).get("iceberg")
    home.create_table(definition(home, "t"))
    with pytest.raises(UserError, match="belongs to the catalog 'iceberg'") as error:
        embedded(catalogs={"sales": tmp_path}).get("sales").namespaces()
    assert f"--catalog iceberg={tmp_path}" in str(error.value)
    assert home.namespaces() == [DEFAULT]
