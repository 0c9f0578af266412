"""The providers in their order: the first that knows the credentials decides.

Whatever goes wrong refuses, and the client is told the same in every case; the reason is in the log, where
no credential ever is.
"""

from __future__ import annotations

import logging
import re
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from sqe.auth import providers
from sqe.auth.credentials import Bearer, Credentials, Grant, LoggedIn, Password, Provider, refused
from sqe.auth.limiter import Attempt, Limiter, network
from sqe.config.config import Config
from sqe.errors import AuthenticationFailed, ConfigError, LimitExceeded, Unavailable
from sqe.foundation.record import record
from sqe.session import Identity

log = logging.getLogger(__name__)

ACCEPTED, REFUSED, UNKNOWN, FAILED, LIMITED = "accepted", "refused", "unknown", "failed", "limited"
RESULTS = (ACCEPTED, REFUSED, UNKNOWN, FAILED, LIMITED)
"""How a log-in may end: unknown is that no provider knows the credentials, failed that one broke."""
NOBODY = "none"
"""The provider of an outcome where none decided."""


@record
class Outcome:
    """How one log-in ended. `user` is who was let in, or as whom somebody tried to be, where that is known
    and is no secret."""

    provider: str
    result: str
    user: str | None
    peer: str
    seconds: float


OnAttempt = Callable[[Outcome], None]

# Some clients send a key as the user's name.
_LIKE_A_SECRET = re.compile(r"[\w.+/=~-]{32,}")
_NO_MAPPINGS: Mapping[str, Sequence[str]] = MappingProxyType({})


class Chain:
    """`on_attempt` is told how each log-in ended; `role_mappings` has the roles that a
    role or a group stands for."""

    def __init__(
        self,
        providers: Sequence[Provider],
        *,
        limiter: Limiter,
        role_mappings: Mapping[str, Sequence[str]] = _NO_MAPPINGS,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        self._providers = tuple(providers)
        self._limiter = limiter
        self._role_mappings = role_mappings
        self._on_attempt = on_attempt or (lambda outcome: None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(provider.name for provider in self._providers)

    def authenticate(self, credentials: Credentials, *, peer: str) -> Identity:
        return self.grant(credentials, peer=peer).identity

    def grant(self, credentials: Credentials, *, peer: str) -> Grant:
        """AuthenticationFailed, or LimitExceeded after too many of those; Unavailable if a provider cannot
        say now. `peer` is an address, with or without a port."""
        began = time.perf_counter()
        attempt: Attempt | None = None
        if credentials is not None:  # with nothing sent there is nothing to guess
            try:
                attempt = self._limiter.begin(peer, _who(credentials))
            except LimitExceeded:
                self._report(NOBODY, LIMITED, credentials, peer, began)
                raise
        granted = None
        accepted: bool | None = False
        try:
            granted = self._ask(credentials, peer, began)
            accepted = granted is not None
        except Unavailable:
            accepted = None
            raise
        finally:
            if attempt is not None:
                self._limiter.end(attempt, accepted=accepted)
        if granted is None:
            raise refused()
        return replace(granted, identity=_mapped(granted.identity, self._role_mappings))

    def impersonate(self, credentials: Credentials, user: str, *, peer: str) -> Grant | None:
        """`user`, for somebody else who has logged in with the credentials; None if no provider says that
        they may be. LimitExceeded after too many of those; Unavailable if one cannot say now."""
        for provider in self._providers:
            ask = getattr(provider, "impersonate", None)
            if ask is None:
                continue
            began = time.perf_counter()
            attempt = self._limiter.begin(peer, f"as {user}")
            accepted: bool | None = False
            try:
                answer = ask(credentials, user)
                accepted = isinstance(answer, LoggedIn) and answer.identity.user == user
            except Unavailable:
                accepted = None
                raise _cannot_say() from None
            except Exception as error:
                answer = None
                if not isinstance(error, AuthenticationFailed):
                    kind = type(error).__name__
                    log.error("a provider failed: %s", kind, extra={"provider": provider.name})
            finally:
                self._limiter.end(attempt, accepted=accepted)
            self._report(provider.name, ACCEPTED if accepted else REFUSED, credentials, peer, began, user)
            if accepted:
                identity = _mapped(answer.identity, self._role_mappings)
                return Grant(identity, partial(_given, answer.holds), answer.tokens)
        return None

    def _ask(self, credentials: Credentials, peer: str, began: float) -> Grant | None:
        for provider in self._providers:
            try:
                answer = provider.authenticate(credentials)
                identity = answer.identity if isinstance(answer, LoggedIn) else answer
                if identity is not None and not (isinstance(identity, Identity) and identity.user):
                    raise TypeError("a provider must give an identity with a name")
            except AuthenticationFailed as error:
                self._report(provider.name, REFUSED, credentials, peer, began, reason=_reason(error))
                return None
            except Unavailable as error:
                self._report(provider.name, FAILED, credentials, peer, began, reason=error.message)
                raise _cannot_say() from None
            except Exception as error:
                # Its text may quote what was sent.
                places = [
                    f"{at.filename}:{at.lineno}" for at in traceback.extract_tb(error.__traceback__)[-3:]
                ]
                kind = type(error).__name__
                log.error("a provider failed: %s", kind, extra={"places": places, "provider": provider.name})
                self._report(provider.name, FAILED, credentials, peer, began)
                return None
            if identity is not None:
                self._report(provider.name, ACCEPTED, credentials, peer, began, identity.user)
                if isinstance(answer, LoggedIn):
                    return Grant(identity, partial(_given, answer.holds), answer.tokens)
                is_proven = bool(getattr(provider, "proves", True))
                return Grant(identity, partial(_lasting, provider, credentials), is_proven=is_proven)
        self._report(NOBODY, UNKNOWN, credentials, peer, began)
        return None

    def _report(
        self,
        provider: str,
        result: str,
        credentials: Credentials,
        peer: str,
        began: float,
        user: str | None = None,
        *,
        reason: str | None = None,
    ) -> None:
        user = _shown(credentials) if user is None else user
        outcome = Outcome(provider, result, user, network(peer), time.perf_counter() - began)
        self._on_attempt(outcome)
        if result == ACCEPTED:
            return
        # Whoever sends nothing, or sends on after the limit, must not fill the log.
        level = logging.DEBUG if credentials is None or result == LIMITED else logging.WARNING
        if log.isEnabledFor(level):
            about = {"provider": provider, "result": result, "user": user, "peer": outcome.peer}
            if reason is not None:
                about["reason"] = reason
            log.log(level, "a log-in was refused", extra=about)


def from_config(config: Config, *, on_attempt: OnAttempt | None = None) -> Chain:
    """The configured chain; its files are read now, so that their faults stop the start."""
    settings = config.auth
    if not settings.providers:
        raise ConfigError(
            "no authentication provider is configured, so nobody could log in",
            hint='add [[auth.providers]] with type = "users_file" and users_file = "…", or with'
            ' type = "api_key"; type = "anonymous" lets everybody in',
        )
    return Chain(
        [providers.make(provider) for provider in settings.providers],
        limiter=Limiter(settings.attempts_per_minute),
        role_mappings=settings.role_mappings,
        on_attempt=on_attempt,
    )


def _reason(error: AuthenticationFailed) -> str | None:
    return "; ".join(getattr(error, "__notes__", ())) or None


def _cannot_say() -> Unavailable:
    """Which identity provider it is, and what is wrong with it, is for the log."""
    return Unavailable(
        "the identity provider cannot be used, so that nobody can log in with it",
        code="IDENTITY_PROVIDER_UNAVAILABLE",
        hint="try again later",
    )


def _given(holds: Callable[[], bool]) -> Callable[[], bool]:
    return holds


def _lasting(provider: Provider, credentials: Credentials) -> Callable[[], bool]:
    lasting = getattr(provider, "lasting", None)
    if lasting is None:
        return lambda: True
    still: Callable[[], bool] = lasting(credentials)

    def holds() -> bool:
        try:
            return still()
        except ConfigError:
            # A file that cannot be used holds nothing; it has said so in the log.
            return False

    return holds


def _who(credentials: Password | Bearer) -> str:
    """For whom a failure counts. Without a name it is the token itself, or all would share one count."""
    if isinstance(credentials, Bearer):
        return f"token {credentials.token}"
    return f"user {credentials.user}" if credentials.user else f"token {credentials.password}"


def _shown(credentials: Credentials) -> str | None:
    if not isinstance(credentials, Password):
        return None
    return "(looks like a secret)" if _LIKE_A_SECRET.search(credentials.user) else credentials.user[:256]


def _mapped(identity: Identity, mappings: Mapping[str, Sequence[str]]) -> Identity:
    """A role that stands for others is replaced by them; a group that does adds them."""
    if not mappings:
        return identity
    roles = {role for name in identity.roles for role in mappings.get(name, (name,))}
    roles |= {role for name in identity.groups for role in mappings.get(name, ())}
    return replace(identity, roles=frozenset(roles))
