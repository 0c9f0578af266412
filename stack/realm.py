"""The realm `lake`: two people, and a client for each way to log in."""

from __future__ import annotations

import json
from typing import Any

REALM = "lake"
USERS = {"alice": "analyst", "bob": "admin"}
ROLES = ("analyst", "admin", "writer")
CATALOG = "catalog"
TOKEN_SECONDS = 300


def secret_of(name: str) -> str:
    """Nothing that is worth anything is behind these."""
    return f"{name}-secret"


def realm() -> dict[str, Any]:
    """As Keycloak imports it."""
    return {
        "realm": REALM,
        "enabled": True,
        "sslRequired": "none",
        "accessTokenLifespan": TOKEN_SECONDS,
        "roles": {"realm": [{"name": name} for name in ROLES]},
        "groups": [{"name": "staff"}],
        "users": [
            *(_user(name, role) for name, role in USERS.items()),
            {
                "username": "service-account-etl",
                "enabled": True,
                "serviceAccountClientId": "etl",
                "realmRoles": ["writer"],
            },
        ],
        "clients": [
            _client("sqe", directAccessGrantsEnabled=True),
            _client("etl", serviceAccountsEnabled=True),
            _client("exchange", attributes={"standard.token.exchange.enabled": "true"}),
            _client(
                "cli",
                publicClient=True,
                standardFlowEnabled=True,
                redirectUris=["http://127.0.0.1/*"],
                attributes={"oauth2.device.authorization.grant.enabled": "true"},
            ),
            _client(CATALOG, mappers=[]),
        ],
    }


def _user(name: str, role: str) -> dict[str, Any]:
    return {
        "username": name,
        "enabled": True,
        # Without these Keycloak says that the account is not fully set up.
        "firstName": name.title(),
        "lastName": "Lake",
        "email": f"{name}@lake.example",
        "emailVerified": True,
        "credentials": [{"type": "password", "value": secret_of(name)}],
        "realmRoles": [role],
        "groups": ["/staff"],
    }


def _client(name: str, *, mappers: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    client = {
        "clientId": name,
        "enabled": True,
        "standardFlowEnabled": False,
        "protocolMappers": _mappers() if mappers is None else mappers,
        **more,
    }
    return client if client.get("publicClient") else {**client, "secret": secret_of(name)}


def _mappers() -> list[dict[str, Any]]:
    """Tokens are for the catalog, and may be exchanged; groups are in the claim `groups`."""
    audiences = [
        {
            "name": f"audience {name}",
            "protocol": "openid-connect",
            "protocolMapper": "oidc-audience-mapper",
            "config": {"included.client.audience": name, "access.token.claim": "true"},
        }
        for name in (CATALOG, "exchange")
    ]
    groups = {
        "name": "groups",
        "protocol": "openid-connect",
        "protocolMapper": "oidc-group-membership-mapper",
        "config": {"claim.name": "groups", "full.path": "false", "access.token.claim": "true"},
    }
    return [*audiences, groups]


if __name__ == "__main__":
    # For deploy/compose.yaml.
    print(json.dumps(realm(), indent=2))
