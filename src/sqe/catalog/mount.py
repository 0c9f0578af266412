"""Mounts the catalogs of a configuration. Each kind is imported where it is mounted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.catalog.catalogs import Catalogs, embedded
from sqe.catalog.io import configured
from sqe.catalog.protocol import Catalog
from sqe.errors import ConfigError, InternalError, SqeError

if TYPE_CHECKING:
    from sqe.config.config import CatalogSettings, Config

LOCK_SECONDS = 30.0


def from_config(config: Config) -> Catalogs:
    """All that are configured; the usual embedded one where there is none. Nothing is opened yet."""
    default = config.query.default_catalog
    if not config.catalogs:
        return embedded(default=default)
    return Catalogs({c.name: mount(c) for c in config.catalogs.values()}, default=default)


def mount(settings: CatalogSettings) -> Catalog:
    try:
        return _mount(settings)
    except ConfigError:
        raise
    except SqeError as error:
        # A path that no location can hold, for one.
        raise ConfigError(f"catalog '{settings.name}': {error.message}", hint=error.hint) from error


def _mount(settings: CatalogSettings) -> Catalog:
    name, place = settings.name, settings.warehouse or ""
    match settings.type:
        case "sqlite":
            from sqe.catalog.backends.embedded import EmbeddedCatalog

            return EmbeddedCatalog(name, place)
        case "jdbc":
            return _mount_jdbc(settings)
        case "hadoop":
            from sqe.catalog.backends.hadoop import HadoopCatalog

            return HadoopCatalog(name, configured(place))
        case "rest":
            from sqe.catalog.backends.rest import RestCatalog

            return RestCatalog(name, settings.catalog_url or "", warehouse=place)
    raise InternalError(f"a catalog of type {settings.type} cannot be mounted")


def _mount_jdbc(settings: CatalogSettings) -> Catalog:
    from sqe.catalog.backends.jdbc import JdbcCatalog
    from sqe.catalog.backends.pointers import Pointers

    warehouse = configured(settings.warehouse or "")
    pointers: Pointers
    if settings.database == "postgresql":
        from sqe.catalog.backends.postgres_pointers import PostgresPointers, parse_url

        address = parse_url(settings.url, catalog=settings.name)
        pointers = PostgresPointers(settings.name, address, lock_timeout=LOCK_SECONDS)
    else:
        from sqe.catalog.backends.sqlite_pointers import SqlitePointers

        file = _sqlite_file(settings)
        pointers = SqlitePointers(
            settings.name, file, directories=(file.parent,), lock_timeout=LOCK_SECONDS, own=False
        )
    return JdbcCatalog(settings.name, pointers, warehouse)


def _sqlite_file(settings: CatalogSettings) -> Path:
    """Of `sqlite:path`; as in any other URL, `//` before the path changes nothing."""
    text, _, options = settings.url[len("sqlite:") :].partition("?")
    path = text[2:] if text.startswith("//") else text
    # The option that other programs need to make the file, which is what we do anyway.
    if not path or path == ":memory:" or options not in ("", "mode=rwc"):
        raise ConfigError(
            f"catalog '{settings.name}': its url names no database file",
            hint='write "sqlite:/path/to/catalog.db"',
        )
    return Path(os.path.abspath(os.path.expanduser(path)))
