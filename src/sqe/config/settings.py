"""The settings of every part, each key declared where its value is kept; and the sections that they are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sqe.config.catalogs import CATALOG, STORAGE
from sqe.config.duckdb import FastSettings
from sqe.config.keys import (
    Key,
    Listed,
    Named,
    Node,
    Section,
    choice,
    count,
    declared,
    flag,
    path,
    port,
    setting,
    size,
    table,
    text,
    texts,
    unbuilt,
)
from sqe.config.providers import AUTH
from sqe.config.spark import SparkSettings
from sqe.foundation.record import record


@record
class EngineSettings:
    lane: str = setting(choice("`auto` decides for each statement.", "auto spark fast", "auto"))


@record
class ResultSettings:
    """Sizes in bytes."""

    memory_window: int = setting(
        size("What of a result stays in memory before it goes to the spool.", "64MB")
    )
    max_memory: int = setting(size("What of all results together stays in memory.", "1GB"))
    spool_dir: Path | None = setting(
        path("Directory of the spools; default: one of the system's temporary directory.")
    )
    max_spool_per_user: int = setting(size("Most that one user's results may take on disk.", "10GB"))
    max_spool: int = setting(size("Most that all results together may take on disk.", "50GB"))


@record
class QuerySettings:
    """A limit of 0 is no limit. `timeout_set_by` says which of the two `timeout_secs` is."""

    default_catalog: str | None = setting(text("Catalog of names without one; default: the first by name."))
    timeout_secs: int = setting(count("Longest that a statement may run; 0 is no limit.", 0))
    server_timeout_secs: int = setting(count("On a server without `timeout_secs`; 0 is no limit.", 1800))
    max_sql_bytes: int = setting(count("Longest text of a statement.", 1 << 20))
    max_result_rows: int = setting(count("Most rows that a result may have; 0 is no limit.", 0))
    role_overrides: Mapping[str, int] = setting(
        table("Time limits by role, in seconds; the highest wins, and 0 is no limit."), factory=dict
    )
    max_concurrent_queries: int = setting(count("Statements of a server that run at once.", 100))
    max_concurrent_per_user: int = setting(count("Statements of one user that run at once.", 20))
    queue_timeout_secs: int = setting(count("How long a statement waits for its turn on a server.", 30))
    max_queued: int = setting(count("Statements that wait at once.", 1000))
    stream_idle_timeout_secs: int = setting(
        count("How long a client of a server may pause before its rows and its statement are given up.", 300)
    )
    timeout_set_by: str = "query.timeout_secs"


@record
class EventSettings:
    log_path: Path | None = setting(path("Append one JSON object a line for each event to this file."))


@record
class TlsSettings:
    """With `ca_file` clients have to show a certificate of that authority."""

    cert_file: Path = setting(path("Certificate chain, PEM."))
    key_file: Path = setting(path("Private key, PEM."))
    ca_file: Path | None = setting(path("Authority of client certificates; asks for mutual TLS."))


@record
class ServerSettings:
    host: str = setting(text("Address that the server listens on; 0.0.0.0 is all.", "127.0.0.1"))
    flight_sql_port: int = setting(port("Arrow Flight SQL; 0 takes any that is free.", 50051))
    iceberg_rest_port: int = setting(
        port("Catalogs for other engines, over Iceberg's REST protocol; 0 is none.", 0)
    )
    trino_http_port: int = setting(port("Trino's client protocol; 0 is none.", 8080))
    flight_compression: str = setting(choice("Codec of Flight results.", "none lz4 zstd", "none"))
    flight_reflection: bool = setting(flag("Let gRPC tools list the services."))
    max_header_size: int = setting(size("Largest headers of a call; tokens travel there.", "64KB"))
    max_message_size: int = setting(
        size("Largest message of a call, such as one batch of an ingest.", "16MB")
    )
    max_ingest_size: int = setting(size("Largest stream of one bulk ingest.", "64GB"))
    drain_secs: int = setting(
        count("How long running statements get at the end.", 25), name="shutdown_drain_secs"
    )
    plaintext_passwords: bool = setting(flag("Take passwords without TLS on an address other than loopback."))
    handshake_timeout_secs: int = setting(count("Longest handshake.", 30), name="auth_handshake_timeout_secs")
    tls: TlsSettings | None = None


@record
class SecuritySettings:
    trusted_proxies: tuple[str, ...] = setting(
        texts("Addresses or networks of proxies whose X-Forwarded-* headers are believed."), factory=tuple
    )


@record
class PolicySettings:
    """`mask_key` is a secret."""

    engine: str = setting(
        choice("Who decides what users may do: nobody, or what was granted by SQL.", "none grants", "none")
    )
    store: Path | None = setting(
        path("The database of grants; default: `~/.sqe/grants.db`. Of `engine = \"grants\"`.")
    )
    admins: tuple[str, ...] = setting(
        texts("Users who may do everything, and grant it. Of `engine = \"grants\"`."), factory=tuple
    )
    admin_roles: tuple[str, ...] = setting(
        texts("Roles whose users may do everything, and grant it. Of `engine = \"grants\"`."), factory=tuple
    )
    mask_key: str | None = setting(text("The secret that the mask `hash` hashes with.", secret=True))


@record
class SessionSettings:
    """Limits on the sessions of a server; times in seconds."""

    idle_timeout: int = setting(
        count("After how long without a call one ends.", 900), name="idle_timeout_secs"
    )
    absolute_timeout: int = setting(
        count("After how long one ends in any case.", 28800), name="absolute_timeout_secs"
    )
    sweep_interval: int = setting(
        count("How often old ones are removed.", 60), name="expiry_sweep_interval_secs"
    )
    max_sessions: int = setting(count("Most sessions at once.", 1000))
    max_sessions_per_user: int = setting(count("Most sessions of one user at once.", 250))


@record
class RateLimitSettings:
    auth_attempts_per_minute: int = setting(
        count("Failed log-ins of one user and of one address; always on, 1 or more.", 10, least=1)
    )


@record
class MetricsSettings:
    """A port of None is switched off."""

    prometheus_port: int | None = setting(
        port("Prometheus metrics, on `coordinator.host`; 0 switches it off.", 9090)
    )
    health_port: int | None = setting(
        port("Health and status, on `coordinator.host`; 0 switches it off.", 9091)
    )


@record
class LogSettings:
    level: str = setting(choice("From which level on.", "debug info warning error", "info"))
    format: str = setting(choice("One JSON object a line, or text for people.", "json text", "json"))
    statement_text: bool = setting(flag("Log the text of statements too, and not only its hash."))


@cache
def sections() -> dict[str, Node]:
    """Every key by its path, also those that are known by their names alone. Made when there is something to
    read by it, which a command without a configuration has not."""
    from sqe.config.unbuilt import UNBUILT

    built: dict[str, Node] = {
        "spark": declared(
            SparkSettings,
            "The Spark behind SQE. `spark.*` keys may stand here directly:"
            ' `"spark.sql.shuffle.partitions" = 8`.',
        ),
        "engine": declared(
            EngineSettings,
            "Which engine answers.",
            fast=declared(FastSettings, "The fast lane: DuckDB in processes of its own."),
        ),
        "results": declared(ResultSettings, "Where results wait for the client that reads them."),
        "query": declared(
            QuerySettings,
            "Statements and their limits. A limit that is reached is an error, never a shorter result.",
        ),
        "events": declared(EventSettings, "What happens to each statement, for programs to read."),
        "catalog": CATALOG,
        "catalogs": Named(CATALOG),
        "storage": STORAGE,
        "coordinator": declared(
            ServerSettings,
            "The server.",
            tls=declared(TlsSettings, "TLS of the server's ports: certificate and key, or neither."),
        ),
        "auth": AUTH,
        "security": declared(SecuritySettings, "Whom the server believes."),
        "policy": declared(PolicySettings, "What users may do with tables, and see of them."),
        "session": declared(SessionSettings, "Sessions of the server."),
        "rate_limit": declared(RateLimitSettings, "Limits on how often one may ask."),
        "metrics": declared(MetricsSettings, "Metrics and health, for operators."),
        "logging": declared(LogSettings, "The log of a server, on stderr."),
    }
    root = Section("", built)
    for name, feature in UNBUILT.items():
        root = _with_key(root, name.split("."), unbuilt(feature))
    # One catalog has the keys that named ones have.
    catalogs = root.keys["catalogs"]
    assert isinstance(catalogs, Named)
    return {**root.keys, "catalog": catalogs.section}


def _with_key(section: Section, parts: list[str], key: Key) -> Section:
    """The section with one more key, and the sections on the way to it."""
    name, *rest = parts
    node = section.keys.get(name)
    if not rest:
        return Section(section.doc, {**section.keys, name: node or key})
    match node:
        case Named():
            below: Node = Named(_with_key(node.section, rest[1:], key))
        case Listed():
            below = Listed(_with_key(node.section, rest, key))
        case _:
            assert not isinstance(node, Key)
            below = _with_key(node or Section("", {}), rest, key)
    return Section(section.doc, {**section.keys, name: below})
