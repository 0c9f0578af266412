"""Tokens beside an identity: what a catalog is asked with, renewed before it runs out.

Who somebody is does not change with it: a session keeps its source for as long as it lives. No token is in
the `repr` of anything here, nor in any error.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import field

from sqe.errors import SessionExpired, Unavailable
from sqe.foundation.record import record
from sqe.session import Identity, TokenSource

log = logging.getLogger(__name__)

REFRESH_BUFFER_SECS = 60
# How long somebody waits for a renewal that another thread makes: longer than that one may take.
WAIT_SECONDS = 20.0
# After a renewal that failed, the next is not tried for this long.
RETRY_SECONDS = 5.0


@record
class Issued:
    """A token, and whom it was issued to. `expires_at` is in seconds since 1970. `renewal` is what the next
    one is had with, if anything is."""

    token: str = field(repr=False)
    identity: Identity
    expires_at: float
    lifetime: float
    renewal: str | None = field(default=None, repr=False)


class ClientToken:
    """The token that a client sent. Only the client can renew it, by sending another."""

    def __init__(self, token: str, expires_at: float) -> None:
        self._token = token
        self.expires_at = expires_at

    def current(self) -> str:
        if not self.holds():
            raise SessionExpired(
                "the token that was sent has expired", code="TOKEN_EXPIRED", hint="send a renewed one"
            )
        return self._token

    def renewed_after(self, refused: str) -> str | None:
        return None

    def holds(self) -> bool:
        return time.time() < self.expires_at


class RenewedTokens:
    """Renews its token when it is about to expire, one thread at a time. `renew` gives the next one:
    SessionExpired says that there will be none, Unavailable that there is none now. `revoke` tells the
    issuer that the last session has ended."""

    def __init__(
        self,
        issued: Issued,
        renew: Callable[[Issued], Issued],
        *,
        buffer: float = REFRESH_BUFFER_SECS,
        revoke: Callable[[Issued], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._issued = issued
        self._renew = renew
        self._buffer = buffer
        self._revoke = revoke
        self._clock = clock
        self._renewing = threading.Lock()
        self._failure: str | None = None
        self._retry_at = 0.0
        self._end: str | None = None
        self._holders = 0
        self._counting = threading.Lock()

    def __repr__(self) -> str:
        return f"RenewedTokens({self._issued.identity!r})"

    @property
    def identity(self) -> Identity:
        """As the newest token says it."""
        return self._issued.identity

    @property
    def ended(self) -> bool:
        return self._end is not None

    def current(self) -> str:
        issued = self._issued
        self._check_end()
        # A short-lived token is not renewed with every use.
        if self._clock() < issued.expires_at - min(self._buffer, issued.lifetime / 3):
            return issued.token
        return self._renewed(issued, is_over=self._clock() >= issued.expires_at).token

    def renewed_after(self, refused: str) -> str | None:
        issued = self._issued
        if issued.token != refused:
            return self.current()
        self._check_end()
        renewed = self._renewed(issued, is_over=True)
        return None if renewed is issued else renewed.token

    def keep_fresh(self) -> None:
        """For a session that works without asking for the token: what renews it may expire unused."""
        try:
            self.current()
        except (SessionExpired, Unavailable) as error:
            log.debug("a token was not renewed: %s", error.message)

    def holds_for(self, identity: Identity) -> bool:
        """Whether the newest token still says the same of who it is. While nobody can say, it does."""
        try:
            self.current()
        except SessionExpired:
            return False
        except Unavailable:
            return True
        return self._issued.identity == identity

    def adopt(self, issued: Issued) -> None:
        """After another log-in of the same user, which ends the former one."""
        with self._renewing:
            former, self._issued, self._failure = self._issued, issued, None
        self._log_out(former)

    def hold(self) -> None:
        with self._counting:
            self._holders += 1

    def release(self) -> None:
        with self._counting:
            self._holders -= 1
            if self._holders > 0 or self._end is not None or self._revoke is None:
                return
            self._end = "the session has ended"
        self._log_out(self._issued)

    def _log_out(self, issued: Issued) -> None:
        """Nobody waits for it."""
        revoke = self._revoke
        if revoke is None:
            return

        def tell() -> None:
            try:
                revoke(issued)
            except Unavailable as error:
                log.info("a log-out was not heard: %s", error.message)

        threading.Thread(target=tell, name="sqe-revoke", daemon=True).start()

    def _check_end(self) -> None:
        if self._end is not None:
            raise SessionExpired(self._end, hint="log in again")

    def _renewed(self, seen: Issued, *, is_over: bool) -> Issued:
        """The next after `seen`, or that one, where it is still good and no other can be had."""
        if not self._renewing.acquire(timeout=WAIT_SECONDS if is_over else 0):
            return self._fall_back(seen, is_over, "another renewal takes too long")
        try:
            if self._issued is not seen:
                return self._issued
            self._check_end()
            if self._failure is not None and self._clock() < self._retry_at:
                return self._fall_back(seen, is_over, self._failure)
            try:
                issued = self._renew(seen)
            except Unavailable as error:
                self._failure, self._retry_at = error.message, self._clock() + RETRY_SECONDS
                return self._fall_back(seen, is_over, error.message)
            except SessionExpired as error:
                self._end = error.message
                raise
            self._failure = None
            if issued.identity.who != seen.identity.who:
                self._end = "the token was renewed for somebody else"
                self._check_end()
            self._issued = issued
            return issued
        finally:
            self._renewing.release()

    def _fall_back(self, seen: Issued, is_over: bool, reason: str) -> Issued:
        if is_over:
            raise Unavailable(
                f"the token of the session cannot be renewed: {reason}",
                code="IDENTITY_PROVIDER_UNAVAILABLE",
                hint="try again later",
            )
        return seen


class SessionTokens:
    """The tokens of one session: those of its newest log-in."""

    def __init__(self) -> None:
        self._source: TokenSource | None = None
        self._lock = threading.Lock()
        self._closed = False

    def __repr__(self) -> str:
        return "SessionTokens()"

    def take(self, source: TokenSource) -> None:
        """A client that sends its own token may send an older one once more."""
        with self._lock:
            former = self._source
            if self._closed or source is former:
                return
            if (
                isinstance(source, ClientToken)
                and isinstance(former, ClientToken)
                and source.expires_at < former.expires_at
            ):
                return
            if isinstance(source, RenewedTokens):
                source.hold()
            self._source = source
        if isinstance(former, RenewedTokens):
            former.release()

    def current(self) -> str | None:
        source = self._source
        if source is None:
            raise SessionExpired("the session has ended", hint="log in again")
        return source.current()

    def renewed_after(self, refused: str) -> str | None:
        current = self.current()
        if current != refused:
            return current
        source = self._source
        return None if source is None else source.renewed_after(refused)

    def keep_fresh(self) -> None:
        source = self._source
        if isinstance(source, RenewedTokens):
            source.keep_fresh()

    def close(self) -> None:
        with self._lock:
            former, self._source, self._closed = self._source, None, True
        if isinstance(former, RenewedTokens):
            former.release()
