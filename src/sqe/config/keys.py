"""Every configuration key: its kind, its default, one line of help, and whether its feature exists yet.

`config/config.py` reads files and the environment by this table, and docs/configuration.md is made from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from sqe.foundation.record import record

Reader = Callable[[object], object]
"""Makes the value of what a file or the environment says; ValueError tells what it must be."""


@record
class Key:
    """One key. `default` is in the form that a file would have it; None means that there is none."""

    kind: str
    read: Reader
    doc: str
    default: object = None
    built: bool = True
    secret: bool = False


@record
class Section:
    """A table of keys. `awaits` names the feature that has to be built before any of it may be set."""

    doc: str
    keys: Mapping[str, Node]
    awaits: str | None = None


@record
class Named:
    """A table of sections whose names the user chooses: `[catalogs.<name>]`."""

    section: Section


@record
class Listed:
    """An array of tables: `[[auth.providers]]`."""

    section: Section


Node = Key | Section | Named | Listed

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def read_size(value: object) -> int:
    """Bytes of "64MB", "1.5GB", "2g" or a plain number; units count in steps of 1024."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError('a size such as "512MB" or "8GB"')
    return math.floor(float(match[1]) * _UNITS[match[2].lower()])


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("text in quotes")
    return value


def _read_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, EnvironmentText) and value.lower() in known:
        return known[value.lower()]
    raise ValueError("true or false")


def _read_count(value: object) -> int:
    if isinstance(value, EnvironmentText) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError("a whole number, 0 or more")


def _read_share(value: object) -> float:
    try:
        number = float(value) if isinstance(value, (int, float, EnvironmentText)) else -1.0
    except ValueError:
        number = -1.0
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise ValueError("a number between 0 and 1")
    return number


def _read_port(value: object) -> int:
    try:
        port = _read_count(value)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise ValueError("a port between 0 and 65535")
    return port


def _read_texts(value: object) -> tuple[str, ...]:
    if isinstance(value, EnvironmentText):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise ValueError("a list of texts")


def _read_table(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError("a table")
    return value


class EnvironmentText(str):
    """A value from the environment, where a number and a flag are text too."""


def text(doc: str, default: str | None = None, *, built: bool = True, secret: bool = False) -> Key:
    return Key("text", _read_text, doc, default, built, secret)


def flag(doc: str, default: bool = False, *, built: bool = True) -> Key:
    return Key("flag", _read_flag, doc, default, built)


def count(doc: str, default: int | None = None, *, built: bool = True) -> Key:
    return Key("number", _read_count, doc, default, built)


def share(doc: str, default: float, *, built: bool = True) -> Key:
    return Key("0 to 1", _read_share, doc, default, built)


def size(doc: str, default: str | None = None, *, built: bool = True) -> Key:
    return Key("size", read_size, doc, default, built)


def port(doc: str, default: int | None = None, *, built: bool = True) -> Key:
    return Key("port", _read_port, doc, default, built)


def path(doc: str, default: str | None = None, *, built: bool = True) -> Key:
    return Key("path", _read_text, doc, default, built)


def texts(doc: str, default: tuple[str, ...] = (), *, built: bool = True) -> Key:
    return Key("list", _read_texts, doc, default, built)


def table(doc: str, *, built: bool = True) -> Key:
    return Key("table", _read_table, doc, None, built)


def choice(doc: str, options: str, default: str | None = None, *, built: bool = True) -> Key:
    known = tuple(options.split())

    def read(value: object) -> str:
        if value not in known:
            raise ValueError("one of " + ", ".join(known))
        return str(value)

    return Key(" \\| ".join(f"`{option}`" for option in known), read, doc, default, built)


CATALOG_TYPES = "rest hms glue s3tables jdbc hadoop sqlite"
REQUIRED = {
    "rest": ("catalog_url", "warehouse"),
    "hms": ("uri", "warehouse"),
    "glue": ("region", "warehouse"),
    "s3tables": ("table_bucket_arn",),
    "jdbc": ("url", "warehouse"),
    "hadoop": ("warehouse",),
    "sqlite": ("warehouse",),
}
BUILT_CATALOG_TYPES = frozenset({"hadoop", "jdbc", "rest", "sqlite"})
# Of `jdbc` catalogs.
DATABASES = frozenset({"mysql", "postgresql", "sqlite"})
BUILT_DATABASES = frozenset({"postgresql", "sqlite"})

CATALOG_GROUP = "sqe.catalogs"
"""Entry points of other packages' types of catalogs."""
FILE_SYSTEM_GROUP = "sqe.file_systems"
"""Entry points of other packages' file systems, by the scheme of a location."""


def _read_catalog_type(value: object) -> str:
    known = CATALOG_TYPES.split()
    if isinstance(value, str) and value not in known:
        known += _of_other_packages(CATALOG_GROUP)
    if value not in known:
        raise ValueError("one of " + ", ".join(known))
    return str(value)


def _of_other_packages(group: str) -> list[str]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group).names)


def has_file_system(scheme: str) -> bool:
    return scheme == "file" or scheme in _of_other_packages(FILE_SYSTEM_GROUP)


_BACKEND: dict[str, Node] = {
    "type": Key(
        " \\| ".join(f"`{name}`" for name in CATALOG_TYPES.split()),
        _read_catalog_type,
        "Which kind of catalog it is; other packages may add some.",
        "rest",
    ),
    "warehouse": text(
        "Warehouse name (`rest`) or location of new tables; for `sqlite`, the directory that holds both."
    ),
    "uri": text("Host and port of a Hive metastore (`hms`).", built=False),
    "region": text("AWS region (`glue`).", built=False),
    "endpoint": text("Other endpoint than AWS's (`glue`).", built=False),
    "table_bucket_arn": text("ARN of the table bucket (`s3tables`).", built=False),
    "endpoint_url": text("Other endpoint than AWS's (`s3tables`).", built=False),
    "url": text(
        "Database: `sqlite:`, `postgresql://` or `mysql://` (`jdbc`; the last not yet).", secret=True
    ),
    "options": table("Settings of a catalog type of another package."),
}

_STORAGE: dict[str, Node] = {
    "s3_endpoint": text("S3 endpoint, for stores other than AWS."),
    "s3_region": text("S3 region."),
    "s3_access_key": text("Static access key.", secret=True),
    "s3_secret_key": text("Static secret key.", secret=True),
    "s3_path_style": flag("Bucket in the path and not in the host name."),
    "s3_allow_http": flag("Allow an S3 endpoint without TLS."),
}

CATALOG = Section(
    "One catalog. The backend's keys may stand directly in the block or in `.backend`.",
    {
        "name": text("SQL name of the single `[catalog]`; else its warehouse (`rest`) or its type."),
        "catalog_url": text("Address of an Iceberg REST catalog."),
        "polaris_url": text("Older name of `catalog_url`."),
        **_BACKEND,
        "backend": Section("Kind of the catalog and where it is.", _BACKEND),
        "auth": Section(
            "With which identity the catalog is called.",
            {
                "type": choice(
                    "The user's own token, or what replaces it.",
                    "session_bearer client_credentials anonymous static aws",
                    "session_bearer",
                ),
                "token": text("Token of `static`.", secret=True),
                "token_endpoint": text("Token endpoint of `client_credentials`."),
                "client_id": text("Client of `client_credentials`."),
                "client_secret": text("Its secret.", secret=True),
                "scope": text("Scope asked for by `client_credentials`.", "PRINCIPAL_ROLE:ALL"),
            },
            awaits="catalogs that ask for an identity",
        ),
        "storage": Section(
            "Object store of this catalog, where the catalog vends no credentials.",
            _STORAGE,
            awaits="object stores",
        ),
        "metadata_cache_ttl_secs": count("How long table metadata may be reused.", 30, built=False),
        "default_table_format_version": count("Format version of new tables.", 2, built=False),
        "trust_sort_order": flag("Believe the sort order that a table declares.", built=False),
        "small_file_threshold_mb": count("Files below this count as small.", 3, built=False),
        "parquet_compression": text("Codec of new Parquet files.", "zstd", built=False),
        "manifest_concurrency": count("Manifests read at once.", 64, built=False),
        "require_vended_credentials": flag("Refuse tables without vended credentials.", built=False),
        "namespace_visibility_filter": flag("Hide namespaces that the user may not list.", True, built=False),
    },
)

_TLS = Section(
    "TLS of the server's ports: certificate and key, or neither.",
    {
        "cert_file": path("Certificate chain, PEM."),
        "key_file": path("Private key, PEM."),
        "ca_file": path("Authority of client certificates; asks for mutual TLS."),
    },
)

KEY_PREFIX = "sqe_"
PROVIDER_TYPES = (
    "oidc_password client_credentials client_credentials_passthrough token_exchange bearer_token"
    " bearer_passthrough aws_iam api_key users_file mtls anonymous"
)
PROVIDER_KEYS: dict[str, tuple[str, ...]] = {
    "anonymous": ("user", "roles"),
    "api_key": ("keys_file", "key_prefix", "keys"),
    "users_file": ("users_file", "fallthrough_on_reject"),
}
"""What the providers that are built obey, besides the type."""


def _read_provider_type(value: object) -> str:
    known = PROVIDER_TYPES.split()
    if isinstance(value, str) and value not in known:
        from importlib.metadata import entry_points

        known += sorted(entry_points(group=PROVIDER_GROUP).names)
    if value not in known:
        raise ValueError("one of " + ", ".join(known))
    return str(value)


PROVIDER_GROUP = "sqe.auth.providers"
"""Entry points of other packages' providers."""

_API_KEY = Section(
    "An API key in the configuration itself (`api_key`).",
    {
        "hash": text("`sha256:` and the SHA-256 of the key, as `sqe server api-key` makes it."),
        "user": text("Whose key it is."),
        "roles": texts("Roles of that user."),
        "groups": texts("Groups of that user."),
    },
)

_PROVIDER: dict[str, Node] = {
    "type": Key(
        " \\| ".join(f"`{name}`" for name in PROVIDER_TYPES.split()),
        _read_provider_type,
        "Kind of provider; `users_file`, `api_key` and `anonymous` are built.",
    ),
    "users_file": path("File of users and their hashed passwords (`users_file`)."),
    "keys_file": path("File with the hashes of API keys (`api_key`)."),
    "key_prefix": text("How an API key begins.", KEY_PREFIX),
    "keys": Listed(_API_KEY),
    "user": text("User of `anonymous` and `bearer_passthrough`; default: anonymous."),
    "roles": texts("Roles of `anonymous` and `bearer_passthrough`."),
    "fallthrough_on_reject": flag("Ask the next provider when this one refuses."),
    "options": table("Settings of a provider of another package."),
    "token_url": text("Token endpoint.", built=False),
    "token_endpoint": text("Token endpoint (`client_credentials`).", built=False),
    "client_id": text("OAuth client.", built=False),
    "client_secret": text("Its secret.", built=False, secret=True),
    "scope": text("Scope asked for.", built=False),
    "audience": text("Audience that a token must be for.", built=False),
    "issuer": text("Issuer that a token must be from.", built=False),
    "jwks_url": text("Keys that tokens are signed with; https only.", built=False),
    "allow_insecure_jwks": flag("Allow `jwks_url` without TLS.", built=False),
    "allow_unbounded_audience": flag("Accept tokens for any audience.", built=False),
    "user_claim": text("Claim with the user's name.", built=False),
    "roles_claim": text("Claim with the roles.", "realm_access.roles", built=False),
    "subject_claim": text("Claim with the subject.", "sub", built=False),
    "email_claim": text("Claim with the e-mail address.", built=False),
    "groups_claim": text("Claim with the groups.", built=False),
    "region": text("AWS region (`aws_iam`).", built=False),
    "validate_with_sts": flag("Ask STS who the caller is (`aws_iam`).", built=False),
    "extract_ou": flag("Take roles from the certificate's OU (`mtls`).", built=False),
    "extract_san": flag("Take the user from the certificate's SAN (`mtls`).", built=False),
}

SECTIONS: dict[str, Section | Named] = {
    "spark": Section(
        'The Spark behind SQE. `spark.*` keys may stand here directly: `"spark.sql.shuffle.partitions" = 8`.',
        {
            "remote": text("Use this Spark Connect server (`sc://…`) and start none.", secret=True),
            "master": text(
                "Spark master of the server that SQE starts; a cluster's needs a secret.", "local[*]"
            ),
            "driver_memory": size("Heap of the server that SQE starts.", "2GB"),
            "conf": table(
                "Further `spark.*` settings; they win over those of SQE, but `spark.authenticate` stays on."
            ),
        },
    ),
    "engine": Section(
        "Which engine answers.",
        {
            "lane": choice("`auto` decides for each statement.", "auto spark fast", "auto"),
            "fast": Section(
                "The fast lane: DuckDB in processes of its own.",
                {
                    "enabled": flag("Without it `auto` is always Spark.", True),
                    "processes": count(
                        "Statements that it runs at once, each in a process; 0 is as many as cores.", 0
                    ),
                    "threads": count("Threads of one statement; 0 is as many as cores.", 0),
                    "memory_limit": size("Memory of one statement, before it spills.", "2GB"),
                    "spill_dir": path(
                        "Directory to spill to; default: one of the system's temporary directory."
                    ),
                    "max_spill": size("Most that one statement may spill.", "16GB"),
                    "max_scan_bytes": size("A statement that reads more than this is for Spark.", "8GB"),
                },
            ),
        },
    ),
    "results": Section(
        "Where results wait for the client that reads them.",
        {
            "memory_window": size("What of a result stays in memory before it goes to the spool.", "64MB"),
            "max_memory": size("What of all results together stays in memory.", "1GB"),
            "spool_dir": path("Directory of the spools; default: one of the system's temporary directory."),
            "max_spool_per_user": size("Most that one user's results may take on disk.", "10GB"),
            "max_spool": size("Most that all results together may take on disk.", "50GB"),
        },
    ),
    "query": Section(
        "Statements and their limits. A limit that is reached is an error, never a shorter result.",
        {
            "default_catalog": text("Catalog of names without one; default: the first by name."),
            "timeout_secs": count("Longest that a statement may run; 0 is no limit.", 0),
            "server_timeout_secs": count("On a server without `timeout_secs`; 0 is no limit.", 1800),
            "max_sql_bytes": count("Longest text of a statement.", 1 << 20),
            "max_result_rows": count("Most rows that a result may have; 0 is no limit.", 0),
            "catalog_discovery": choice(
                "Look for catalogs that are not configured.", "static polaris-auto", "static", built=False
            ),
            "role_overrides": table("Time limits by role, in seconds; the highest wins, and 0 is no limit."),
            "max_concurrent_queries": count("Statements of a server that run at once.", 100),
            "max_concurrent_per_user": count("Statements of one user that run at once.", 20),
            "queue_timeout_secs": count("How long a statement waits for its turn on a server.", 30),
            "max_queued": count("Statements that wait at once.", 1000),
            "max_concurrent_sorted_writes": count("Sorted writes that run at once.", 2, built=False),
            "per_user_memory_budget": size("Memory of one user's statements.", "1GB", built=False),
            "max_query_memory": size("Memory of one statement.", "256MB", built=False),
            "slow_query_threshold_secs": count("From when on a statement counts as slow.", 30, built=False),
            "query_profile": choice("Which statements are profiled.", "off slow all", "off", built=False),
            "distribution_threshold": size("From which scan size on work is spread.", "128MB", built=False),
            "distribution_file_threshold": count("From how many files on work is spread.", 4, built=False),
            "target_task_size": size("Bytes that one task reads.", "256MB", built=False),
            "sort_mode": choice(
                "How results are sorted.", "adaptive partition_only strict", "adaptive", built=False
            ),
            "stream_idle_timeout_secs": count(
                "How long a client of a server may pause before its rows and its statement are given up.", 300
            ),
        },
    ),
    "events": Section(
        "What happens to each statement, for programs to read.",
        {"log_path": path("Append one JSON object a line for each event to this file.")},
    ),
    "catalog": CATALOG,
    "catalogs": Named(CATALOG),
    "coordinator": Section(
        "The server.",
        {
            "host": text("Address that the server listens on; 0.0.0.0 is all.", "127.0.0.1"),
            "flight_sql_port": port("Arrow Flight SQL; 0 takes any that is free.", 50051),
            "flight_compression": choice("Codec of Flight results.", "none lz4 zstd", "none"),
            "flight_reflection": flag("Let gRPC tools list the services."),
            "max_header_size": size("Largest headers of a call; tokens travel there.", "64KB"),
            "max_message_size": size("Largest message of a call, such as one batch of an ingest.", "16MB"),
            "max_ingest_size": size("Largest stream of one bulk ingest.", "64GB"),
            "shutdown_drain_secs": count("How long running statements get at the end.", 25),
            "tls": _TLS,
            "plaintext_passwords": flag("Take passwords without TLS on an address other than loopback."),
            "auth_handshake_timeout_secs": count("Longest handshake.", 30),
            "trino_http_port": port("Trino's HTTP protocol; 0 switches it off.", 8080, built=False),
            "quack_port": port("DuckDB's remote protocol.", built=False),
            "mode": text("Which part of a cluster this process is.", "hybrid", built=False),
            "worker_urls": texts("Workers.", built=False),
            "worker_secret": text("Secret shared with the workers.", built=False, secret=True),
            "allow_unauthenticated_workers": flag("Accept workers without the secret.", built=False),
            "debug": flag("Say more in errors.", built=False),
            "memory_limit": size("Memory of the engine.", "8GB", built=False),
            "memory_pool": text("How memory is shared out.", "greedy", built=False),
            "spill_to_disk": flag("Continue on disk when memory is used up.", True, built=False),
            "spill_dir": path("Where to.", built=False),
            "spill_compression": text("Codec of what is spilled.", "lz4", built=False),
            "shuffle_compression": text("Codec of exchanged data.", "zstd", built=False),
            "max_workers": count("Most workers.", 1024, built=False),
            "health_check_interval_secs": count("How often workers are asked.", 5, built=False),
            "health_check_max_failures": count("After how many failures a worker is out.", 3, built=False),
            "credential_refresh_interval_secs": count(
                "How often expiring tokens are looked for.", 60, built=False
            ),
            "production_mode": flag("Refuse to start with unsafe settings.", built=False),
            "session_context_cache_ttl_secs": count("How long a session's engine is kept.", 60, built=False),
        },
    ),
    "worker": Section(
        "A worker of a cluster.",
        {
            "coordinator_url": text("Its coordinator."),
            "flight_port": port("Arrow Flight.", 50052),
            "advertise_url": text("How others reach it."),
            "heartbeat_interval_secs": count("How often it reports.", 5),
            "memory_limit": size("Memory of the engine.", "8GB"),
            "spill_to_disk": flag("Continue on disk when memory is used up.", True),
            "spill_dir": path("Where to."),
            "spill_compression": text("Codec of what is spilled.", "lz4"),
            "scan_timeout_secs": count("Longest scan.", 600),
            "worker_secret": text("Secret shared with the coordinator.", secret=True),
        },
        awaits="workers",
    ),
    "storage": Section(
        "Object stores.",
        {
            **_STORAGE,
            "coalesce_threshold": size("Reads closer than this become one.", "1MB"),
            "footer_cache_size": size("Cache of Parquet footers.", "256MB"),
            "concurrent_requests_per_file": count("Requests at once for one file.", 4),
            "max_concurrent_files": count("Files read at once.", 8),
            "prefetch_buffer": size("Read ahead.", "32MB"),
            "azure_account": text("Azure storage account."),
            "azure_access_key": text("Its key.", secret=True),
            "azure_sas_token": text("Its SAS token.", secret=True),
            "azure_use_emulator": flag("Use the Azure emulator."),
            "gcs_service_account_path": path("Key file of a Google service account."),
            "gcs_service_account_key": text("Key of a Google service account.", secret=True),
            "tvf": Section(
                "What `read_parquet('…')` and its like may read on a server.",
                {
                    "allow_local_paths": flag("Files of the server."),
                    "allow_http": flag("Web addresses."),
                    "allowed_http_hosts": texts("Only these hosts."),
                    "allowed_object_store_prefixes": texts("Only these prefixes; `{user}` is replaced."),
                    "object_store_admin_roles": texts("Roles that may read anything."),
                    "allow_inline_credentials": flag("Credentials in the call.", True),
                },
            ),
        },
        awaits="object stores",
    ),
    "auth": Section(
        "Who may ask a server: an ordered chain of providers.",
        {
            "providers": Listed(
                Section("A provider; the first that knows the credentials decides.", _PROVIDER)
            ),
            "role_mappings": table("Lists of roles by the name of a role or a group that stands for them."),
            "external": Section(
                "Log-in through a browser or a device code.",
                {
                    "issuer": text("OIDC issuer."),
                    "client_id": text("OAuth client."),
                    "client_secret": text("Its secret.", secret=True),
                    "redirect_uri": text(
                        "Where the browser comes back to.", "http://localhost:8080/oauth2/callback"
                    ),
                    "scopes": texts("Scopes asked for.", ("openid", "profile")),
                    "challenge_timeout_secs": count("How long a log-in may take.", 900),
                    "authorization_endpoint": text("Instead of the issuer's own."),
                    "token_endpoint": text("Instead of the issuer's own."),
                    "jwks_url": text("Instead of the issuer's own."),
                    "accept_invalid_certs": flag("Do not check the issuer's certificate."),
                    "device": Section(
                        "Device code flow.",
                        {"client_id": text("OAuth client."), "scopes": texts("Scopes asked for.")},
                    ),
                },
                awaits="providers of tokens",
            ),
            "keycloak_url": text("Keycloak, without a chain of providers.", built=False),
            "realm": text("Its realm.", built=False),
            "client_id": text("OAuth client.", built=False),
            "client_secret": text("Its secret.", built=False, secret=True),
            "token_endpoint": text("Token endpoint, without Keycloak.", built=False),
            "token_refresh_buffer_secs": count(
                "How long before its end a token is renewed.", 60, built=False
            ),
            "ssl_verification": flag("Check certificates.", True, built=False),
            "tls_skip_verify": flag("Do not check certificates.", built=False),
            "roles_claim": text("Claim with the roles.", "realm_access.roles", built=False),
            "admin_roles": texts("Roles of administrators.", ("service_admin", "catalog_admin"), built=False),
        },
    ),
    "policy": Section(
        "Row filters, column masks, hidden columns.",
        {
            "engine": choice("Who decides.", "passthrough in-memory opa cedar ranger", "passthrough"),
            "mask_key": text("Key of hash masks.", secret=True),
            "mask_precedence": text("Which mask wins.", "tag"),
            "opa": Section(
                "Open Policy Agent.",
                {
                    "url": text("Its address."),
                    "policy_path": text("Path of the rule."),
                    "timeout_secs": count("Longest answer.", 5),
                    "cache_max_entries": count("Decisions kept.", 10000),
                    "cache_ttl_secs": count("How long.", 60),
                    "breaker_failure_threshold": count("Failures until it is left alone.", 5),
                    "breaker_recovery_secs": count("How long it is.", 30),
                },
            ),
            "cedar": Section(
                "Cedar.", {"policy_path": path("Policies."), "entities_path": path("Entities.")}
            ),
            "ranger": table("Apache Ranger."),
        },
        awaits="policy engines",
    ),
    "access_control": Section(
        "Where GRANT and REVOKE are kept.",
        {
            "backend": choice("Who keeps them.", "none polaris ranger chameleon", "none"),
            "url": text("Its address."),
            "timeout_secs": count("Longest answer.", 30),
            "client_id": text("OAuth client."),
            "client_secret": text("Its secret.", secret=True),
            "grant_authority": choice("Who may grant.", "admin-role ranger-delegate", "admin-role"),
        },
        awaits="grants",
    ),
    "session": Section(
        "Sessions of the server.",
        {
            "idle_timeout_secs": count("After how long without a call one ends.", 900),
            "absolute_timeout_secs": count("After how long one ends in any case.", 28800),
            "expiry_sweep_interval_secs": count("How often old ones are removed.", 60),
            "max_sessions": count("Most sessions at once.", 1000),
            "max_sessions_per_user": count("Most sessions of one user at once.", 250),
            "persistence": choice("Where they are kept.", "memory file", "memory", built=False),
            "persistence_path": path("Their file.", built=False),
            "secrets_path": path("File of the secrets made by CREATE SECRET.", built=False),
            "snapshot_interval_secs": count("How often the file is written.", 60, built=False),
        },
    ),
    "query_cache": Section(
        "Cache of results.",
        {
            "enabled": flag("Switches it on."),
            "max_memory_mb": count("Its size.", 256),
            "max_entry_mb": count("Largest result in it.", 5),
            "ttl_secs": count("How long a result is kept.", 300),
        },
        awaits="the cache of results",
    ),
    "query_history": Section(
        "What `system.runtime.queries` shows.",
        {
            "max_entries": count("Statements kept.", 10000),
            "ttl_secs": count("How long.", 1800),
        },
        awaits="the history of statements",
    ),
    "rate_limit": Section(
        "Limits on how often one may ask.",
        {
            "auth_attempts_per_minute": count(
                "Failed log-ins of one user and of one address; always on, 1 or more.", 10
            ),
            "enabled": flag(
                "Switches the limits below on; failed log-ins are limited without it.", built=False
            ),
            "per_user_queries_per_minute": count("Statements of one user.", 60, built=False),
            "global_queries_per_minute": count("Statements of all.", 1000, built=False),
            "metadata_per_user_per_minute": count("Metadata calls of one user.", 120, built=False),
        },
    ),
    "metrics": Section(
        "Metrics, traces, audit and lineage.",
        {
            "prometheus_port": port("Prometheus metrics, on `coordinator.host`; 0 switches it off.", 9090),
            "health_port": port("Health and status, on `coordinator.host`; 0 switches it off.", 9091),
            "otlp_endpoint": text("OpenTelemetry collector.", built=False),
            "traces_otlp_endpoint": text("Another one for traces.", built=False),
            "trace_sample_rate": share("Share of statements that are traced.", 0.01, built=False),
            "audit_log_path": path("Audit log.", built=False),
            "web_ui": flag("The console.", built=False),
            "audit": Section(
                "Form of the audit log.",
                {
                    "format": text("Form of its records."),
                    "gdpr_tags": flag("Mark personal data."),
                    "gdpr_identifier_mode": text("How users are named."),
                    "superdebug_log_results": flag("Log results too."),
                },
                awaits="the audit log",
            ),
            "audit_export": table("Export of the audit log.", built=False),
            "openlineage": Section(
                "OpenLineage events.",
                {
                    "enabled": flag("Switches them on."),
                    "job_namespace": text("Namespace of jobs.", "sqe"),
                    "producer": text("Name of the producer."),
                    "emit_selects": flag("Events of queries too."),
                    "file_path": path("Write them to this file."),
                    "http_endpoint": text("Send them to this address."),
                    "auth_mode": choice("With which identity.", "none bearer user_token", "none"),
                    "api_key": text("Token of `bearer`.", secret=True),
                    "http_timeout_ms": count("Longest answer.", 5000),
                    "http_retry_attempts": count("Further attempts.", 1),
                    "spool_path": path("Where events wait while the receiver is away."),
                    "spool_max_bytes": count("Most that may wait.", 104857600),
                    "replay_interval_secs": count("How often it is tried again.", 30),
                    "channel_capacity": count("Events in memory.", 10000),
                },
                awaits="lineage",
            ),
        },
    ),
    "logging": Section(
        "The log of a server, on stderr.",
        {
            "level": choice("From which level on.", "debug info warning error", "info"),
            "format": choice("One JSON object a line, or text for people.", "json text", "json"),
            "statement_text": flag("Log the text of statements too, and not only its hash."),
        },
    ),
    "security": Section(
        "Exceptions from safe defaults.",
        {
            "trusted_proxies": texts("Proxies whose headers are believed."),
            "allow_insecure_transport": flag("Passwords and tokens without TLS."),
            "allow_shared_service_identity": flag("One identity for all users of a catalog."),
            "allow_unkeyed_hash_masks": flag("Hash masks without a key."),
            "allow_unprojected_tags": flag("Tags that are not in the catalog."),
        },
        awaits="the server",
    ),
    "maintenance": Section(
        "Upkeep of tables.",
        {
            "mode": choice("What it does.", "off advisory active", "off"),
            "principal": table("The identity that it runs as."),
            "scheduler": Section(
                "When it runs.",
                {
                    "enabled": flag("Switches it on."),
                    "tick_secs": count("How often it looks.", 60),
                    "schedule": text("When, as cron says it.", "0 2 * * *"),
                    "jitter_secs": count("Spread of the start.", 900),
                    "lease": choice("How one of several is chosen.", "none catalog kubernetes", "none"),
                },
            ),
            "compaction": table("How files are rewritten."),
            "distribution": table("How it is spread."),
        },
        awaits="upkeep of tables",
    ),
}
