"""The kinds of providers, each made from its options by a function `provider(options)`.

Other packages add kinds by entry points of the group `sqe.auth.providers`. A provider imports what it
needs when it is configured, and nothing of the chain.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, cast

from sqe.config.providers import PROVIDER_GROUP, PROVIDER_KEYS
from sqe.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqe.auth.credentials import Provider
    from sqe.config.config import ProviderSettings

    Make = Callable[[Mapping[str, object]], Provider]


def make(settings: ProviderSettings) -> Provider:
    return _maker(settings.type)(settings.options)


def _maker(kind: str) -> Make:
    # Ours first: no package may stand in for them.
    if kind in PROVIDER_KEYS:
        return cast("Make", import_module(f"sqe.auth.providers.{kind}").provider)
    entries = list(entry_points(group=PROVIDER_GROUP, name=kind))
    if len(entries) != 1:
        many = "two packages have" if entries else "no package has"
        raise ConfigError(f'auth.providers: {many} a provider of type "{kind}"')
    try:
        return cast("Make", entries[0].load())
    except (ImportError, AttributeError) as error:
        raise ConfigError(f'auth.providers: type "{kind}" cannot be loaded: {error}') from None
