from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.catalog.io.file_system_conformance import DirectoryTreeConformance

from sqe.catalog.io import file_system
from sqe.catalog.io.protocol import DirectoryTree, FileSystem


class TestLocalFiles(DirectoryTreeConformance):
    @pytest.fixture
    def files(self) -> FileSystem:
        return file_system("file:///")

    @pytest.fixture
    def place(self, tmp_path: Path) -> str:
        return f"file://{tmp_path.resolve()}"

    def test_links_are_resolved(self, tree: DirectoryTree, place: str, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to("real")
        assert tree.resolve(f"{place}/link/a", follow=False) == f"{place}/real/a"
        assert tree.resolve(f"{place}/link") == f"{place}/real"
        assert tree.resolve(f"{place}/link", follow=False) == f"{place}/link"
        assert tree.resolve(f"file:{tmp_path}/link/", follow=False) == f"{place}/link"

    def test_of_a_link_the_link_is_deleted(self, tree: DirectoryTree, place: str, tmp_path: Path) -> None:
        (tmp_path / "real").write_text("x")
        (tmp_path / "link").symlink_to("real")
        tree.delete(f"{place}/link", root=place)
        assert [path.name for path in tmp_path.iterdir()] == ["real"]

    def test_nothing_outside_the_root_goes(self, tree: DirectoryTree, place: str, tmp_path: Path) -> None:
        tree.write(f"{place}/out/a", b"1")
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "link").symlink_to("../out")
        tree.delete(f"{place}/in/link/a", root=f"{place}/in")
        assert (tmp_path / "out").is_dir()
        tree.prune(f"{place}/in/link", root=f"{place}/in")
        assert (tmp_path / "out").is_dir()

    def test_hadoops_checksums_go_with_their_files(
        self, tree: DirectoryTree, place: str, tmp_path: Path
    ) -> None:
        changes: list[Callable[[], object]] = [
            lambda: tree.write(f"{place}/a", b"2"),
            lambda: tree.delete(f"{place}/a"),
        ]
        for change in changes:
            tree.write(f"{place}/a", b"1")
            (tmp_path / ".a.crc").touch()
            change()
            assert not (tmp_path / ".a.crc").exists()

    def test_a_write_that_fails_leaves_nothing(self, tree: DirectoryTree, place: str, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "b").touch()
        with pytest.raises(OSError):
            tree.write(f"{place}/a", b"1")
        assert os.listdir(tmp_path) == ["a"]
