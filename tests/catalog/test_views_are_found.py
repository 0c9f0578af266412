from __future__ import annotations

from pathlib import Path

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.stored_views import store_view, store_view_metadata

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import NotFound, NotSupported, Unavailable, UserError
from sqe.tree.relations import TableName

A = {"a": "long"}


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    return EmbeddedCatalog("iceberg", tmp_path / "warehouse")


def test_a_view_is_what_its_current_version_says(catalog: EmbeddedCatalog) -> None:
    store_view(catalog, "v", "SELECT 1 AS a", A, default_namespace="x.y", default_catalog="lake")
    view = catalog.find_view(DEFAULT, "v")
    assert view is not None
    assert (view.name, view.sql) == (TableName("iceberg", DEFAULT, "v"), "SELECT 1 AS a")
    assert (view.default_catalog, view.default_namespace) == ("lake", ("x", "y"))
    assert [(c.name, str(c.type)) for c in view.columns] == [("a", "bigint")]


def test_the_default_catalog_is_the_views_own(catalog: EmbeddedCatalog) -> None:
    store_view(catalog, "v", "SELECT 1 AS a", A)
    view = catalog.find_view(DEFAULT, "v")
    assert view is not None and view.default_catalog == "iceberg"


def test_tables_and_views_share_their_names(catalog: EmbeddedCatalog) -> None:
    store_view(catalog, "Sales", "SELECT 1 AS a", A)
    catalog.create_table(definition(catalog, "orders"))
    view = catalog.find_view(("DEFAULT",), "SALES")
    assert view is not None and view.name.name == "Sales"
    assert catalog.find_view(DEFAULT, "orders") is None
    assert catalog.find_view(DEFAULT, "nosuch") is None
    assert catalog.find_view(("nosuch",), "v") is None
    assert catalog.tables(DEFAULT) == ["orders"]
    with pytest.raises(NotFound, match="that is a view"):
        catalog.find_table(DEFAULT, "sales")
    catalog.create_table(definition(catalog, "SALES"))
    assert catalog.find_view(DEFAULT, "SALES") is None
    assert catalog.find_view(DEFAULT, "Sales") is not None
    for find in (catalog.find_view, catalog.find_table):
        with pytest.raises(UserError) as error:
            find(DEFAULT, "sales")
        assert error.value.code == "AMBIGUOUS_NAME"


def test_a_view_that_may_not_be_seen_looks_absent(catalog: EmbeddedCatalog) -> None:
    store_view(catalog, "secrets", "SELECT 1 AS a", A)

    def visible(namespace: tuple[str, ...], name: str | None) -> bool:
        return name != "secrets"

    assert catalog.find_view(DEFAULT, "secrets", visible=visible) is None
    for name in ("secrets", "SECRETS", "secret"):
        with pytest.raises(NotFound) as error:
            catalog.find_table(DEFAULT, name, visible=visible)
        assert str(error.value) == f"table 'iceberg.default.{name}' does not exist"


def test_a_view_without_our_dialect_is_refused(catalog: EmbeddedCatalog) -> None:
    store_view(catalog, "v", "SELECT 1 AS a", A, dialect="hive")
    with pytest.raises(NotSupported, match=r"only of 'hive' and 'spark' \(give the view a text"):
        catalog.find_view(DEFAULT, "v")


def test_a_version_of_the_future_is_refused(catalog: EmbeddedCatalog) -> None:
    store_view_metadata(catalog, "v", {"format-version": 2})
    with pytest.raises(NotSupported, match="view format version 2"):
        catalog.find_view(DEFAULT, "v")


@pytest.mark.parametrize("raw", [[], {}, {"format-version": "x"}, {"format-version": 1, "versions": []}])
def test_garbage_is_one_clear_error(catalog: EmbeddedCatalog, raw: object) -> None:
    store_view_metadata(catalog, "v", raw)
    with pytest.raises(Unavailable, match=r"view 'iceberg\.default\.v' cannot be loaded") as error:
        catalog.find_view(DEFAULT, "v")
    assert error.value.code == "ICEBERG_INVALID_METADATA"
