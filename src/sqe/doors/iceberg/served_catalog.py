"""One mounted catalog as the protocol's requests see it, for one user. Names are exact here, and what is
hidden from the user is not there."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqe.catalog.iceberg.commits import RequirementFailed, refs_of
from sqe.catalog.iceberg.strict import InvalidCommit
from sqe.catalog.iceberg.table import TableCommit, TableMetadata
from sqe.catalog.iceberg.view import View
from sqe.catalog.protocol import Catalog
from sqe.commands.owners import Owners
from sqe.doors.iceberg.answers import NOTHING, Answer, Unprocessable, etag, json_answer, table_answer
from sqe.doors.iceberg.places import check_properties, check_registered, check_updates
from sqe.errors import (
    AccessDenied,
    AlreadyExists,
    InvalidArgument,
    NotFound,
    SqeError,
    UserError,
    ViewNotFound,
)
from sqe.policy.secure import Guard
from sqe.tree.names import unspeakable
from sqe.tree.privileges import Need, Privilege, schema_of
from sqe.tree.relations import TableName

Raw = dict[str, Any]
Namespace = tuple[str, ...]
_MOST_AT_ONCE = 1000
# What a commit may do, whatever its updates are called.
_CHANGES = (Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE, Privilege.TRUNCATE, Privilege.ALTER)


class ServedCatalog:
    """`check` raises once the request has had its time; it is asked before each change. `owners` hear of what
    was made, renamed and dropped. `shows_text` says whether a view's text names nothing that is hidden."""

    def __init__(
        self,
        catalog: Catalog,
        guard: Guard,
        check: Callable[[], None],
        owners: Owners,
        shows_text: Callable[[View], bool],
    ) -> None:
        self._catalog = catalog
        self._guard = guard
        self._check = check
        self._owners = owners
        self._shows_text = shows_text

    # Namespaces

    def list_namespaces(self, query: Mapping[str, str]) -> Answer:
        parent = split_namespace(query["parent"]) if query.get("parent") else ()
        everywhere = self._catalog.namespaces()
        if parent and parent not in everywhere:
            raise _no_namespace(parent)
        inside = [n for n in everywhere if n[:-1] == parent and not unspeakable(n[-1])]
        names, following = _page([".".join(n) for n in inside], query)
        by_name = {".".join(n): n for n in inside}
        return _listed("namespaces", [list(by_name[name]) for name in names], following)

    def create_namespace(self, body: Raw) -> Answer:
        namespace = _namespace_of(body.get("namespace"))
        properties = _texts(body.get("properties"))
        self._check_places(properties.get("location"), {})
        self._require(self._schema(namespace[:-1]), Privilege.CREATE)
        self._check()
        try:
            self._catalog.create_namespace(namespace, properties=properties)
        except AlreadyExists:
            raise AlreadyExists(f"Namespace already exists: {_dotted(namespace)}") from None
        stored = self._catalog.namespace_properties(namespace)
        return json_answer({"namespace": list(namespace), "properties": stored})

    def load_namespace(self, namespace: Namespace) -> Answer:
        return json_answer({"namespace": list(namespace), "properties": self._properties(namespace)})

    def namespace_exists(self, namespace: Namespace) -> Answer:
        self._properties(namespace)
        return NOTHING

    def drop_namespace(self, namespace: Namespace) -> Answer:
        self._properties(namespace)
        self._require(self._schema(namespace), Privilege.DROP)
        self._check()
        try:
            self._catalog.drop_namespace(namespace)
        except UserError as error:
            if error.code != "SCHEMA_NOT_EMPTY":
                raise
            raise UserError(f"Namespace is not empty: {_dotted(namespace)}", code=error.code) from None
        self._owners.dropped_schema(self._catalog.name, namespace)
        return NOTHING

    def change_namespace(self, namespace: Namespace, body: Raw) -> Answer:
        updates, removals = _texts(body.get("updates")), body.get("removals") or []
        if not isinstance(removals, list) or not all(isinstance(key, str) for key in removals):
            raise InvalidArgument("removals are names of properties")
        both = sorted(set(removals) & set(updates))
        if both:
            raise Unprocessable(
                f"Invalid namespace update, cannot simultaneously set and remove keys: {both}"
            )
        self._check_places(updates.get("location"), {})
        before = self._properties(namespace)
        self._require(self._schema(namespace), Privilege.ALTER)
        self._check()
        self._catalog.change_namespace(namespace, updates, removals)
        return json_answer(
            {
                "updated": sorted(updates),
                "removed": sorted(set(removals) & set(before)),
                "missing": sorted(set(removals) - set(before)),
            }
        )

    def _properties(self, namespace: Namespace) -> dict[str, str]:
        try:
            return self._catalog.namespace_properties(namespace)
        except (NotFound, InvalidArgument):
            raise _no_namespace(namespace) from None

    # Tables

    def list_tables(self, namespace: Namespace, query: Mapping[str, str]) -> Answer:
        return self._identifiers(namespace, self._catalog.tables, query)

    def create_table(self, namespace: Namespace, body: Raw) -> Answer:
        table = self._new(namespace, body.get("name"))
        self._check_places(body.get("location"), _texts(body.get("properties")))
        if body.get("stage-create"):
            if self._is_table(table):
                raise _table_exists(table)
            return table_answer(self._catalog.stage(table, body))
        self._check()
        try:
            created = self._catalog.create_requested(table, body)
        except AlreadyExists:
            raise _table_exists(table) from None
        self._owners.created(table)
        return table_answer(created)

    def register_table(self, namespace: Namespace, body: Raw) -> Answer:
        table = self._new(namespace, body.get("name"))
        location = _metadata_location(body)
        overwrite = bool(body.get("overwrite"))
        exists = self._is_table(table)
        if exists:
            if not overwrite or not self._guard.sees_all_of(table):
                raise _table_exists(table)
            self._require(table, Privilege.DROP)
        if not self._catalog.is_remote:
            check_registered(self._guard, table, location)
        self._check()
        try:
            registered = self._catalog.register(table, location, overwrite=overwrite)
        except AlreadyExists:
            raise _table_exists(table) from None
        if not exists:
            self._owners.created(table)
        return table_answer(registered)

    def load_table(
        self, namespace: Namespace, name: str, query: Mapping[str, str], if_none_match: str | None
    ) -> Answer:
        table = self._existing(namespace, name)
        self._require(table, Privilege.SELECT)
        if not self._guard.sees_all_of(table):
            raise AccessDenied(
                f"'{table}' is not handed out as files: a row filter, mask or restriction applies",
                hint="read it by SQL",
            )
        loaded = self._load(table)
        if if_none_match is not None and if_none_match == etag(loaded):
            return Answer(status=304, headers={"ETag": etag(loaded)})
        if query.get("snapshots") == "refs":
            loaded = TableMetadata(_with_snapshots_of_refs(loaded.raw), loaded.location, loaded.config)
        return table_answer(loaded)

    def table_exists(self, namespace: Namespace, name: str) -> Answer:
        self._existing(namespace, name)
        return NOTHING

    def credentials(self, namespace: Namespace, name: str) -> Answer:
        """Local files need none."""
        self._existing(namespace, name)
        return json_answer({"storage-credentials": []})

    def commit_table(self, namespace: Namespace, name: str, body: Raw) -> Answer:
        commit = self._commit(TableName(self._catalog.name, namespace, name), body)
        self._check()
        try:
            committed = self._catalog.commit(commit.table, commit.requirements, commit.updates)
        except AlreadyExists:
            raise RequirementFailed("Requirement failed: table already exists") from None
        self._made(commit)
        return table_answer(committed)

    def commit_all(self, body: Raw) -> Answer:
        changes = body.get("table-changes")
        if not isinstance(changes, list) or not all(isinstance(change, dict) for change in changes):
            raise InvalidCommit("a transaction has table-changes")
        commits = [self._commit(self._identified(change.get("identifier")), change) for change in changes]
        self._check()
        self._catalog.commit_all(commits)
        for commit in commits:
            self._made(commit)
        return NOTHING

    def _made(self, commit: TableCommit) -> None:
        if _creates(commit.requirements):
            self._owners.created(commit.table)

    def _commit(self, table: TableName, body: Raw) -> TableCommit:
        requirements, updates = body.get("requirements"), body.get("updates")
        if not _are_objects(requirements) or not _are_objects(updates):
            raise InvalidCommit("a commit has requirements and updates")
        assert requirements is not None and updates is not None
        current = None
        if _creates(requirements):
            self._new(table.namespace, table.name)
        else:
            self._existing(table.namespace, table.name)
            self._may_change(table, *_CHANGES)
            current = self._load(table)
        if not self._catalog.is_remote:
            check_updates(self._guard, table, current, updates)
        return TableCommit(table, requirements, updates)

    def drop_table(self, namespace: Namespace, name: str, query: Mapping[str, str]) -> Answer:
        table = self._existing(namespace, name)
        self._may_change(table, Privilege.DROP)
        self._check()
        purge = query.get("purgeRequested", "").lower() == "true"
        if purge and self._guard.may_hide:
            # What its metadata names may be another's that is hidden.
            raise AccessDenied("rules may hide tables here: files are deleted by SQL")
        self._catalog.drop_table(namespace, name, purge=purge)
        self._owners.dropped(table)
        return NOTHING

    def rename_table(self, body: Raw) -> Answer:
        source, target = (self._identified(body.get(key)) for key in ("source", "destination"))
        self._existing(source.namespace, source.name)
        self._may_change(source, Privilege.ALTER)
        self._require(schema_of(target), Privilege.CREATE)
        self._properties(target.namespace)
        self._check()
        try:
            self._catalog.rename_table(source, target)
        except AlreadyExists:
            raise self._taken(source, target) from None
        self._owners.renamed(source, target)
        return NOTHING

    def report(self, namespace: Namespace, name: str) -> Answer:
        """Another engine's measurements of itself."""
        self._existing(namespace, name)
        return NOTHING

    # Views

    def list_views(self, namespace: Namespace, query: Mapping[str, str]) -> Answer:
        return self._identifiers(namespace, self._catalog.views, query)

    def create_view(self, namespace: Namespace, body: Raw) -> Answer:
        view = TableName(self._catalog.name, namespace, _name(body.get("name")))
        self._properties(namespace)
        self._require(schema_of(view), Privilege.CREATE)
        self._check_places(body.get("location"), _texts(body.get("properties")))
        if self._is_table(view):
            raise AlreadyExists(f"Table with same name already exists: {_shown(view)}")
        self._check()
        try:
            created = self._catalog.create_requested_view(view, body)
        except AlreadyExists:
            raise AlreadyExists(f"View already exists: {_shown(view)}") from None
        self._owners.created(view)
        return table_answer(created)

    def register_view(self, namespace: Namespace, body: Raw) -> Answer:
        view = TableName(self._catalog.name, namespace, _name(body.get("name")))
        self._properties(namespace)
        self._require(schema_of(view), Privilege.CREATE)
        location = _metadata_location(body)
        if self._is_table(view):
            raise AlreadyExists(f"Table with same name already exists: {_shown(view)}")
        self._check_places(location, {})
        self._check()
        try:
            registered = self._catalog.register(view, location, view=True)
        except AlreadyExists:
            raise AlreadyExists(f"View already exists: {_shown(view)}") from None
        self._owners.created(view)
        return table_answer(registered)

    def load_view(self, namespace: Namespace, name: str) -> Answer:
        view = self._existing_view(namespace, name)
        self._require(view, Privilege.SELECT)
        if not self._guard.sees_all_of(view) or not self._may_show(view):
            raise AccessDenied(f"'{view}' is not handed out: a restriction applies", hint="read it by SQL")
        return table_answer(self._catalog.load_view(view))

    def _may_show(self, view: TableName) -> bool:
        """As SHOW CREATE VIEW; of a text that we cannot read nobody knows what it names."""
        if not self._guard.may_hide:
            return True
        try:
            stored = self._catalog.find_view(view.namespace, view.name)
        except SqeError:
            return False
        return stored is not None and stored.name == view and self._shows_text(stored)

    def view_exists(self, namespace: Namespace, name: str) -> Answer:
        self._existing_view(namespace, name)
        return NOTHING

    def commit_view(self, namespace: Namespace, name: str, body: Raw) -> Answer:
        view = self._existing_view(namespace, name)
        self._may_change(view, Privilege.ALTER)
        requirements, updates = body.get("requirements") or [], body.get("updates")
        if not _are_objects(requirements) or not _are_objects(updates):
            raise InvalidCommit("a commit has requirements and updates")
        assert updates is not None
        if not self._catalog.is_remote:
            check_updates(self._guard, view, None, updates)
        self._check()
        return table_answer(self._catalog.commit_view(view, requirements, updates))

    def drop_view(self, namespace: Namespace, name: str) -> Answer:
        view = self._existing_view(namespace, name)
        self._may_change(view, Privilege.DROP)
        self._check()
        self._catalog.drop_view(namespace, name)
        self._owners.dropped(view)
        return NOTHING

    def rename_view(self, body: Raw) -> Answer:
        source, target = (self._identified(body.get(key)) for key in ("source", "destination"))
        self._existing_view(source.namespace, source.name)
        self._may_change(source, Privilege.ALTER)
        self._require(schema_of(target), Privilege.CREATE)
        self._properties(target.namespace)
        self._check()
        try:
            self._catalog.rename_view(source, target)
        except AlreadyExists:
            raise self._taken(source, target) from None
        self._owners.renamed(source, target)
        return NOTHING

    # What they share

    def _identifiers(
        self, namespace: Namespace, listed: Callable[[Namespace], list[str]], query: Mapping[str, str]
    ) -> Answer:
        self._properties(namespace)
        visible = [
            name
            for name in listed(namespace)
            if not unspeakable(name) and self._guard.exists(TableName(self._catalog.name, namespace, name))
        ]
        names, following = _page(visible, query)
        return _listed("identifiers", [{"namespace": list(namespace), "name": n} for n in names], following)

    def _load(self, table: TableName) -> TableMetadata:
        try:
            return self._catalog.load(table)
        except NotFound:
            raise _no_table(table) from None

    def _is_table(self, table: TableName) -> bool:
        try:
            return self._catalog.find_table_name(table.namespace, table.name) == table
        except (NotFound, InvalidArgument):
            return False
        except UserError as error:
            if error.code == "AMBIGUOUS_NAME":
                return False
            raise

    def _existing(self, namespace: Namespace, name: str) -> TableName:
        table = TableName(self._catalog.name, namespace, name)
        if not self._guard.exists(table) or not self._is_table(table):
            raise _no_table(table)
        return table

    def _existing_view(self, namespace: Namespace, name: str) -> TableName:
        view = TableName(self._catalog.name, namespace, name)
        if not self._guard.exists(view) or not self._catalog.has_view(view):
            raise ViewNotFound(f"View does not exist: {_shown(view)}")
        return view

    def _new(self, namespace: Namespace, name: object) -> TableName:
        """The name of a table that is to be made."""
        table = TableName(self._catalog.name, namespace, _name(name))
        self._properties(namespace)
        self._require(schema_of(table), Privilege.CREATE)
        if self._catalog.has_view(table):
            raise AlreadyExists(f"View with same name already exists: {_shown(table)}")
        return table

    def _identified(self, identifier: object) -> TableName:
        if not isinstance(identifier, dict):
            raise InvalidArgument("a table is named by its namespace and its name")
        namespace, name = _namespace_of(identifier.get("namespace")), _name(identifier.get("name"))
        return TableName(self._catalog.name, namespace, name)

    def _taken(self, source: TableName, target: TableName) -> AlreadyExists:
        kind = "View" if self._catalog.has_view(target) else "Table"
        return AlreadyExists(f"Cannot rename {_shown(source)} to {_shown(target)}. {kind} already exists")

    def _schema(self, namespace: Namespace) -> TableName:
        return TableName(self._catalog.name, namespace, "")

    def _require(self, table: TableName, *privileges: Privilege) -> None:
        for privilege in privileges:
            self._guard.require(Need(privilege, table))

    def _may_change(self, table: TableName, *privileges: Privilege) -> None:
        self._require(table, *privileges)
        if not self._guard.sees_all_of(table):
            raise AccessDenied(f"cannot write to '{table}'")

    def _check_places(self, location: object, properties: Mapping[str, str]) -> None:
        if location is not None and not isinstance(location, str):
            raise InvalidArgument("a location is a text")
        if not self._catalog.is_remote:
            check_properties(self._guard, location, properties)


def split_namespace(text: str) -> Namespace:
    """As it stands in a path or a query. NotFound for parts that would be several to a catalog."""
    parts = tuple(text.split("\x1f"))
    if any("." in part for part in parts):
        raise _no_namespace(parts)
    return parts


def _page(names: Sequence[str], query: Mapping[str, str]) -> tuple[Sequence[str], str | None]:
    """One page of a sorted list, and the token of the next. A token is the last name of the page before, so
    that what comes and goes meanwhile makes none of the others appear twice."""
    size = query.get("pageSize")
    if size is None:
        return names, None
    if not size.isdecimal() or len(size) > 9 or not int(size) > 0:
        raise InvalidArgument("pageSize is a number from 1 up")
    try:
        after = base64.urlsafe_b64decode(query.get("pageToken") or "").decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise InvalidArgument("pageToken is none of ours") from None
    remaining = [name for name in sorted(names) if not after or name > after]
    page = remaining[: min(int(size), _MOST_AT_ONCE)]
    if len(page) == len(remaining):
        return page, None
    return page, base64.urlsafe_b64encode(page[-1].encode()).decode()


def _listed(key: str, items: list[Any], following: str | None) -> Answer:
    return json_answer({key: items, "next-page-token": following})


def _with_snapshots_of_refs(raw: Raw) -> Raw:
    ids = {ref["snapshot-id"] for ref in refs_of(raw).values()}
    return {**raw, "snapshots": [s for s in raw.get("snapshots") or () if s["snapshot-id"] in ids]}


def _texts(properties: object) -> dict[str, str]:
    if properties is None:
        return {}
    if not isinstance(properties, dict):
        raise InvalidArgument("properties are names and texts")
    return {str(key): str(value) for key, value in properties.items()}


def _creates(requirements: Sequence[Raw]) -> bool:
    return any(requirement.get("type") == "assert-create" for requirement in requirements)


def _are_objects(items: object) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) for item in items)


def _namespace_of(parts: object) -> Namespace:
    if not isinstance(parts, list) or not parts or not all(isinstance(part, str) for part in parts):
        raise InvalidArgument("a namespace is a list of names")
    if any("." in part for part in parts):
        raise InvalidArgument("a part of a namespace has no dots")
    return tuple(map(_name, parts))


def _name(name: object) -> str:
    if not isinstance(name, str) or not name or unspeakable(name):
        raise InvalidArgument("a name is a text without control characters")
    return name


def _metadata_location(body: Raw) -> str:
    location = body.get("metadata-location")
    if not isinstance(location, str) or not location:
        raise InvalidArgument("what is registered has a metadata-location")
    return location


def _dotted(namespace: Namespace) -> str:
    return ".".join(namespace)


def _shown(table: TableName) -> str:
    """As Iceberg's own library names it."""
    return f"{_dotted(table.namespace)}.{table.name}"


def _no_namespace(namespace: Namespace) -> NotFound:
    return NotFound(f"Namespace does not exist: {_dotted(namespace)}", code="SCHEMA_NOT_FOUND")


def _no_table(table: TableName) -> NotFound:
    return NotFound(f"Table does not exist: {_shown(table)}")


def _table_exists(table: TableName) -> AlreadyExists:
    return AlreadyExists(f"Table already exists: {_shown(table)}")
