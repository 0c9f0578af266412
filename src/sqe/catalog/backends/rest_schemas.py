"""The schemas of an Iceberg REST catalog, and the names in them."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec, Self, TypeVar

from sqe.catalog.backends.committing import CommittingCatalog, Namespace, name_conflict
from sqe.catalog.backends.rest_client import Denied, RestClient, RestError
from sqe.catalog.names import Visible, everything
from sqe.errors import (
    AccessDenied,
    AlreadyExists,
    InvalidArgument,
    NotFound,
    NotSupported,
    Unavailable,
    UserError,
)
from sqe.tree.relations import TableName

# Schemas that are listed, and parts of the name of one.
MOST_SCHEMAS, MOST_PARTS = 100_000, 100

_Catalog = TypeVar("_Catalog", bound="RestSchemas")
_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


def anew(
    method: Callable[Concatenate[_Catalog, _Arguments], _Answer],
) -> Callable[Concatenate[_Catalog, _Arguments], _Answer]:
    """For what is changed, or becomes true by what is there now: whatever was answered before, the server is
    asked again."""

    @wraps(method)
    def asking(catalog: _Catalog, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Answer:
        return method(catalog._asking_anew(), *arguments, **named)

    return asking


class RestSchemas(CommittingCatalog):
    """What a server says of schemas through `_client`."""

    _client: RestClient

    def _asking_anew(self) -> Self:
        """For what is changed, or becomes true by what is there now."""
        anew = copy.copy(self)
        anew._client = self._client.asking_anew()
        return anew

    def check(self) -> None:
        # Listing all takes a request for each schema. One that asks who is there has answered.
        with contextlib.suppress(AccessDenied):
            self._asking_anew()._children(())

    def namespaces(self) -> list[Namespace]:
        return sorted(self._below(()))

    def tables(self, namespace: Namespace) -> list[str]:
        return self._listed(namespace, "tables")

    def views(self, namespace: Namespace) -> list[str]:
        return self._listed(namespace, "views") if self._client.has_views else []

    def find_namespace(self, parts: Namespace, *, visible: Visible = everything) -> Namespace:
        # Most names are written as they are stored, and listing all takes a request for each schema. Not
        # asked for by its name: some servers find it in another case too, and say that it is spelled so.
        exact = parts and is_name(*parts) and visible(parts, None)
        try:
            if exact and all(parts[:n] in self._children(parts[: n - 1]) for n in range(1, len(parts) + 1)):
                return parts
            return super().find_namespace(parts, visible=visible)
        except Denied:
            # Whoever has rights in one schema alone may be allowed to list none.
            if exact and self._has_namespace(parts):
                return parts
            raise self._no_schema(parts) from None

    def namespace_location(self, namespace: Namespace) -> str | None:
        return (self._properties(namespace) or {}).get("location")

    def namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        properties = self._properties(namespace)
        if properties is None:
            raise self._no_schema(namespace)
        return properties

    def change_namespace(
        self, namespace: Namespace, changed: Mapping[str, str], removed: Collection[str]
    ) -> None:
        body = {"updates": dict(changed), "removals": sorted(removed)}
        try:
            self._client.post("namespaces", namespace, "properties", body=body)
        except RestError:
            raise self._no_schema(namespace) from None

    @anew
    def create_namespace(
        self,
        namespace: Namespace,
        *,
        location: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        if not namespace or not is_name(*namespace):
            raise InvalidArgument(
                f"'{'.'.join(namespace)}' is not a schema name", hint="no part of it may be blank"
            )
        given = {**(properties or {}), **({} if location is None else {"location": self._spell(location)})}
        above = self._table_above(namespace)
        if above is not None:
            raise name_conflict(f"table or view '{self.name}.{above}'")
        for length in range(1, len(namespace)):
            # Not all servers make the parents.
            if self._properties(namespace[:length]) is None:
                self._add_namespace(namespace[:length], {})
        if not self._add_namespace(namespace, given):
            raise AlreadyExists(
                f"schema '{self.name}.{'.'.join(namespace)}' already exists", code="SCHEMA_ALREADY_EXISTS"
            )

    @anew
    def drop_namespace(self, namespace: Namespace, *, cascade: bool = False) -> None:
        """With `cascade` one after the other: the protocol has no way to drop them at once."""
        stored = self.find_namespace(namespace)
        inside = sorted(self._below(stored), reverse=True)
        if not cascade and (inside or self._names(stored)):
            raise self._not_empty(stored)
        for each in [*inside, stored]:
            for table in self.tables(each):
                self._delete("tables", each, table)
            for view in self.views(each):
                self._delete("views", each, view)
            try:
                self._client.delete("namespaces", each)
            except RestError as error:
                if error.status == 409:
                    raise self._not_empty(each) from None

    def rename_namespace(self, namespace: Namespace, to: Namespace) -> None:
        raise NotSupported(f"in catalog '{self.name}', of type rest, a schema cannot be renamed")

    @contextlib.contextmanager
    def _as_seen(self, name: TableName, *, kind: str = "table") -> Iterator[None]:
        """Whoever may know of a table, and not do this, hears that. To others it is not there."""
        try:
            yield
        except Denied:
            if name.name not in self._asking_anew()._names(name.namespace):
                raise self._not_found(name.namespace, name.name, kind=kind) from None
            raise

    @contextlib.contextmanager
    def _as_seen_within(self, namespace: Namespace) -> Iterator[None]:
        """As `_as_seen`, of a schema in which something is made."""
        try:
            yield
        except Denied:
            if not self._asking_anew()._has_namespace(namespace):
                raise self._no_schema(namespace) from None
            raise

    def _names(self, namespace: Namespace) -> list[str]:
        # Whoever may not list them may still load those that are theirs.
        with contextlib.suppress(Denied):
            return [*self.tables(namespace), *self.views(namespace)]
        return []

    def _has_namespace(self, namespace: Namespace) -> bool:
        return is_name(*namespace) and self._properties(namespace) is not None

    def _below(self, above: Namespace) -> list[Namespace]:
        below: list[Namespace] = []
        pending = [above]
        while pending:
            children = self._children(pending.pop())
            below += children
            # Deeper ones cannot be named; a server that goes on has no end.
            pending += [child for child in children if len(child) < MOST_PARTS]
            if len(below) > MOST_SCHEMAS:
                raise Unavailable(
                    f"catalog '{self.name}' has more than {MOST_SCHEMAS} schemas",
                    code="ICEBERG_CATALOG_ERROR",
                    hint="check that it is well",
                )
        return below

    def _children(self, above: Namespace) -> list[Namespace]:
        query = {"parent": self._client.namespace_text(above)} if above else {}
        try:
            answer = self._client.listed("namespaces", key="namespaces", query=query)
        except RestError:
            return []
        if not all(isinstance(parts, list) and all(isinstance(p, str) for p in parts) for parts in answer):
            raise self._client.no_catalog()
        listed = (tuple(parts) for parts in answer)
        # Some servers leave out the parent's name, and some list what is further down too.
        whole = (child if child[: len(above)] == above else (*above, *child) for child in listed)
        return [child for child in whole if len(child) == len(above) + 1]

    def _listed(self, namespace: Namespace, kind: str) -> list[str]:
        if not namespace or not is_name(*namespace):
            return []
        try:
            identifiers = self._client.listed("namespaces", namespace, kind, key="identifiers")
        except RestError:
            return []
        if not all(isinstance(each, dict) and "name" in each for each in identifiers):
            raise self._client.no_catalog()
        return sorted(str(each["name"]) for each in identifiers)

    def _properties(self, namespace: Namespace) -> dict[str, str] | None:
        """None where there is no such schema for the user."""
        try:
            answer = self._client.get("namespaces", namespace)
        except (RestError, Denied):
            return None
        return texts(answer.get("properties"))

    def _add_namespace(self, namespace: Namespace, properties: dict[str, str]) -> bool:
        """False if it is there already."""
        try:
            self._client.post("namespaces", body={"namespace": list(namespace), "properties": properties})
        except RestError as error:
            if error.status == 404:
                raise self._no_schema(namespace[:-1]) from None
            return False
        return True

    def _delete(self, kind: str, namespace: Namespace, name: str, **query: str) -> bool:
        """False if there is none."""
        try:
            self._client.delete("namespaces", namespace, kind, (name,), query=query)
        except RestError as error:
            if error.status == 409:
                raise UserError(f"'{TableName(self.name, namespace, name)}' cannot be dropped now") from None
            return False
        return True

    def _no_schema(self, namespace: Namespace) -> NotFound:
        return NotFound(
            f"schema '{self.name}.{'.'.join(namespace)}' does not exist",
            code="SCHEMA_NOT_FOUND",
            hint=self._absent_hint,
        )

    def _not_empty(self, namespace: Namespace) -> UserError:
        return UserError(
            f"schema '{self.name}.{'.'.join(namespace)}' is not empty",
            code="SCHEMA_NOT_EMPTY",
            hint="DROP SCHEMA ... CASCADE drops what is in it",
        )


def texts(values: object) -> dict[str, str]:
    """Properties as a server sends them."""
    return {str(key): str(value) for key, value in values.items()} if isinstance(values, dict) else {}


def is_name(*parts: str) -> bool:
    return all(part.strip() == part and part for part in parts)
