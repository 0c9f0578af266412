from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import InvalidArgument, SqeError, Unavailable


def refused(act: Callable[[], object], *words: str) -> None:
    with pytest.raises(Unavailable) as error:
        act()
    text = str(error.value)
    assert "\n" not in text
    assert error.value.hint
    for word in words:
        assert word in text


def as_nobody(act: Callable[[], object]) -> str:
    """The error that a user without rights gets, in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        text = "no error"
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            act()
        except SqeError as error:
            text = f"{type(error).__name__}: {error}"
        finally:
            os.write(write, text.encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return text


def open_to_all(path: Path) -> Path:
    """Lets others reach a directory of this test's own."""
    for parent in (path, *path.parents):
        if parent.stat().st_uid == os.getuid() and parent.stat().st_mode & 0o055 != 0o055:
            parent.chmod(parent.stat().st_mode | 0o055)
    return path


def test_a_file_is_no_warehouse(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("hello")
    refused(EmbeddedCatalog("iceberg", file).namespaces, str(file), "--warehouse")
    refused(EmbeddedCatalog("iceberg", file / "below").namespaces, "not a directory", "--warehouse")
    assert file.read_text() == "hello"


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_corrupt_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sqe.db").write_bytes(content)
    catalog = EmbeddedCatalog("iceberg", tmp_path)
    refused(catalog.namespaces, str(tmp_path), "sqe.db")
    refused(lambda: catalog.create_namespace(("x",)), "sqe.db")
    assert (tmp_path / "sqe.db").read_bytes() == content


def test_a_directory_in_place_of_the_database(tmp_path: Path) -> None:
    (tmp_path / "sqe.db").mkdir()
    refused(EmbeddedCatalog("iceberg", tmp_path).namespaces, str(tmp_path))


def test_a_place_that_may_not_be_written(tmp_path: Path) -> None:
    closed = open_to_all(tmp_path) / "closed"
    closed.mkdir(mode=0o555)
    text = as_nobody(EmbeddedCatalog("iceberg", closed / "warehouse").namespaces)
    assert text.startswith("Unavailable: ") and "permission denied" in text and "--warehouse" in text
    assert list(closed.iterdir()) == []


def test_a_warehouse_of_another_is_read_but_not_written(tmp_path: Path) -> None:
    place = open_to_all(tmp_path) / "warehouse"
    own = EmbeddedCatalog("iceberg", place)
    own.create_table(definition(own, "t"))
    for directory, _, files in os.walk(place):
        os.chmod(directory, 0o555)
        for file in files:
            os.chmod(os.path.join(directory, file), 0o444)
    other = EmbeddedCatalog("iceberg", place)
    try:
        assert as_nobody(lambda: other.find_table(DEFAULT, "t")) == "no error"
        text = as_nobody(lambda: other.create_namespace(("x",)))
        assert text.startswith("Unavailable: ") and "not yours to write" in text
        text = as_nobody(lambda: other.create_table(definition(other, "u")))
        assert text.startswith("Unavailable: ") and "permission denied" in text
        text = as_nobody(lambda: other.drop_table(DEFAULT, "t"))
        assert text.startswith("Unavailable: ")
    finally:
        for directory, _, _ in os.walk(place):
            os.chmod(directory, 0o755)
    assert own.tables(DEFAULT) == ["t"]
    assert len(list(place.glob("iceberg/default/*"))) == 1


def test_a_table_that_cannot_be_recorded_leaves_no_file(tmp_path: Path) -> None:
    place = open_to_all(tmp_path) / "warehouse"
    catalog = EmbeddedCatalog("iceberg", place)
    catalog.namespaces()
    # The data directory may be written, the database not.
    catalog.data.chmod(0o777)
    place.chmod(0o555)
    (place / "sqe.db").chmod(0o444)
    try:
        assert as_nobody(lambda: catalog.create_table(definition(catalog, "t"))).startswith("Unavailable: ")
    finally:
        place.chmod(0o755)
    assert [p for p in catalog.data.rglob("*") if p.is_file()] == []


def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    catalog = EmbeddedCatalog("iceberg", tmp_path)
    catalog.namespaces()
    db = sqlite3.connect(tmp_path / "sqe.db", isolation_level=None, check_same_thread=False)
    db.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.5, lambda: db.execute("COMMIT"))
    release.start()
    catalog.create_namespace(("x",))
    release.join()
    db.close()
    assert catalog.namespaces() == [DEFAULT, ("x",)]


def test_a_lock_that_stays_is_an_error(tmp_path: Path) -> None:
    EmbeddedCatalog("iceberg", tmp_path).namespaces()
    catalog = EmbeddedCatalog("iceberg", tmp_path, lock_timeout=0.2)
    db = sqlite3.connect(tmp_path / "sqe.db", isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    try:
        refused(lambda: catalog.create_table(definition(catalog, "t")), "locked by another process")
        refused(catalog.namespaces, "locked by another process")
    finally:
        db.execute("ROLLBACK")
        db.close()
    assert catalog.tables(DEFAULT) == []
    assert [p for p in catalog.data.rglob("*") if p.is_file()] == []


def test_a_path_that_no_location_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="'#'"):
        EmbeddedCatalog("iceberg", tmp_path / "a#b")


def test_a_warehouse_that_vanished_is_made_again(tmp_path: Path) -> None:
    catalog = EmbeddedCatalog("iceberg", tmp_path / "w")
    catalog.create_namespace(("x",))
    (tmp_path / "w" / "sqe.db").unlink()
    assert catalog.namespaces() == [DEFAULT]


@pytest.mark.parametrize("name", [(), ("",), ("a", ""), ("a..b",), (" a",)])
def test_a_schema_needs_a_name(tmp_path: Path, name: tuple[str, ...]) -> None:
    with pytest.raises(InvalidArgument):
        EmbeddedCatalog("iceberg", tmp_path).create_namespace(name)
