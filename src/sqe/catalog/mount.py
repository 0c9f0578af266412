"""Mounts the catalogs of a configuration. Each type is one file of `backends`, imported where it is mounted,
with a function `mount(settings)`; other packages add types by entry points of the group `sqe.catalogs`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from sqe.catalog.catalogs import Catalogs, embedded
from sqe.config.catalogs import CATALOG_GROUP
from sqe.errors import ConfigError, SqeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqe.catalog.protocol import Catalog
    from sqe.config.config import CatalogSettings, Config

    Mount = Callable[[CatalogSettings], Catalog]

_BUILT_IN = {
    "hadoop": "hadoop",
    "jdbc": "jdbc",
    "memory": "memory",
    "rest": "rest",
    "sqlite": "embedded",
    "tpch": "tpch",
}


def from_config(config: Config) -> Catalogs:
    """All that are configured; the usual embedded one where there is none. Nothing is opened yet."""
    default = config.query.default_catalog
    if not config.catalogs:
        return embedded(default=default)
    return Catalogs({c.name: mount(c) for c in config.catalogs.values()}, default=default)


def mount(settings: CatalogSettings) -> Catalog:
    try:
        return _mount_of(settings)(settings)
    except ConfigError:
        raise
    except SqeError as error:
        # A path that no location can hold, for one.
        raise ConfigError(f"catalog '{settings.name}': {error.message}", hint=error.hint) from error


def _mount_of(settings: CatalogSettings) -> Mount:
    # Ours first: no package may stand in for them.
    if settings.type in _BUILT_IN:
        module = import_module(f"sqe.catalog.backends.{_BUILT_IN[settings.type]}")
        return cast("Mount", module.mount)
    from importlib.metadata import entry_points

    entries = list(entry_points(group=CATALOG_GROUP, name=settings.type))
    if len(entries) != 1:
        many = "two packages have" if entries else "no package has"
        raise ConfigError(f"catalog '{settings.name}': {many} a catalog of type \"{settings.type}\"")
    try:
        return cast("Mount", entries[0].load())
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"catalog '{settings.name}': type \"{settings.type}\" cannot be loaded: {error}"
        ) from None
