from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.table import StaticTable
from tests.catalog.backends.conformance import DEFAULT, CatalogConformance, definition, name, view_definition
from tests.local_files import to_path

from sqe.catalog.backends.hadoop import HadoopCatalog
from sqe.catalog.protocol import Catalog
from sqe.errors import InvalidArgument, NotFound, NotSupported, UserError
from sqe.tree import changes as c
from sqe.tree.relations import TableName


@pytest.fixture
def catalog(tmp_path: Path) -> HadoopCatalog:
    catalog = HadoopCatalog("lake", tmp_path / "über warehouse")
    catalog.create_namespace(DEFAULT)
    return catalog


class TestHadoopCatalog(CatalogConformance):
    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        """As Hadoop's own writers: a file of the next number, then the hint."""
        now = to_path(catalog.find_table(table.namespace, table.name).metadata_location)
        with InMemoryCatalog("other") as other:
            other.create_namespace("x")
            stored = other.register_table("x.t", f"file://{now}")
            stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))
            written = to_path(other.load_table("x.t").metadata_location)
        number = int(now.name.removeprefix("v").split(".")[0]) + 1
        written.rename(now.with_name(f"v{number}.metadata.json"))
        now.with_name("version-hint.text").write_text(str(number))


def test_the_layout_is_hadoops(catalog: HadoopCatalog) -> None:
    table = catalog.create_table(definition(catalog, "t"))
    place = to_path(catalog.warehouse) / "default" / "t"
    assert table.location == f"file://{place}"
    assert sorted(p.name for p in (place / "metadata").iterdir()) == ["v1.metadata.json", "version-hint.text"]
    catalog.alter_table(table.name, c.SetComment("x"))
    assert (place / "metadata" / "version-hint.text").read_text() == "2"
    assert StaticTable.from_metadata(f"file://{place}").properties["comment"] == "x"


@pytest.mark.parametrize("hint", [None, "", "1", "99", "x"])
def test_a_late_or_missing_hint_is_no_matter(catalog: HadoopCatalog, hint: str | None) -> None:
    table = catalog.create_table(definition(catalog, "t")).name
    for comment in ("a", "b"):
        catalog.alter_table(table, c.SetComment(comment))
    file = to_path(catalog.warehouse) / "default" / "t" / "metadata" / "version-hint.text"
    file.unlink()
    if hint is not None:
        file.write_text(hint)
    assert catalog.find_table(DEFAULT, "t").comment == "b"


def test_a_table_in_a_table_is_not_read(catalog: HadoopCatalog) -> None:
    """As others may have put it there."""
    catalog.create_table(definition(catalog, "t"))
    catalog.create_table(definition(catalog, "branch_main"))
    schema = to_path(catalog.warehouse) / "default"
    (schema / "branch_main").rename(schema / "t" / "branch_main")
    with pytest.raises(UserError) as error:
        catalog.find_table((*DEFAULT, "t"), "branch_main")
    assert error.value.code == "AMBIGUOUS_NAME"
    assert catalog.find_table(DEFAULT, "t")


def test_a_number_that_another_took_is_not_written_over(catalog: HadoopCatalog) -> None:
    table = catalog.create_table(definition(catalog, "t")).name
    directory = to_path(catalog.warehouse) / "default" / "t" / "metadata"
    taken = (directory / "v1.metadata.json").read_bytes()
    # Another has committed, and not yet told.
    (directory / "v2.metadata.json").write_bytes(taken)
    catalog.alter_table(table, c.SetComment("mine"))
    assert (directory / "v2.metadata.json").read_bytes() == taken
    assert catalog.find_table(DEFAULT, "t").metadata_location.endswith("/v3.metadata.json")
    assert {p.name for p in directory.iterdir()} == {
        *(f"v{n}.metadata.json" for n in (1, 2, 3)),
        "version-hint.text",
    }


def test_what_hadoop_cannot_is_refused(catalog: HadoopCatalog, tmp_path: Path) -> None:
    catalog.create_table(definition(catalog, "t"))
    for refused in (
        lambda: catalog.create_view(view_definition(catalog, "v")),
        lambda: catalog.rename_table(name(catalog, "t"), name(catalog, "u")),
        lambda: catalog.rename_namespace(DEFAULT, ("other",)),
        lambda: catalog.create_namespace(("x",), location=str(tmp_path)),
        lambda: catalog.create_table(definition(catalog, "u", location=str(tmp_path))),
        lambda: catalog.create_table(definition(catalog, "u", properties=(("write.metadata.path", "x"),))),
    ):
        with pytest.raises(NotSupported, match="of type hadoop"):
            refused()
    with pytest.raises(NotFound):
        catalog.drop_view(DEFAULT, "v")
    assert (catalog.views(DEFAULT), catalog.find_view(DEFAULT, "t")) == ([], None)
    assert catalog.tables(DEFAULT) == ["t"]


@pytest.mark.parametrize("bad", ["..", ".hidden", "_x", "a/b", "a:b", ""])
def test_names_that_are_no_directories_are_refused(catalog: HadoopCatalog, bad: str) -> None:
    with pytest.raises(InvalidArgument):
        catalog.create_table(definition(catalog, bad))
    with pytest.raises(InvalidArgument):
        catalog.create_namespace((bad,))
    with pytest.raises(NotFound):
        catalog.find_table(DEFAULT, bad or "none")
    with pytest.raises(NotFound):
        catalog.find_table((bad,), "t")


def test_a_dropped_table_leaves_no_directory(catalog: HadoopCatalog) -> None:
    catalog.create_table(definition(catalog, "t"))
    catalog.drop_table(DEFAULT, "t", purge=True)
    assert list((to_path(catalog.warehouse) / "default").iterdir()) == []


def test_a_place_that_is_its_own_may_be_named(catalog: HadoopCatalog) -> None:
    place = to_path(catalog.warehouse) / "default" / "t"
    assert catalog.create_table(definition(catalog, "t", location=str(place))).location == f"file://{place}"
    catalog.check_location(TableName("files", DEFAULT, "u"), str(place.with_name("u")))
    with pytest.raises(NotSupported):
        catalog.check_location(TableName("files", DEFAULT, "u"), str(place))


def test_half_of_a_new_table_is_no_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another maker has made the directory of the table, and a moment later that of its metadata."""
    catalog = HadoopCatalog("lake", tmp_path)
    catalog.create_namespace(DEFAULT)
    half = tmp_path / "default" / "t"
    half.mkdir()
    monkeypatch.setattr("time.sleep", lambda _: (half / "metadata").mkdir(exist_ok=True))
    assert catalog.create_table(definition(catalog, "t")).name.name == "t"
    (tmp_path / "default" / "u").mkdir()
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(UserError, match="cannot have the same name"):
        catalog.create_table(definition(catalog, "u"))
