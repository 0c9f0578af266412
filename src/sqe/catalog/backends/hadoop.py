"""A catalog that is a directory and nothing else: schemas and tables are directories, as Hadoop's are.

`schema/table/metadata/v7.metadata.json` is the seventh metadata of a table, and `version-hint.text` beside
it says 7. A commit is the file of the next number, which only one can make. There are no views, and
nothing can be renamed: a name is a place.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from sqe.catalog.backends.committing import (
    CommittingCatalog,
    Namespace,
    Pointer,
    Raw,
    check_readable,
    taken,
)
from sqe.catalog.backends.jdbc import not_writable, refuse_purge
from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.table import Table
from sqe.catalog.iceberg.view import View, ViewDefinition
from sqe.catalog.io.location import schema_directory, spell, to_path
from sqe.catalog.protocol import everything
from sqe.errors import AlreadyExists, InvalidArgument, NotSupported, SqeError, Unavailable, UserError
from sqe.tree.changes import Change
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable

_HINT = "version-hint.text"
_VERSION = re.compile(r"v(\d+)(\.gz)?\.metadata\.json(\.gz)?")
# Spark refuses a table of such a catalog that has it.
_METADATA_PLACE = "write.metadata.path"


class HadoopCatalog(CommittingCatalog):
    """The catalog `name` in the directory `path`."""

    # A table that is dropped and made again begins with the same file name.
    _keeps_metadata = False

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name)
        self.path = path
        self._warehouse = spell(path)

    def check(self) -> None:
        self._directories(self.path)

    def namespaces(self) -> list[Namespace]:
        return sorted(self._below(self.path, ()))

    def tables(self, namespace: Namespace) -> list[str]:
        return sorted(self._names(namespace))

    def views(self, namespace: Namespace) -> list[str]:
        return []

    def namespace_location(self, namespace: Namespace) -> str | None:
        return None

    def table_location(self, namespace: Namespace, name: str, *, wanted: str | None = None) -> str | None:
        self._refuse_other_place(namespace, name, wanted)
        return None

    def create_namespace(self, namespace: Namespace, *, location: str | None = None) -> None:
        if location is not None:
            raise self._unable("a schema cannot have a LOCATION of its own")
        namespace = self._as_stored(namespace)
        place = self._place(namespace)
        dotted = ".".join(namespace)
        above = self._table_above(namespace)
        if above is not None:
            raise taken(f"table '{self.name}.{above}'")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir()
        except FileExistsError as error:
            if place.is_dir():
                raise AlreadyExists(
                    f"schema '{self.name}.{dotted}' already exists", code="SCHEMA_ALREADY_EXISTS"
                ) from None
            raise self._unusable(error) from error
        except OSError as error:
            raise self._unusable(error) from error

    def drop_namespace(self, namespace: Namespace, *, cascade: bool = False) -> None:
        stored = self.find_namespace(namespace)
        place = self._place(stored)
        try:
            if cascade:
                self._remove(place)
            else:
                place.rmdir()
        except OSError as error:
            if not cascade and place.is_dir() and any(place.iterdir()):
                raise UserError(
                    f"schema '{self.name}.{'.'.join(stored)}' is not empty",
                    code="SCHEMA_NOT_EMPTY",
                    hint="DROP SCHEMA ... CASCADE drops what is in it",
                ) from None
            raise self._unusable(error) from error

    def rename_namespace(self, namespace: Namespace, to: Namespace) -> None:
        self._refuse_renaming()

    def rename_table(self, table: TableName, to: TableName) -> None:
        self._refuse_renaming()

    def rename_view(self, view: TableName, to: TableName) -> None:
        self._refuse_views()

    def create_view(self, view: ViewDefinition, *, replace: bool = False) -> View:
        self._refuse_views()

    def alter_view(self, view: TableName, change: Change) -> None:
        self.find_view_name(view.namespace, view.name)
        self._refuse_views()

    def drop_view(self, namespace: Namespace, name: str) -> None:
        self.find_view_name(namespace, name)
        self._refuse_views()

    def create_table(self, statement: CreateTable) -> Table:
        if statement.table.name:
            self._refuse_other_place(statement.table.namespace, statement.table.name, statement.location)
        return super().create_table(replace(statement, location=None))

    def drop_table(self, namespace: Namespace, name: str, *, purge: bool = False) -> list[str]:
        """Its directory goes in any case, for it is the name; `purge` tells of its files elsewhere, which
        may be another's."""
        table, pointer = self._find_table(namespace, name, everything)
        place = self._place(table.namespace, table.name)
        left: list[str] = []
        if purge:
            from sqe.catalog.backends.purged_files import Places, divided
            from sqe.catalog.backends.table_files import every_file

            raw = metadata.read(pointer.location, table)
            refuse_purge(raw, table)
            here = Places((Path(os.path.realpath(place)),), ())
            left = divided(every_file(raw, pointer.location, table), here)[1]
        try:
            self._remove(place)
        except FileNotFoundError:
            raise self._not_found(table.namespace, name) from None
        except OSError as error:
            raise self._unusable(error) from error
        return left

    def spark_conf(self) -> dict[str, str]:
        prefix = f"spark.sql.catalog.{self.name}"
        return {
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "hadoop",
            f"{prefix}.warehouse": self._warehouse,
            # Others write too, so that every statement looks at the directory again.
            f"{prefix}.cache-enabled": "false",
        }

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _names(self, namespace: Namespace) -> list[str]:
        return [entry.name for entry in self._directories(self._place(namespace)) if _is_table(entry)]

    def _pointer(self, namespace: Namespace, name: str) -> Pointer | None:
        if not _is_plain((*namespace, name)):
            return None
        found = _current(self.path.joinpath(*namespace, name) / "metadata")
        return None if found is None else Pointer(spell(found), False)

    def _as_stored(self, namespace: Namespace) -> Namespace:
        return tuple(".".join(namespace).split("."))

    def _new_location(self, namespace: Namespace, name: str) -> str:
        return "/".join((self._warehouse, *namespace, name))

    def _swap(
        self, name: TableName, raw: Raw, *, base: Raw | None, pointer: Pointer | None, view: bool
    ) -> tuple[Raw, str] | None:
        if _METADATA_PLACE in (raw.get("properties") or {}):
            raise self._unable(f"a table cannot have the property '{_METADATA_PLACE}'")
        number = 1 if pointer is None else _number(to_path(pointer.location).name) + 1
        directory = self._place(name.namespace, name.name) / "metadata"
        above = None if pointer is not None else self._table_above(name.namespace)
        if above is not None:
            raise taken(f"table '{self.name}.{above}'")
        if pointer is None and directory.parent.is_dir() and not directory.is_dir():
            raise taken(f"schema '{self.name}.{'.'.join(name.namespace)}.{name.name}'")
        file = directory / f"v{number}.metadata.json"
        location = spell(file)
        check_readable(raw, location, name, view=view)
        written = directory / f"{uuid.uuid4()}.metadata.json.tmp"
        try:
            metadata.write(raw, spell(written))
            try:
                # Fails where the file is there: only one gets this number.
                os.link(written, file)
            except FileExistsError:
                return None
            finally:
                written.unlink(missing_ok=True)
            _write_hint(directory, number)
        except OSError as error:
            raise not_writable(name, location, error) from error
        return raw, location

    def _place(self, namespace: Namespace, name: str | None = None) -> Path:
        """The directory of a schema or a table."""
        parts = namespace if name is None else (*namespace, name)
        if not namespace or not _is_plain(parts):
            raise InvalidArgument(
                f"'{'.'.join(parts)}' is not a name in catalog '{self.name}'",
                hint="its names are those of directories: letters, digits and _ . + = @ -",
            )
        return self.path.joinpath(*parts)

    def _below(self, place: Path, above: Namespace) -> list[Namespace]:
        found: list[Namespace] = []
        for entry in self._directories(place):
            if not _is_table(entry):
                namespace = (*above, entry.name)
                found += [namespace, *self._below(entry, namespace)]
        return found

    def _directories(self, place: Path) -> list[Path]:
        try:
            with os.scandir(place) as entries:
                return [Path(e.path) for e in entries if not e.name.startswith((".", "_")) and e.is_dir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unusable(error) from error

    def _remove(self, place: Path) -> None:
        """At once: under its name there is nothing any more, before the first file is deleted."""
        hidden = place.with_name(f".{place.name}.{uuid.uuid4().hex}.dropped")
        os.rename(place, hidden)
        shutil.rmtree(hidden, ignore_errors=True)

    def _refuse_other_place(self, namespace: Namespace, name: str, wanted: str | None) -> None:
        # SHOW CREATE TABLE tells where a table is, and what it tells can be run.
        place = self._place(namespace, name)
        if wanted is not None and to_path(wanted) != place:
            raise self._unable("a table cannot have a LOCATION of its own")

    def _refuse_renaming(self) -> NoReturn:
        raise self._unable("nothing can be renamed")

    def _refuse_views(self) -> NoReturn:
        raise self._unable("there are no views")

    def _unable(self, what: str) -> NotSupported:
        return NotSupported(f"in catalog '{self.name}', of type hadoop, {what}")

    def _unusable(self, error: OSError) -> SqeError:
        reason = (error.strerror or str(error)).lower()
        return Unavailable(
            f"the warehouse {self.path} cannot be used: {reason}",
            code="ICEBERG_CATALOG_ERROR",
            hint="check the permissions and the free space there",
        )


def _is_plain(parts: Namespace) -> bool:
    return all(
        part and "." not in (part[0], part[-1]) and part[0] != "_" and schema_directory(part) == part
        for part in parts
    )


def _is_table(directory: Path) -> bool:
    try:
        with os.scandir(directory / "metadata") as entries:
            return any(_VERSION.fullmatch(entry.name) for entry in entries)
    except OSError:
        return False


def _current(directory: Path) -> Path | None:
    """The newest metadata. The hint is written after it, and may be late or missing."""
    try:
        with contextlib.suppress(ValueError, OSError):
            number = int((directory / _HINT).read_text())
            found = _file(directory, number)
            while found is not None:
                number += 1
                following = _file(directory, number)
                if following is None:
                    return found
                found = following
        with os.scandir(directory) as entries:
            versions = [entry.name for entry in entries if _VERSION.fullmatch(entry.name)]
    except OSError:
        return None
    return directory / max(versions, key=_number) if versions else None


def _file(directory: Path, number: int) -> Path | None:
    """Writers disagree about where .gz stands in the name."""
    for name in (f"v{number}.metadata.json", f"v{number}.gz.metadata.json", f"v{number}.metadata.json.gz"):
        if (directory / name).is_file():
            return directory / name
    return None


def _number(file: str) -> int:
    found = _VERSION.fullmatch(file)
    return int(found[1]) if found else 0


def _write_hint(directory: Path, number: int) -> None:
    # Whoever reads looks for later files too: a hint that could not be written costs a moment, no more.
    with contextlib.suppress(OSError):
        fresh = directory / f".{uuid.uuid4().hex}.hint"
        fresh.write_text(str(number))
        # Hadoop keeps a checksum beside each local file that it writes, and would find ours wrong.
        (directory / f".{_HINT}.crc").unlink(missing_ok=True)
        os.replace(fresh, directory / _HINT)
