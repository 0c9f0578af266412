"""The way to a server: ADBC's Flight SQL driver, and what uses it at the moment."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from sqe.errors import AuthenticationFailed, InterfaceError, InvalidArgument
from sqe.foundation.record import record
from sqe.results.result import Spools

# How long a close waits for what it has cancelled.
CLOSE_SECONDS = 5.0
# A value may be large, and a batch has at least one.
LARGEST_MESSAGE = 1 << 30


@record
class Address:
    """A server, and who asks. A token is used in place of a user and a password; `renewed_token` gives the
    one that holds now, before each statement."""

    host: str
    port: int = 50051
    user: str | None = None
    password: str | None = None
    token: str | None = None
    tls: bool = False
    insecure: bool = False
    renewed_token: Callable[[], str | None] | None = None

    def __repr__(self) -> str:
        return f"Address({self})"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def _check(address: Address) -> None:
    host, token = address.host, address.token
    if not host or any(c.isspace() or c in "/[]@" for c in host) or host.count(":") == 1:
        raise InvalidArgument(
            f"{host!r} is not the name or the address of a host",
            hint="give the port by itself: sqe -H host -p port, or connect(host=…, port=…)",
        )
    if not 0 < address.port < 65536:
        raise InvalidArgument(f"{address.port} is not a port", hint="ports are 1 to 65535")
    if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token != ""):
        raise InvalidArgument(
            "the token has characters that no token has", hint="is there a line break in it?"
        )


class Client:
    """`where` is the server's address for people."""

    def __init__(self, address: Address) -> None:
        try:
            import adbc_driver_flightsql.dbapi as driver
            from adbc_driver_flightsql import DatabaseOptions as Option
        except ImportError:
            raise InterfaceError(
                "the driver for servers is not installed", hint="pip install adbc-driver-flightsql"
            ) from None
        from sqe.api.remote.failures import translated

        _check(address)
        if address.insecure and not address.tls:
            raise InvalidArgument("insecure is about the certificate of TLS", hint="add tls")
        self.where = str(address)
        self.spools = Spools()
        self._changed = threading.Condition()
        self._users = 0
        # Another connection with the same token has a session of its own.
        self._session_header = Option.RPC_CALL_HEADER_PREFIX.value + "x-sqe-session"
        self._known_header = Option.RPC_CALL_HEADER_PREFIX.value + "x-sqe-session-known"
        self._has_session = False
        self._former: list[Any] = []
        options = {Option.WITH_MAX_MSG_SIZE.value: str(LARGEST_MESSAGE)}
        if address.insecure:
            options[Option.TLS_SKIP_VERIFY.value] = "true"
        self._authorization = Option.AUTHORIZATION_HEADER.value
        self._token = address.token
        self._renewed_token = address.renewed_token
        self._renewing = threading.Lock()
        if address.token is not None:
            options[self._authorization] = f"Bearer {address.token}"
        elif address.user is not None or address.password is not None:
            options |= {"username": address.user or "", "password": address.password or ""}
        scheme = "grpc+tls" if address.tls else "grpc"
        self._open = partial(driver.connect, f"{scheme}://{self.where}", autocommit=True)
        self._options = options
        self._reading = threading.Lock()
        self._session = secrets.token_hex(16)
        try:
            with translated(self.where):
                self._adbc = self._connect(self._session)
                # The first call: whether it answers, and lets us in.
                self._adbc.adbc_connection.get_option("adbc.flight.sql.session.options")
        except AuthenticationFailed as error:
            if address.token is None and address.user is None and address.password is None:
                raise AuthenticationFailed(
                    error.message,
                    hint="nobody was named: log in with a user and a password, with a token,"
                    " or once with `sqe auth login`",
                ) from None
            raise

    def _connect(self, session: str) -> Any:
        """In the session of that name."""
        return self._open(db_kwargs={**self._options, self._session_header: session})

    def mark_used(self) -> None:
        """A statement has run: from now on there is a session, and the server is to say if it has ended."""
        if not self._has_session:
            self._has_session = True
            self._adbc.adbc_connection.set_options(**{self._known_header: "1"})

    def begin_again(self) -> None:
        """In a new session, after the server has said that it has ended."""
        import adbc_driver_manager as adbc

        with contextlib.suppress(adbc.Error):
            self._session = secrets.token_hex(16)
            connection = self._connect(self._session)
            self._former.append(self._adbc)
            self._adbc, self._has_session = connection, False

    def cursor(self) -> Any:
        """A cursor of ADBC, within `busy`; the caller closes it."""
        self._use_renewed_token()
        return self._adbc.cursor()

    def _use_renewed_token(self) -> None:
        """On another connection in the same session: headers of the driver's are added to, never replaced."""
        if self._renewed_token is None:
            return
        with self._renewing:
            token = self._renewed_token()
            if token is None or token == self._token:
                return
            self._token = token
            self._options = {**self._options, self._authorization: f"Bearer {token}"}
            connection = self._connect(self._session)
            if self._has_session:
                connection.adbc_connection.set_options(**{self._known_header: "1"})
            # What is read from the former one is read to its end.
            self._former.append(self._adbc)
            self._adbc = connection

    @contextmanager
    def reader(self) -> Iterator[Any]:
        """A cursor of ADBC to read a result with. A connection of the driver reads one at a time, and ends
        it when the next begins: so that others get a connection for as long as they read."""
        if self._reading.acquire(blocking=False):
            try:
                with self._adbc.cursor() as cursor:
                    yield cursor
            finally:
                self._reading.release()
        else:
            # In another session, which ends with it.
            with self._connect(secrets.token_hex(16)) as other, other.cursor() as cursor:
                yield cursor

    @contextmanager
    def busy(self) -> Iterator[None]:
        """While the driver is used: it must not be closed meanwhile."""
        with self._changed:
            self._users += 1
        try:
            yield
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    def start(self, work: Callable[..., None], *arguments: object, name: str) -> None:
        """Work in a thread."""
        ready = threading.Event()

        def run() -> None:
            with self.busy():
                ready.set()
                work(*arguments)

        threading.Thread(target=run, name=name, daemon=True).start()
        ready.wait()

    def close(self) -> None:
        """After everything was cancelled. What does not end keeps the driver open, until the process ends."""
        until = time.monotonic() + CLOSE_SECONDS
        with self._changed:
            idle = self._changed.wait_for(lambda: not self._users, max(0.0, until - time.monotonic()))
        if idle:
            for connection in (self._adbc, *self._former):
                connection.close()
        self.spools.close()
