"""The Flight SQL door: a gRPC server on one port."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from sqe.config.config import ServerSettings, TlsSettings
from sqe.coordinator import Coordinator
from sqe.doors.flight import health
from sqe.doors.flight.calls import Calls, LogIn, Watch
from sqe.doors.flight.queries import Queries
from sqe.doors.flight.service import SERVICE, Service
from sqe.errors import ConfigError
from sqe.server.sessions import ServerSession, Sessions

# Each open stream and each statement that waits takes one; they are made when they are needed.
THREADS = 512
MOST_OF_ONE = 384
SWEEP_SECONDS = 1.0


class FlightDoor:
    """Serves from `start` to `close`."""

    def __init__(self, coordinator: Coordinator, log_in: LogIn) -> None:
        self._coordinator = coordinator
        self._settings = coordinator.config.server
        self.queries = Queries(coordinator, compression=self._settings.flight_compression)
        self.sessions = Sessions(coordinator.config.sessions, coordinator.session, self._ended)
        self._watch = Watch(coordinator.config.query.stream_idle_timeout_secs)
        self._calls = Calls(
            log_in,
            self.sessions,
            self._watch,
            most_of_one=MOST_OF_ONE,
            first_seconds=self._settings.handshake_timeout_secs,
            largest_message=self._settings.max_message_size,
            largest_text=coordinator.config.query.max_sql_bytes,
        )
        self._service = Service(coordinator, self.sessions, self._calls, self.queries)
        self._health = health.Health()
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="sqe-flight")
        self._server: Any = None
        self._closed = threading.Event()
        self.port = 0

    def start(self) -> None:
        settings = self._settings
        self._server = grpc.server(
            self._executor, options=_options(settings), maximum_concurrent_rpcs=THREADS
        )
        self._server.add_generic_rpc_handlers((self._service.handlers(),))
        self._server.add_generic_rpc_handlers((self._health.handlers(),))
        if settings.flight_reflection:
            from grpc_reflection.v1alpha import reflection

            names = (SERVICE, health.SERVICE, reflection.SERVICE_NAME)
            reflection.enable_server_reflection(names, self._server)
        self.port = _bind(self._server, settings)
        self._server.start()
        self._health.serving = True
        threading.Thread(target=self._sweep, name="sqe-flight-sweep", daemon=True).start()

    def drain(self) -> None:
        """Tells health checks that this server is about to go."""
        self._health.serving = False

    def close(self, grace: float = 0) -> None:
        """Calls that run get `grace` seconds."""
        self._closed.set()
        if self._server is not None:
            self._server.stop(grace).wait()
        self.sessions.close_all()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _ended(self, session: ServerSession) -> None:
        self.queries.close_session(session.id)
        self._service.prepared.close_session(session.id)

    def _sweep(self) -> None:
        rest = self._coordinator.config.sessions.sweep_interval
        again = time.monotonic() + rest
        while not self._closed.wait(SWEEP_SECONDS):
            self._watch.sweep()
            self.queries.sweep()
            if time.monotonic() >= again:
                self.sessions.sweep()
                again = time.monotonic() + rest


def _options(settings: ServerSettings) -> list[tuple[str, int]]:
    return [
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", settings.max_message_size),
        # A call that is not read yet keeps one window, and not what the line could carry.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", 256 << 10),
        # Identity alone: what is compressed would be inflated before anybody can look at it.
        ("grpc.compression_enabled_algorithms_bitset", 1),
        ("grpc.max_metadata_size", settings.max_header_size),
        ("grpc.absolute_max_metadata_size", settings.max_header_size * 2),
        # A port that is taken is an error, and not shared.
        ("grpc.so_reuseport", 0),
        # Clients that vanish without a word are noticed.
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]


def _bind(server: Any, settings: ServerSettings) -> int:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"{host}:{settings.flight_sql_port}"
    try:
        if settings.tls is None:
            return int(server.add_insecure_port(address))
        return int(server.add_secure_port(address, _credentials(settings.tls)))
    except RuntimeError:
        raise ConfigError(
            f"coordinator.flight_sql_port: {address} cannot be listened on",
            hint="another process may have it; choose another port, or 0 for any",
        ) from None


def _credentials(tls: TlsSettings) -> Any:
    try:
        key, chain = tls.key_file.read_bytes(), tls.cert_file.read_bytes()
        authority = None if tls.ca_file is None else tls.ca_file.read_bytes()
    except OSError as error:
        raise ConfigError(f"coordinator.tls: {error.filename} cannot be read: {error.strerror}") from None
    return grpc.ssl_server_credentials(
        [(key, chain)], root_certificates=authority, require_client_auth=authority is not None
    )
