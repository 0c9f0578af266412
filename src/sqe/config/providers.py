"""`[auth]`: the chain of providers that tell who somebody is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType

from sqe.config.keys import (
    Listed,
    Section,
    build_settings,
    choice,
    count,
    declared,
    flag,
    not_built,
    path,
    setting,
    table,
    text,
    texts,
)
from sqe.errors import ConfigError
from sqe.foundation.record import record

KEY_PREFIX = "sqe_"
PROVIDER_GROUP = "sqe.auth.providers"
"""Entry points of other packages' providers."""
PROVIDER_TYPES = (
    *("oidc_password", "client_credentials", "client_credentials_passthrough", "token_exchange"),
    *("bearer_token", "bearer_passthrough", "aws_iam", "api_key", "users_file", "mtls", "anonymous"),
)
CLOCK_SKEW_SECS = 30
_OF_TOKENS = (
    *("issuer", "jwks_url", "allow_insecure_jwks", "clock_skew_secs", "token_type", "allow_id_tokens"),
    *("user_claim", "subject_claim", "roles_claim", "groups_claim"),
)
_OF_GRANTS = ("client_id", "client_secret", "scope", "audience")
PROVIDER_KEYS: dict[str, tuple[str, ...]] = {
    "anonymous": ("user", "roles"),
    "api_key": ("keys_file", "key_prefix", "keys"),
    "bearer_token": (*_OF_TOKENS, "audience", "allow_unbounded_audience"),
    "client_credentials": (*_OF_TOKENS, *_OF_GRANTS, "token_endpoint", "fallthrough_on_reject"),
    "oidc_password": (*_OF_TOKENS, *_OF_GRANTS, "token_url", "fallthrough_on_reject"),
    "token_exchange": (*_OF_TOKENS, *_OF_GRANTS, "token_url", "impersonation"),
    "users_file": ("users_file", "fallthrough_on_reject"),
}
"""What the providers that are built obey, besides the type."""

_RENEWING = frozenset({"oidc_password", "client_credentials", "token_exchange"})
WITH_PASSWORDS = frozenset({"users_file", "oidc_password", "client_credentials"})
"""The types whose users send a password."""


@record
class ProviderSettings:
    """One of the chain's providers; `options` are its keys besides the type."""

    type: str
    options: Mapping[str, object] = field(default_factory=dict, repr=False)


@record
class ExternalSettings:
    """With whom people log in, by `sqe auth login` and from Trino's clients."""

    issuer: str | None = setting(text("Identity provider that people log in with."))
    client_id: str | None = setting(text("As which client `sqe auth login` asks it."))
    client_secret: str | None = setting(text("Secret of that client; a public one has none.", secret=True))
    redirect_uri: str | None = setting(
        text("Where its browser is sent back to, on this machine; default: any port of 127.0.0.1.")
    )
    server_url: str | None = setting(
        text("Address by which browsers reach `coordinator.trino_http_port`, for log-ins of Trino's clients.")
    )
    scopes: tuple[str, ...] | None = setting(texts("Scopes to ask for; default: openid, profile."))
    challenge_timeout_secs: int = setting(count("How long a log-in may take.", 900))
    authorization_endpoint: str | None = setting(text("Default: what its discovery document says."))
    token_endpoint: str | None = setting(text("Default: what its discovery document says."))
    jwks_url: str | None = setting(text("Default: what its discovery document says."))
    device_client_id: str | None = None
    device_scopes: tuple[str, ...] | None = None


_DEVICE = Section(
    "Log-in by a code (`sqe auth login --device`).",
    {
        "client_id": text("As which client; default: that of `auth.external`."),
        "scopes": texts("Scopes to ask for; default: those of `auth.external`."),
    },
)


@record
class AuthSettings:
    """`providers` in the order in which they are asked."""

    providers: tuple[ProviderSettings, ...]
    role_mappings: Mapping[str, tuple[str, ...]]
    attempts_per_minute: int
    token_refresh_buffer_secs: int = setting(
        count("How long before its end a session's token is renewed.", 60)
    )
    external: ExternalSettings = field(default_factory=ExternalSettings)


_API_KEY = Section(
    "An API key in the configuration itself (`api_key`).",
    {
        "hash": text("`sha256:` and the SHA-256 of the key, as `sqe server api-key` makes it."),
        "user": text("Whose key it is."),
        "roles": texts("Roles of that user."),
        "groups": texts("Groups of that user."),
    },
)
_PROVIDER = Section(
    "A provider; the first that knows the credentials decides.",
    {
        "type": choice(
            "Kind; `client_credentials_passthrough`, `bearer_passthrough`, `aws_iam`, `mtls` are not built.",
            " ".join(PROVIDER_TYPES),
            group=PROVIDER_GROUP,
        ),
        "users_file": path("File of users and their hashed passwords (`users_file`)."),
        "keys_file": path("File with the hashes of API keys (`api_key`)."),
        "key_prefix": text("How an API key begins.", KEY_PREFIX),
        "keys": Listed(_API_KEY),
        "user": text("User of `anonymous` and `bearer_passthrough`; default: anonymous."),
        "roles": texts("Roles of `anonymous` and `bearer_passthrough`."),
        "fallthrough_on_reject": flag("Ask the next provider when this one refuses."),
        "issuer": text("Identity provider whose tokens are taken: the `iss` of the tokens."),
        "token_url": text("Its token endpoint; default: what its discovery document says."),
        "token_endpoint": text("The same, for `client_credentials`."),
        "client_id": text("As which client the server asks it; the one client of `client_credentials`."),
        "client_secret": text("Secret of that client; a public one has none.", secret=True),
        "impersonation": flag("Run statements as another user, with a token of theirs (`token_exchange`)."),
        "scope": text("Scopes to ask for, with spaces between them."),
        "audience": text("Whom tokens must be for: one of their `aud` (`bearer_token`, …)."),
        "allow_unbounded_audience": flag("Take tokens for anybody (`bearer_token`)."),
        "token_type": text("The `typ` that tokens must have; default: any that an access token may have."),
        "allow_id_tokens": flag("Take ID tokens too, of issuers whose access tokens are no JWTs."),
        "jwks_url": text("Its public keys; default: what its discovery document says."),
        "allow_insecure_jwks": flag("Reach the identity provider by plain http too."),
        "clock_skew_secs": count("How far its clock may be from ours.", CLOCK_SKEW_SECS),
        "user_claim": text("Claim with the user's name, or the path to it.", "preferred_username"),
        "subject_claim": text("Claim that never changes for a user.", "sub"),
        "roles_claim": text("Claim with the user's roles, or the path to it.", "realm_access.roles"),
        "groups_claim": text("Claim with the user's groups, or the path to it.", "groups"),
        "options": table("Settings of a provider of another package."),
    },
)
AUTH = declared(
    AuthSettings,
    "Who may ask a server: an ordered chain of providers.",
    providers=Listed(_PROVIDER),
    role_mappings=table("Lists of roles by the name of a role or a group that stands for them."),
    external=declared(
        ExternalSettings,
        "Log-in of people: by `sqe auth login`, and by Trino's clients in a browser.",
        device=_DEVICE,
    ),
)


def read_auth(block: object, attempts: int, source: str | None) -> AuthSettings:
    """`source` is where the providers were set, for the complaint about one that is not built; without it any
    may be named."""
    auth = block if isinstance(block, Mapping) else {}
    mappings: dict[str, tuple[str, ...]] = {}
    for name, roles in auth.get("role_mappings", {}).items():
        if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
            raise ConfigError(f'auth.role_mappings."{name}" must be a list of roles')
        mappings[name] = tuple(roles)
    settings = build_settings(
        AuthSettings,
        auth,
        providers=tuple(_provider(row, source) for row in auth.get("providers", ())),
        role_mappings=MappingProxyType(mappings),
        attempts_per_minute=attempts,
        external=_external(auth.get("external", {})),
    )
    # Those that renew tokens all do it alike.
    buffer = {"token_refresh_buffer_secs": settings.token_refresh_buffer_secs}
    providers = (
        replace(provider, options={**provider.options, **buffer}) if provider.type in _RENEWING else provider
        for provider in settings.providers
    )
    return replace(settings, providers=tuple(providers))


def _external(block: Mapping[str, object]) -> ExternalSettings:
    device = block.get("device", {})
    assert isinstance(device, Mapping)
    return build_settings(
        ExternalSettings,
        block,
        device_client_id=device.get("client_id"),
        device_scopes=device.get("scopes"),
    )


def _provider(row: Mapping[str, object], source: str | None) -> ProviderSettings:
    if "type" not in row:
        raise ConfigError("auth.providers: there is a provider without a type")
    kind = str(row["type"])
    options = {key: value for key, value in row.items() if key != "type"}
    if kind in PROVIDER_TYPES and kind not in PROVIDER_KEYS:
        if source is not None:
            built = ", ".join(sorted(PROVIDER_KEYS))
            raise not_built(source, f'auth.providers: type "{kind}"', f"built are {built}")
        return ProviderSettings(kind, options)
    own = PROVIDER_KEYS.get(kind, ("options",))
    for key in options:
        if key not in own:
            keys = ", ".join(own)
            raise ConfigError(f'auth.providers: type "{kind}" has no key {key}', hint=f"it has {keys}")
    if "options" in own:
        foreign = options.get("options")
        return ProviderSettings(kind, foreign if isinstance(foreign, Mapping) else {})
    return ProviderSettings(kind, options)
