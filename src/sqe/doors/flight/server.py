"""The Flight SQL door: a gRPC server on one port."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from sqe.config.config import ServerSettings, TlsSettings
from sqe.doors.flight import health
from sqe.doors.flight.service import SERVICE, Service
from sqe.errors import ConfigError
from sqe.server.clients import Clients

# Each open stream and each statement that waits takes one; they are made when they are needed.
THREADS = 512


class FlightDoor:
    """Serves from `start` to `close`."""

    name = "flight"
    takes_statements = True

    def __init__(self, clients: Clients) -> None:
        self._settings = clients.coordinator.config.server
        self._service = Service(clients)
        self._health = health.Health()
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="sqe-flight")
        self._server: Any = None
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

    def drain(self) -> None:
        """Tells health checks that this server is about to go."""
        self._health.serving = False

    def close(self, grace: float = 0) -> None:
        """Calls that run get `grace` seconds."""
        if self._server is not None:
            self._server.stop(grace).wait()
        self._executor.shutdown(wait=False, cancel_futures=True)


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
