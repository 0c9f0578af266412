"""An Iceberg REST catalog: a server that keeps the pointers and writes the metadata.

What a change does is worked out here, as for any catalog, and sent as updates with the requirement that
what it began with still holds. What is hidden from a user is for them as what is not there.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from sqe.catalog.backends import rest_updates as updates
from sqe.catalog.backends.committing import (
    METADATA_BYTES,
    MetadataChange,
    Namespace,
    Pointer,
    Raw,
    check_readable,
)
from sqe.catalog.backends.jdbc import refuse_purge
from sqe.catalog.backends.rest_answers import Answer, Answers
from sqe.catalog.backends.rest_auth import ChooseTokens, choose_tokens
from sqe.catalog.backends.rest_client import Denied, Learnt, RestClient, RestError, RestServer
from sqe.catalog.backends.rest_schemas import RestSchemas, anew, is_name, texts
from sqe.catalog.backends.table_places import check_every_file, check_places
from sqe.catalog.backends.vended import VendedStorage
from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.commits import RequirementFailed
from sqe.catalog.iceberg.table import MetadataText, Table, TableCommit, TableMetadata, table_bytes
from sqe.catalog.iceberg.view import View, ViewDefinition
from sqe.catalog.io import configured, file_system
from sqe.catalog.io.location import scheme_of
from sqe.catalog.io.places import AllowedPlaces
from sqe.catalog.io.storage import NO_KEYS, FixedStorage
from sqe.catalog.names import everything
from sqe.config.catalogs import storage_properties
from sqe.errors import (
    AlreadyExists,
    InvalidArgument,
    NotFound,
    NotSupported,
    Unavailable,
)
from sqe.foundation.byte_cache import ByteCache
from sqe.session import Identity, TokenSource
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage
    from sqe.config.config import CatalogSettings


# Identities of which something is kept; each has up to METADATA_BYTES and what it was answered.
MOST_KEPT = 100
# Versions of local tables whose files are known to be in allowed places.
MOST_CHECKED = 1000


def mount(settings: CatalogSettings) -> RestCatalog:
    return RestCatalog(
        settings.name,
        settings.catalog_url or "",
        warehouse=settings.warehouse or "",
        choose_tokens=choose_tokens(settings),
        storage=storage_properties(settings.storage),
        require_vended=settings.require_vended_credentials,
        allowed=_allowed_places(settings),
        cache_seconds=settings.metadata_cache_ttl_secs,
    )


def _allowed_places(settings: CatalogSettings) -> AllowedPlaces:
    """Some servers call a warehouse by its location."""
    warehouse = settings.warehouse or ""
    keyed = (warehouse,) if scheme_of(warehouse) != "file" and "://" in warehouse else ()
    locations = tuple(configured(place, NO_KEYS) for place in settings.allowed_locations)
    return AllowedPlaces(settings.name, locations, keyed)


class _Kept:
    """What the server has said to one identity."""

    def __init__(self, answers: Answers | None) -> None:
        self.learnt = Learnt(answers=answers)
        self.tables: ByteCache[Table] = ByteCache(METADATA_BYTES, table_bytes)

    @property
    def bytes(self) -> int:
        answers = self.learnt.answers
        return self.tables.bytes + (0 if answers is None else answers.bytes)


class RestCatalog(RestSchemas):
    """The catalog `name` of the server at `url`, which calls it `warehouse`. `choose_tokens` says with which
    token it is asked for somebody, `allowed` where it may say that files are. For `cache_seconds` it is not
    asked again what it has answered to the same identity with the same token, unless something was changed
    through us."""

    is_remote = True
    _keeps_raw = True
    _absent_hint = "or the catalog does not show it to you"

    def __init__(
        self,
        name: str,
        url: str,
        *,
        warehouse: str,
        choose_tokens: ChooseTokens = lambda tokens: tokens,
        storage: Mapping[str, str] | None = None,
        require_vended: bool = False,
        allowed: AllowedPlaces | None = None,
        cache_seconds: float = 0,
    ) -> None:
        super().__init__(name)
        self._allowed = allowed or AllowedPlaces(name)
        self._storage = storage or {}
        self._require_vended = require_vended
        self.url = url
        self._choose_tokens = choose_tokens
        self._cache_seconds = cache_seconds
        self._server = RestServer(name, url)
        self._client = RestClient(name, self._server, warehouse=warehouse)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._checked: OrderedDict[str, None] = OrderedDict()

    def acting_for(self, identity: Identity, tokens: TokenSource | None) -> Self:
        chosen = self._choose_tokens(tokens)
        # Of everybody, if everybody reaches it with the same token, or with none.
        kept = self._kept_for(identity.key if chosen is not None and chosen is tokens else "")
        acting = self._keeping_in(kept.tables)
        acting._client = self._client.acting_with(chosen, kept.learnt)
        return acting

    def _kept_for(self, key: str) -> _Kept:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                seconds = self._cache_seconds
                kept = _Kept(Answers(self._server.changes, seconds) if seconds else None)
                self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return kept

    @property
    def kept_bytes(self) -> int:
        with self._lock:
            others = sum(kept.bytes for kept in self._kept.values())
        return super().kept_bytes + others

    def rename_table(self, table: TableName, to: TableName) -> None:
        self._rename(self.find_table_name(table.namespace, table.name), to, "tables")

    def rename_view(self, view: TableName, to: TableName) -> None:
        self._rename(self.find_view_name(view.namespace, view.name), to, "views")

    def create_view(self, view: ViewDefinition, *, replace: bool = False) -> View:
        if not self._client.has_views:
            raise NotSupported(f"the server of catalog '{self.name}' has no views")
        return super().create_view(view, replace=replace)

    @anew
    def drop_table(self, namespace: Namespace, name: str, *, purge: bool = False) -> list[str]:
        table, pointer = self._find_table(namespace, name, everything)
        if purge:
            refuse_purge(pointer.raw or {}, table)
        if not self._delete("tables", table.namespace, table.name, purgeRequested=str(purge).lower()):
            raise self._not_found(table.namespace, name)
        return []

    def drop_view(self, namespace: Namespace, name: str) -> None:
        view = self.find_view_name(namespace, name)
        if not self._delete("views", view.namespace, view.name):
            raise self._not_found(view.namespace, name, kind="view")

    def metadata_as_bound(self, table: Table) -> bytes:
        # The file may be where only the server's credentials lead: what it answered is what was bound.
        assert table.raw is not None
        self._check_local(dict(table.raw), table.metadata_location, table.name, table.storage)
        return metadata.encode(table.raw)

    def load(self, table: TableName) -> TableMetadata:
        try:
            with self._as_seen(table):
                answer = self._client.asking_anew().read(
                    "namespaces", table.namespace, "tables", (table.name,)
                )
        except RestError:
            raise self._not_found(table.namespace, table.name) from None
        return self._loaded(answer, table)

    load_view = anew(RestSchemas.load_view)
    has_view = anew(RestSchemas.has_view)
    check_name = anew(RestSchemas.check_name)
    delete_all = anew(RestSchemas.delete_all)

    @anew
    def _commit(
        self,
        name: TableName,
        change: MetadataChange,
        *,
        view: bool = False,
        create: bool = False,
        replace: bool = True,
    ) -> TableMetadata:
        return super()._commit(name, change, view=view, create=create, replace=replace)

    def load_text(self, table: TableName) -> MetadataText:
        loaded = self.load(table)
        place = str(loaded.raw.get("location") or "")
        self._check_local(loaded.raw, loaded.location, table, loaded.storage)
        return MetadataText(metadata.encode(loaded.raw), loaded.location, place, loaded.storage)

    def _check_local(self, raw: Raw, location: str, name: TableName, storage: Storage | None) -> None:
        """Once for each version of a table."""
        if not isinstance(storage, VendedStorage) or scheme_of(str(raw.get("location") or "")) != "file":
            return
        if location not in self._checked:
            check_every_file(raw, location, name, storage)
            self._checked[location] = None
            while len(self._checked) > MOST_CHECKED:
                self._checked.popitem(last=False)

    def stage(self, table: TableName, request: Raw) -> TableMetadata:
        body = {**request, "name": table.name, "stage-create": True}
        answer = self._staged(table, body)
        place = answer["metadata"].get("location")

        def fetch() -> Raw:
            # The table is not there yet: keys for its place come with staging it once more.
            again = self._staged(table, {**body, "location": place})
            if again["metadata"].get("location") != place:
                raise Unavailable(
                    f"catalog '{self.name}' hands out no further keys for a table that is being made",
                    hint="create the table first, and insert into it then",
                )
            return again

        storage = self._storage_in(_just_now(answer), table, fetch)
        check_places(answer["metadata"], "", storage.places)
        return TableMetadata(answer["metadata"], "", texts(answer.get("config")), storage=storage)

    def _staged(self, table: TableName, body: Raw) -> Raw:
        try:
            with self._as_seen_within(table.namespace):
                return self._client.post("namespaces", table.namespace, "tables", body=body)
        except RestError as error:
            if error.status == 404:
                raise self._no_schema(table.namespace) from None
            raise AlreadyExists(f"table '{table}' already exists", code="TABLE_ALREADY_EXISTS") from None

    def commit(self, table: TableName, requirements: Sequence[Raw], updates: Sequence[Raw]) -> TableMetadata:
        body = {"identifier": _identifier(table), "requirements": requirements, "updates": updates}
        creates = any(requirement.get("type") == "assert-create" for requirement in requirements)
        seen = self._as_seen_within(table.namespace) if creates else self._as_seen(table)
        try:
            with seen:
                answer = self._client.post("namespaces", table.namespace, "tables", (table.name,), body=body)
        except RestError as error:
            if error.status == 404:
                raise self._not_found(table.namespace, table.name) from None
            raise RequirementFailed(str(error)) from None
        return self._loaded(_just_now(answer), table)

    def commit_all(self, commits: Sequence[TableCommit]) -> None:
        if not self._client.has_transactions:
            raise NotSupported(f"the server of catalog '{self.name}' cannot change several tables at once")
        changes = [
            {
                "identifier": _identifier(commit.table),
                "requirements": commit.requirements,
                "updates": commit.updates,
            }
            for commit in commits
        ]
        try:
            self._client.post("transactions", "commit", body={"table-changes": changes})
        except RestError as error:
            if error.status == 404:
                raise NotFound(str(error)) from None
            raise RequirementFailed(str(error)) from None

    def create_requested(self, table: TableName, request: Raw) -> TableMetadata:
        return self._create(table, request, "tables")

    def register(
        self, name: TableName, location: str, *, view: bool = False, overwrite: bool = False
    ) -> TableMetadata:
        body = {"name": name.name, "metadata-location": location, "overwrite": overwrite}
        return self._create(name, body, "register-view" if view else "register")

    def create_requested_view(self, view: TableName, request: Raw) -> TableMetadata:
        return self._create(view, request, "views")

    def _create(self, name: TableName, request: Raw, kind: str) -> TableMetadata:
        """As it came."""
        self.check_name(name)
        try:
            with self._as_seen_within(name.namespace):
                answer = self._client.post("namespaces", name.namespace, kind, body=request)
        except RestError as error:
            if error.status == 404:
                raise self._no_schema(name.namespace) from None
            raise AlreadyExists(f"'{name}' already exists", code="TABLE_ALREADY_EXISTS") from None
        return self._loaded(_just_now(answer), name, view="view" in kind)

    def commit_view(
        self, view: TableName, requirements: Sequence[Raw], updates: Sequence[Raw]
    ) -> TableMetadata:
        body = {"identifier": _identifier(view), "requirements": requirements, "updates": updates}
        try:
            with self._as_seen(view, kind="view"):
                answer = self._client.post("namespaces", view.namespace, "views", (view.name,), body=body)
        except RestError as error:
            if error.status == 404:
                raise self._not_found(view.namespace, view.name, kind="view") from None
            raise RequirementFailed(str(error)) from None
        return self._loaded(_just_now(answer), view, view=True)

    def _loaded(self, answer: Answer, table: TableName, *, view: bool = False) -> TableMetadata:
        pointer = self._pointer_in(answer, table, view=view)
        config = texts(answer.content.get("config"))
        return TableMetadata(pointer.raw or {}, pointer.location, config, storage=pointer.storage)

    def close(self) -> None:
        self._client.close()

    def _look_up(self, namespace: Namespace, name: str) -> Pointer | None:
        with contextlib.suppress(Denied):
            return self._pointer(namespace, name)
        return None

    def _pointer(self, namespace: Namespace, name: str) -> Pointer | None:
        if not namespace or not is_name(*namespace, name):
            return None
        denied: Denied | None = None
        for kind in ("tables", "views") if self._client.has_views else ("tables",):
            try:
                answer = self._client.read("namespaces", namespace, kind, (name,))
            except RestError:
                continue
            except Denied as error:
                # As many questions as for a name that is not there.
                denied = denied or error
                continue
            return self._pointer_in(answer, TableName(self.name, namespace, name), view=kind == "views")
        if denied is not None:
            raise denied
        return None

    def _pointer_in(self, answer: Answer, name: TableName, *, view: bool) -> Pointer:
        raw, location = answer.content.get("metadata"), answer.content.get("metadata-location")
        if not isinstance(raw, dict) or not isinstance(location, str):
            kind = "view" if view else "table"
            raise metadata.broken(name, "the server sends no metadata of it", kind=kind)
        if view:
            return Pointer(location, view, raw)
        storage = self._storage_in(answer, name)
        check_places(raw, location, storage.places)
        return Pointer(location, view, raw, storage)

    def _storage_in(
        self, answer: Answer, table: TableName, fetch: Callable[[], Raw] | None = None
    ) -> VendedStorage:
        """What its files are opened with, in the places that it may have. `fetch` gives the next answer,
        which is that of loading the table."""

        def load() -> Raw:
            try:
                with self._as_seen(table):
                    return self._client.asking_anew().get(
                        "namespaces", table.namespace, "tables", (table.name,)
                    )
            except RestError:
                raise self._not_found(table.namespace, table.name) from None

        return VendedStorage(
            answer.content,
            self._storage,
            fetch or load,
            allowed=self._allowed,
            required=self._require_vended,
            answered_at=answer.at,
        )

    def _spell(self, location: str) -> str:
        # The server hands out the keys for it.
        return file_system(location, FixedStorage(self._storage)).spell(location)

    def _new_location(self, namespace: Namespace, name: str) -> str:
        """The server's choice."""
        return ""

    def _swap(
        self, name: TableName, raw: Raw, *, base: Raw | None, pointer: Pointer | None, view: bool
    ) -> TableMetadata | None:
        check_readable(raw, "" if pointer is None else pointer.location, name, view=view)
        if base is None:
            self.check_name(name)
        kind = "views" if view else "tables"
        try:
            if base is None:
                create = updates.view_creation if view else updates.table_creation
                answer = self._client.post("namespaces", name.namespace, kind, body=create(name.name, raw))
            else:
                answer = self._client.post(
                    "namespaces", name.namespace, kind, (name.name,), body=self._change(name, base, raw, view)
                )
        except RestError as error:
            if base is None and error.status == 404:
                raise self._no_schema(name.namespace) from None
            return None
        return self._loaded(_just_now(answer), name, view=view)

    def _change(self, name: TableName, base: Raw, raw: Raw, view: bool) -> Raw:
        from sqe.catalog.iceberg.definition import complete

        if not view:
            # What a table of format version 1 may leave out.
            base, raw = complete(base), complete(raw)
        return {
            "identifier": _identifier(name),
            "requirements": updates.view_requirements(base)
            if view
            else updates.table_requirements(base, raw),
            "updates": updates.view_updates(base, raw) if view else updates.table_updates(base, raw),
        }

    def _rename(self, name: TableName, to: TableName, kind: str) -> None:
        if not to.name:
            raise InvalidArgument("a table needs a name")
        target = TableName(self.name, self.find_namespace(to.namespace), to.name)
        if target != name and self._asking_anew()._look_up(target.namespace, target.name) is not None:
            # Some servers look only for what is of the same kind.
            raise AlreadyExists(f"'{target}' already exists", code="TABLE_ALREADY_EXISTS")
        if target == name:
            return
        self.check_name(target)
        body = {"source": _identifier(name), "destination": _identifier(target)}
        try:
            self._client.post(kind, "rename", body=body)
        except RestError as error:
            if error.status == 409:
                raise AlreadyExists(f"'{target}' already exists", code="TABLE_ALREADY_EXISTS") from None
            raise self._not_found(name.namespace, name.name, kind=kind[:-1]) from None


def _just_now(answer: Raw) -> Answer:
    """The answer to a change, which is never cached."""
    return Answer(answer, time.time(), 0)


def _identifier(name: TableName) -> dict[str, Any]:
    return {"namespace": list(name.namespace), "name": name.name}
