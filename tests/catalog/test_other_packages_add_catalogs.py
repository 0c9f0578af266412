"""A type of catalog of another package: the example of docs/catalogs.md, installed as pip would."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from sqe.api.connection import connect
from sqe.catalog import mount
from sqe.config.config import load
from sqe.errors import ConfigError

PAGE = (Path(__file__).parents[2] / "docs" / "catalogs.md").read_text()
SECTION = PAGE[PAGE.index("## Of another package") : PAGE.index("## Several at once")]


def example(file: str) -> str:
    found = re.search(rf"```[^\n]*\n# {file}.*?\n(.*?)```", SECTION, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the package installed."""
    site = tmp_path / "site"
    info = site / "sqe_shelf-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sqe-shelf\nVersion: 1.0\n")
    project = tomllib.loads(example("pyproject.toml"))["project"]
    (group, entries), *_ = project["entry-points"].items()
    lines = [f"{name} = {place}" for name, place in entries.items()]
    lines += ["torn = sqe_shelf:absent", "sqlite = sqe_shelf:absent"]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))
    (site / "sqe_shelf.py").write_text(example("sqe_shelf.py"))
    monkeypatch.syspath_prepend(str(site))
    file = tmp_path / "sqe.toml"
    file.write_text(example("sqe.toml").replace("/data/", f"{tmp_path}/data/"))
    return file


def test_its_catalog_is_one_like_others(config: Path, tmp_path: Path) -> None:
    with connect(config=config) as connection:
        connection.execute("CREATE SCHEMA books.s")
        connection.execute("CREATE TABLE books.s.t (n bigint)")
        connection.execute("COMMENT ON TABLE books.s.t IS 'lent'")
        assert connection.execute("SELECT count(*) FROM books.s.t").fetchall() == [(0,)]
        assert connection.execute("SHOW TABLES FROM books.s").fetchall() == [("t",)]
    assert (tmp_path / "data" / "shelf.db").is_file()
    assert list((tmp_path / "data" / "books").rglob("*.metadata.json"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('type = "torn"', 'type "torn" cannot be loaded'),
        ('type = "unheard-of"', "one of rest, hms, .*, shelf, "),
        ('type = "sqlite"\nwarehouse = "/x"\noptions = { a = 1 }', "has no key options"),
    ],
)
def test_what_cannot_be_mounted_is_told(config: Path, text: str, complaint: str) -> None:
    config.write_text(f"[catalogs.x.backend]\n{text}")
    with pytest.raises(ConfigError, match=complaint):
        mount.from_config(load(config, {}))


def test_no_package_stands_in_for_ours(config: Path, tmp_path: Path) -> None:
    config.write_text(f'[catalogs.x.backend]\ntype = "sqlite"\nwarehouse = "{tmp_path}/w"')
    assert mount.from_config(load(config, {})).get("x").namespaces() == [("default",)]


def test_options_are_not_shown(config: Path) -> None:
    assert "shelf.db" not in repr(load(config, {}))


def test_a_warehouse_may_be_where_a_package_reaches(config: Path, tmp_path: Path) -> None:
    text = f'[catalogs.x.backend]\ntype = "jdbc"\nurl = "sqlite:{tmp_path}/p.db"\nwarehouse = "shelf://x"'
    config.write_text(text)
    with pytest.raises(ConfigError, match="awaits object stores"):
        load(config, {})
    with (tmp_path / "site" / "sqe_shelf-1.0.dist-info" / "entry_points.txt").open("a") as entries:
        entries.write("\n[sqe.file_systems]\nshelf = sqe_shelf:files\n")
    assert load(config, {}).catalogs["x"].warehouse == "shelf://x"
