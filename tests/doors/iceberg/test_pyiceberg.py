"""PyIceberg on the door: tables come, change and go, and others see it."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import (
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchTableError,
    UnauthorizedError,
)
from pyiceberg.types import LongType
from tests.doors.iceberg.iceberg_door import KEYS

from sqe.doors.open import OpenServer

ROWS = pa.table({"a": pa.array([1, 2], pa.int64()), "b": ["x", "y"]})


def catalog_of(url: str, warehouse: str, **log_in: str) -> Catalog:
    return load_catalog(
        "door", type="rest", uri=url, warehouse=warehouse, **(log_in or {"token": KEYS["ann"]})
    )


@pytest.mark.parametrize("warehouse", ["lake", "plain"])
def test_a_table_comes_changes_and_goes(door: tuple[OpenServer, str], warehouse: str) -> None:
    server, url = door
    catalog = catalog_of(url, warehouse)
    catalog.create_namespace("s")
    table = catalog.create_table("s.t", schema=ROWS.schema)
    table.append(ROWS)
    with table.update_schema() as update:
        update.add_column("c", LongType())
    table.append(ROWS.append_column("c", pa.array([7, 8], pa.int64())))
    found = catalog.load_table("s.t").scan().to_arrow().sort_by([("a", "ascending"), ("c", "ascending")])
    assert found.to_pydict() == {"a": [1, 1, 2, 2], "b": ["x", "x", "y", "y"], "c": [7, None, 8, None]}
    seen = server.coordinator.catalogs.get(warehouse).find_table(("s",), "t")
    assert [column.name for column in seen.columns] == ["a", "b", "c"]
    catalog.drop_table("s.t")
    assert catalog.list_tables("s") == []
    catalog.drop_namespace("s")


def test_what_goes_wrong_is_said_in_the_protocol(door: tuple[OpenServer, str]) -> None:
    catalog = catalog_of(door[1], "lake")
    catalog.create_namespace("wrong")
    table = catalog.create_table("wrong.t", schema=ROWS.schema)
    with pytest.raises(NamespaceAlreadyExistsError, match="Namespace already exists: wrong"):
        catalog.create_namespace("wrong")
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace("wrong")
    with pytest.raises(NoSuchTableError, match=r"Table does not exist: wrong\.u"):
        catalog.load_table("wrong.u")
    stale = catalog.load_table("wrong.t")
    table.append(ROWS)
    # A conflict, after which it works on what is there.
    stale.append(ROWS)
    catalog.rename_table("wrong.t", "wrong.u")
    assert catalog.load_table("wrong.u").scan().count() == 4


def test_log_in(door: tuple[OpenServer, str]) -> None:
    url = door[1]
    tokens = {"oauth2-server-uri": f"{url}/v1/oauth/tokens"}
    with pytest.raises(UnauthorizedError):
        catalog_of(url, "lake", token="wrong").list_namespaces()
    assert ("default",) in catalog_of(url, "lake", credential=KEYS["joe"], **tokens).list_namespaces()
