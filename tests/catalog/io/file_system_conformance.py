"""What every file system does. A subclass has the fixtures `files`, the file system, and `place`, a directory
of it that is empty, as a location without a `/` at its end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from sqe.catalog.io.protocol import DirectoryTree, Entry, FileSystem


def names(files: FileSystem, place: str) -> list[str]:
    return sorted(entry.name for entry in files.entries(place))


class FileSystemConformance:
    def test_what_is_written_is_read(self, files: FileSystem, place: str) -> None:
        location = f"{place}/deep/er/ü b.bin"
        content = bytes(range(256)) * 1000
        files.write(location, content)
        assert files.read(location) == content
        assert files.size(location) == len(content)
        assert files.modified_ms(location) >= 0
        assert files.exists(location)

    def test_ranges(self, files: FileSystem, place: str) -> None:
        files.write(f"{place}/a", b"0123456789")
        assert files.read_range(f"{place}/a", 2, 3) == b"234"
        assert files.read_range(f"{place}/a", 8, 100) == b"89"
        assert files.read_range(f"{place}/a", 0, 0) == b""

    def test_an_empty_file_is_a_file(self, files: FileSystem, place: str) -> None:
        files.write(f"{place}/a", b"")
        assert files.exists(f"{place}/a") and files.read(f"{place}/a") == b""

    def test_writing_replaces_and_leaves_nothing_else(self, files: FileSystem, place: str) -> None:
        files.write(f"{place}/a", b"one, and longer")
        files.write(f"{place}/a", b"two")
        assert files.read(f"{place}/a") == b"two"
        assert names(files, place) == ["a"]

    def test_creating_replaces_nothing(self, files: FileSystem, place: str) -> None:
        assert files.create(f"{place}/x/a", b"one")
        assert not files.create(f"{place}/x/a", b"two")
        assert files.read(f"{place}/x/a") == b"one"
        assert names(files, f"{place}/x") == ["a"]

    def test_of_many_who_create_one_succeeds(self, files: FileSystem, place: str) -> None:
        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda n: files.create(f"{place}/a", b"%d" % n), range(40)))
        assert sum(done) == 1
        assert files.read(f"{place}/a") == b"%d" % done.index(True)

    def test_readers_see_one_whole_file_or_another(self, files: FileSystem, place: str) -> None:
        contents = {b"%d" % n * 100_000 for n in range(4)}
        files.write(f"{place}/a", b"0" * 100_000)
        with ThreadPoolExecutor(8) as pool:
            for content in contents:
                pool.submit(files.write, f"{place}/a", content)
            seen = list(pool.map(lambda _: files.read(f"{place}/a"), range(40)))
        assert set(seen) <= contents

    def test_what_is_not_there(self, files: FileSystem, place: str) -> None:
        for location in (f"{place}/absent", f"{place}/absent/either"):
            assert not files.exists(location)
            assert files.entries(location) == []
            files.delete(location)
            with pytest.raises(FileNotFoundError):
                files.read(location)
            with pytest.raises(FileNotFoundError):
                files.read_range(location, 0, 1)
            with pytest.raises(FileNotFoundError):
                files.size(location)

    def test_entries_are_those_of_one_directory(self, files: FileSystem, place: str) -> None:
        for name in ("b", "a/x", "a/y/z", "ab/c"):
            files.write(f"{place}/{name}", b"1")
        entries = sorted(files.entries(place), key=lambda entry: entry.name)
        assert entries == [Entry("a", True), Entry("ab", True), Entry("b", False)]
        assert names(files, f"{place}/a") == ["x", "y"]
        assert not files.exists(f"{place}/a")

    def test_deleting(self, files: FileSystem, place: str) -> None:
        files.write(f"{place}/a", b"1")
        files.write(f"{place}/ab", b"1")
        files.delete(f"{place}/a")
        files.delete(f"{place}/a")
        assert names(files, place) == ["ab"]

    def test_directories_that_are_left_empty_go(self, files: FileSystem, place: str) -> None:
        for name in ("t/data/day=1/a", "t/data/day=2/b", "u/c"):
            files.write(f"{place}/{name}", b"1")
        files.delete(f"{place}/t/data/day=1/a", root=place)
        assert names(files, f"{place}/t/data") == ["day=2"]
        files.delete(f"{place}/t/data/day=2/b", root=place)
        assert names(files, place) == ["u"]
        files.prune(f"{place}/u", root=place)
        assert names(files, f"{place}/u") == ["c"]

    def test_one_place_has_one_spelling(self, files: FileSystem, place: str) -> None:
        spelled = files.spell(f"{place}/a")
        assert files.spell(spelled) == spelled
        assert files.spell(f"{place}/a/") == spelled
        files.write(f"{place}/a", b"1")
        assert files.read(spelled) == b"1"

    def test_nothing_is_hidden_by_dots(self, files: FileSystem, place: str) -> None:
        for follow in (True, False):
            there = files.resolve(f"{place}/a", follow=follow)
            assert files.resolve(f"{place}/x/../a", follow=follow) == there
            assert files.resolve(there, follow=follow) == there
        assert files.resolve(f"{place}/a/../..") == files.resolve(place.rpartition("/")[0])

    def test_an_engine_is_told_something(self, files: FileSystem, place: str) -> None:
        path = files.engine_path(f"{place}/a")
        assert path.endswith("/a")


class DirectoryTreeConformance(FileSystemConformance):
    """As well, for those that have directories."""

    @pytest.fixture
    def tree(self, files: FileSystem) -> DirectoryTree:
        assert isinstance(files, DirectoryTree)
        return files

    def test_directories_are_made_once(self, tree: DirectoryTree, place: str) -> None:
        assert tree.make_directory(f"{place}/a/b")
        assert not tree.make_directory(f"{place}/a/b")
        assert tree.has_directory(f"{place}/a/b") and not tree.exists(f"{place}/a/b")
        tree.write(f"{place}/file", b"1")
        assert not tree.has_directory(f"{place}/file")
        with pytest.raises(OSError):
            tree.make_directory(f"{place}/file")

    def test_only_an_empty_one_is_removed(self, tree: DirectoryTree, place: str) -> None:
        tree.write(f"{place}/a/b", b"1")
        with pytest.raises(OSError):
            tree.remove_directory(f"{place}/a")
        tree.delete(f"{place}/a/b")
        tree.remove_directory(f"{place}/a")
        assert tree.entries(place) == []

    def test_a_tree_goes_whole(self, tree: DirectoryTree, place: str) -> None:
        for name in ("t/a", "t/b/c", "u"):
            tree.write(f"{place}/{name}", b"1")
        tree.remove_tree(f"{place}/t")
        assert names(tree, place) == ["u"]
        with pytest.raises(FileNotFoundError):
            tree.remove_tree(f"{place}/t")

    def test_empty_directories_are_pruned(self, tree: DirectoryTree, place: str) -> None:
        for name in ("t/data/day=1", "t/metadata", "u"):
            tree.make_directory(f"{place}/{name}")
        tree.prune(f"{place}/t", root=f"{place}/t")
        assert names(tree, f"{place}/t") == ["data", "metadata"]
        tree.prune(f"{place}/t", root=place)
        assert names(tree, place) == ["u"]
