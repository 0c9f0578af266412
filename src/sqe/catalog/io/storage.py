"""What an object store is opened with: where it is, and whose keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sqe.catalog.io.location import is_within, scheme_of
from sqe.errors import AccessDenied
from sqe.foundation.record import record

# Iceberg's names, by which catalogs hand them out.
ENDPOINT = "s3.endpoint"
REGION = "client.region"
ACCESS_KEY = "s3.access-key-id"
SECRET_KEY = "s3.secret-access-key"
SESSION_TOKEN = "s3.session-token"
EXPIRES_AT_MS = "s3.session-token-expires-at-ms"
PATH_STYLE = "s3.path-style-access"
# Ours: whether keys may travel without TLS.
ALLOW_HTTP = "sqe.s3-allow-http"


def refuse_plain_http(properties: Mapping[str, str]) -> None:
    """AccessDenied for a store without TLS, unless that is allowed."""
    endpoint = properties.get(ENDPOINT)
    if endpoint is not None and not endpoint.startswith("https://") and properties.get(ALLOW_HTTP) != "true":
        raise AccessDenied(
            "the object store of the table has no TLS", hint="storage.s3_allow_http = true allows that"
        )


class Storage(Protocol):
    """The keys of a table's files, for whoever reads or writes them."""

    @property
    def owner(self) -> str:
        """Whose keys they are, for people: `vended by the catalog`, `of the configuration`."""

    def properties(self, location: str) -> Mapping[str, str]:
        """For a file, or all files below a directory, as they are now: keys that end are renewed.
        AccessDenied where nothing of the table may be, on local disks too."""

    def scope(self, location: str) -> str | None:
        """The directory that the keys for a location are meant for, if they may open more than that; None
        where the store itself knows what they are for."""


@record
class FixedStorage:
    """Of the configuration: the same for everybody."""

    given: Mapping[str, str]
    owner: str = "of the configuration"

    def __repr__(self) -> str:
        return "FixedStorage()"

    def properties(self, location: str) -> Mapping[str, str]:
        return self.given

    def scope(self, location: str) -> str | None:
        return None


@record
class WarehouseStorage:
    """Of the configuration, for what is in one catalog's warehouse: the keys may open more than that."""

    given: Mapping[str, str]
    warehouse: str
    owner: str = "of the configuration"

    def __repr__(self) -> str:
        return "WarehouseStorage()"

    def properties(self, location: str) -> Mapping[str, str]:
        from sqe.catalog.io import resolve

        if not is_within(resolve(location), resolve(self.warehouse)):
            raise AccessDenied(
                f"'{location}' is outside the warehouse of its catalog",
                hint="the keys of the configuration are for that warehouse alone",
            )
        return self.given

    def scope(self, location: str) -> str | None:
        return self.warehouse


def warehouse_storage(warehouse: str, given: Mapping[str, str]) -> WarehouseStorage | None:
    """None for one that is on the disk of this machine."""
    return None if scheme_of(warehouse) == "file" else WarehouseStorage(given, warehouse)


class _NoKeys:
    """Of whoever compares and spells locations, and opens nothing."""

    owner = "nobody's"

    def properties(self, location: str) -> Mapping[str, str]:
        raise AccessDenied("there are no keys for the object store of the table")

    def scope(self, location: str) -> str | None:
        return None


NO_KEYS: Storage = _NoKeys()
