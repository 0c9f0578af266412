"""The policy that a configuration asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqe.config.config import Config
from sqe.policy.decision import AllowAll, Policy

_STORE = Path("~/.sqe/grants.db")


def from_config(config: Config, warehouses: Sequence[str] | None = None) -> Policy:
    """`warehouses` as AllowAll has them."""
    settings, allow = config.policy, AllowAll(warehouses)
    if settings.engine == "none":
        return allow
    from sqe.policy.grant_store import GrantStore
    from sqe.policy.grants import GrantPolicy

    return GrantPolicy(
        GrantStore((settings.store or _STORE).expanduser()),
        admins=settings.admins or (),
        admin_roles=settings.admin_roles or (),
        elsewhere=allow,
        mask_key=(settings.mask_key or "").encode(),
    )
