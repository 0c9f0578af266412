"""The configuration: flags over environment over `sqe.toml` over defaults, checked before anything starts."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType

from sqe.config.duckdb import FastSettings
from sqe.config.keys import (
    BUILT_CATALOG_TYPES,
    BUILT_DATABASES,
    DATABASES,
    PROVIDER_KEYS,
    PROVIDER_TYPES,
    REQUIRED,
    SECTIONS,
    EnvironmentText,
    Key,
    Listed,
    Named,
    Node,
    Section,
    has_file_system,
)
from sqe.config.spark import SparkSettings, authentication
from sqe.errors import ConfigError
from sqe.foundation.record import record

_EMPTY: Mapping[str, object] = MappingProxyType({})
# A message of Flight SQL has room for this much besides the text of a statement.
LEAST_BESIDE_TEXT = 4 << 20


@record
class EngineSettings:
    lane: str


@record
class ResultSettings:
    """Sizes in bytes; without `spool_dir` the system's temporary directory is used."""

    memory_window: int
    max_memory: int
    spool_dir: Path | None
    max_spool_per_user: int
    max_spool: int


@record
class QuerySettings:
    """A limit of 0 is no limit."""

    default_catalog: str | None
    timeout_secs: int
    max_sql_bytes: int
    max_result_rows: int
    role_overrides: Mapping[str, int] = field(default_factory=dict)
    max_concurrent_queries: int = 100
    max_concurrent_per_user: int = 20
    queue_timeout_secs: int = 30
    max_queued: int = 1000
    stream_idle_timeout_secs: int = 300
    server_timeout_secs: int = 1800
    # Which of the two `timeout_secs` is.
    timeout_set_by: str = "query.timeout_secs"


@record
class TlsSettings:
    """With `ca_file` clients have to show a certificate of that authority."""

    cert_file: Path
    key_file: Path
    ca_file: Path | None = None


@record
class ServerSettings:
    host: str
    flight_sql_port: int
    flight_compression: str
    flight_reflection: bool
    max_header_size: int
    max_message_size: int
    plaintext_passwords: bool
    max_ingest_size: int
    drain_secs: int
    handshake_timeout_secs: int
    tls: TlsSettings | None


@record
class SessionSettings:
    """Of the sessions of a server; seconds."""

    idle_timeout: int
    absolute_timeout: int
    sweep_interval: int
    max_sessions: int
    max_sessions_per_user: int = 250


@record
class ProviderSettings:
    """One of the chain's providers; `options` are its keys besides the type."""

    type: str
    options: Mapping[str, object] = field(default_factory=dict, repr=False)


@record
class AuthSettings:
    """`providers` in the order in which they are asked."""

    providers: tuple[ProviderSettings, ...]
    role_mappings: Mapping[str, tuple[str, ...]]
    attempts_per_minute: int


@record
class EventSettings:
    log_path: Path | None


@record
class MetricsSettings:
    """A port of None is switched off."""

    prometheus_port: int | None
    health_port: int | None


@record
class LogSettings:
    """level: debug, info, warning, error; format: json, text."""

    level: str
    format: str
    statement_text: bool


@record
class CatalogSettings:
    """One configured catalog; `options` are the keys of its backend besides the type."""

    name: str
    type: str
    warehouse: str | None
    catalog_url: str | None = None
    options: Mapping[str, object] = field(default_factory=dict, repr=False)
    auth: Mapping[str, object] = field(default_factory=dict, repr=False)
    storage: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        """Where the database of a `jdbc` catalog is, with its password."""
        return str(self.options.get("url", ""))

    @property
    def database(self) -> str:
        """Which kind of database that is."""
        scheme = self.url.partition(":")[0].lower()
        return "postgresql" if scheme == "postgres" else scheme


@record
class Config:
    """`unbuilt` holds the sections whose features do not exist yet, as they were set."""

    spark: SparkSettings
    engine: EngineSettings
    fast: FastSettings
    results: ResultSettings
    query: QuerySettings
    events: EventSettings
    catalogs: Mapping[str, CatalogSettings]
    server: ServerSettings
    sessions: SessionSettings
    auth: AuthSettings
    metrics: MetricsSettings
    logging: LogSettings
    unbuilt: Mapping[str, Mapping[str, object]] = field(repr=False)


def load(
    path: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] = _EMPTY,
    *,
    check_built: bool = True,
) -> Config:
    """Read and check everything; `overrides` maps dotted keys to what flags say (`spark.driver_memory`)."""
    given = _Given()
    if path is not None:
        given.add(_read_file(path), str(path))
    for variable, value in sorted(environ.items()):
        parts = _variable_parts(variable)
        if parts is not None:
            given.add(_nested(given.spelled(parts), EnvironmentText(value)), variable)
    for dotted, override in overrides.items():
        given.add(_nested(dotted.split("."), override), "command line")
    return _build(given, check_built=check_built)


def usual_path(environ: Mapping[str, str]) -> Path | None:
    """The file that is read when none is named: `SQE_CONFIG`, else `~/.sqe/sqe.toml` if it exists.

    Not one in the working directory: `[spark]` can run code, and a directory may be somebody else's.
    """
    if environ.get("SQE_CONFIG"):
        return Path(environ["SQE_CONFIG"]).expanduser()
    home = Path(environ.get("HOME") or Path.home()) / ".sqe" / "sqe.toml"
    return home if home.is_file() else None


def _read_file(path: Path) -> Mapping[str, object]:
    import tomllib  # most commands have no file to read

    try:
        with open(path, "rb") as content:
            return tomllib.load(content)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not TOML: it is not UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None


def _variable_parts(variable: str) -> list[str] | None:
    """`SQE__query__timeout_secs` and `SQE_QUERY__TIMEOUT_SECS`; other variables are not ours to read."""
    if variable.startswith("SQE__"):
        parts = variable[len("SQE__") :].split("__")
    elif variable.startswith("SQE_") and "__" in variable:
        parts = variable[len("SQE_") :].split("__")
        parts[0] = parts[0].lower()
    else:
        return None
    return parts if all(parts) else None


def _nested(parts: list[str], value: object) -> Mapping[str, object]:
    for part in reversed(parts):
        value = {part: value}
    assert isinstance(value, dict)
    return value


class _Given:
    """What was set, key by key, and where. Later sources win; unknown keys and wrong values stop at once."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.sources: dict[tuple[str, ...], str] = {}

    def add(self, tree: Mapping[str, object], source: str) -> None:
        for name, value in tree.items():
            if name not in SECTIONS:
                raise _unknown((name,), source)
            self._take(SECTIONS[name], (name,), value, self.values, source)

    def spelled(self, parts: list[str]) -> list[str]:
        """Keys in the spelling of the table (environment variables are often upper case)."""
        spelled: list[str] = []
        node: Node | None = None
        known: object = self.values
        for depth, part in enumerate(parts):
            names: list[str] = list(SECTIONS) if depth == 0 else []
            if isinstance(node, Section):
                names = list(node.keys)
            elif isinstance(node, Named) and isinstance(known, dict):
                names = list(known)
            if part not in names and part.isupper():
                part = next((name for name in names if name.lower() == part.lower()), part.lower())
            elif part not in names:
                part = next((name for name in names if name.lower() == part.lower()), part)
            spelled.append(part)
            known = known.get(part, {}) if isinstance(known, dict) else {}
            node = _child(node, part) if depth else SECTIONS.get(part)
        return spelled

    def _take(
        self, node: Node, where: tuple[str, ...], value: object, into: dict[str, object], source: str
    ) -> None:
        name = where[-1]
        if isinstance(node, Key):
            into[name] = _value(node, where, value, source)
            self.sources[where] = source
            return
        if isinstance(node, Listed):
            if not isinstance(value, list):
                raise ConfigError(f"{source}: {_dotted(where)} must be an array of tables")
            rows: list[object] = []
            for row in value:
                holder: dict[str, object] = {}
                self._take(node.section, where, row, holder, source)
                rows.append(holder[name])
            into[name] = rows
            return
        if not isinstance(value, Mapping):
            raise ConfigError(f"{source}: {_dotted(where)} must be a table")
        table = into.setdefault(name, {})
        assert isinstance(table, dict)
        if where == ("spark",):
            value = _gather_spark_conf(value, table, source)
        for child_name, child in value.items():
            child_node = _child(node, child_name)
            if child_node is None:
                raise _unknown((*where, child_name), source)
            self._take(child_node, (*where, child_name), child, table, source)


def _child(node: Node | None, name: str) -> Node | None:
    if isinstance(node, Section):
        return node.keys.get(name)
    if isinstance(node, Named):
        return node.section
    return node.section.keys.get(name) if isinstance(node, Listed) else None


def _value(key: Key, where: tuple[str, ...], value: object, source: str) -> object:
    try:
        return key.read(value)
    except ValueError as error:
        shown = "" if key.secret or isinstance(value, (dict, list)) else f", not {_show(value)}"
        raise ConfigError(f"{source}: {_dotted(where)} must be {error}{shown}") from None


def _show(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _gather_spark_conf(
    value: Mapping[str, object], table: dict[str, object], source: str
) -> dict[str, object]:
    """`spark.*` keys, in `[spark.conf]` or directly in `[spark]`, quoted or dotted, as one flat table."""
    rest: dict[str, object] = {}
    previous = table.get("conf")
    conf: dict[str, object] = dict(previous) if isinstance(previous, Mapping) else {}
    for name, item in value.items():
        if name == "conf" and isinstance(item, Mapping):
            pairs = list(_flat(item, ""))
        elif name == "spark" or name.startswith("spark."):
            pairs = list(_flat({name: item}, ""))
        else:
            rest[name] = item
            continue
        for key, setting in pairs:
            if not key.startswith("spark."):
                raise ConfigError(f'{source}: spark.conf."{key}" must begin with "spark."')
            if isinstance(setting, (list, dict)):
                raise ConfigError(f'{source}: spark.conf."{key}" must be text, a number or a flag')
            conf[key] = str(setting).lower() if isinstance(setting, bool) else str(setting)
    if conf:
        rest["conf"] = conf
    return rest


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _dotted(where: tuple[str, ...]) -> str:
    return ".".join(part if part.isidentifier() or "-" in part else f'"{part}"' for part in where)


def _unknown(where: tuple[str, ...], source: str) -> ConfigError:
    nearest = _nearest(where)
    hint = f"did you mean {_dotted(nearest)}?" if nearest else "docs/configuration.md lists every key"
    return ConfigError(f"{source}: there is no key {_dotted(where)}", hint=hint)


def _nearest(where: tuple[str, ...]) -> tuple[str, ...] | None:
    """The right key that was probably meant: a neighbour, the same key elsewhere, or the likest path."""
    known = list(known_keys(where[1] if len(where) > 1 and where[0] == "catalogs" else "<name>"))
    paths = {path[: len(where)] for path, _ in known if len(path) >= len(where)}
    neighbours = {path[-1]: path for path in paths if path[:-1] == where[:-1]}
    for match in difflib.get_close_matches(where[-1], neighbours, n=1, cutoff=0.6):
        return neighbours[match]
    elsewhere = [path for path, _ in known if path[-1] == where[-1]]
    if elsewhere:
        return elsewhere[0]
    spellings = {".".join(path): path for path, _ in known}
    for match in difflib.get_close_matches(".".join(where), spellings, n=1, cutoff=0.6):
        return spellings[match]
    return None


def known_keys(catalog: str = "<name>") -> Iterator[tuple[tuple[str, ...], Key]]:
    """Every key with its path; `catalog` stands for the name that a user chooses."""

    def walk(node: Node, where: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Key]]:
        if isinstance(node, Key):
            yield where, node
        elif isinstance(node, Named):
            yield from walk(node.section, (*where, catalog))
        elif isinstance(node, Listed):
            yield from walk(node.section, where)
        else:
            for name, child in node.keys.items():
                yield from walk(child, (*where, name))

    for name, node in SECTIONS.items():
        yield from walk(node, (name,))


def _build(given: _Given, *, check_built: bool) -> Config:
    _check_ports(given)
    _check_tls(given)
    blocks = _catalog_blocks(given.values)
    catalogs = {name: _catalog(name, block, where) for name, (block, where) in sorted(blocks.items())}
    auth = _auth(given, check_built=check_built)
    if check_built:
        _check_built(given, {where: catalogs[name] for name, (_, where) in blocks.items()})
    return Config(
        spark=_spark(given, catalogs),
        engine=EngineSettings(lane=str(_get(given, "engine", "lane"))),
        fast=_fast(given),
        results=ResultSettings(
            memory_window=_number(given, "results", "memory_window"),
            max_memory=_number(given, "results", "max_memory"),
            spool_dir=_path(given, "results", "spool_dir"),
            max_spool_per_user=_number(given, "results", "max_spool_per_user"),
            max_spool=_number(given, "results", "max_spool"),
        ),
        query=QuerySettings(
            default_catalog=_default_catalog(given, catalogs),
            timeout_secs=_number(given, "query", "timeout_secs"),
            server_timeout_secs=_number(given, "query", "server_timeout_secs"),
            max_sql_bytes=_number(given, "query", "max_sql_bytes"),
            max_result_rows=_number(given, "query", "max_result_rows"),
            role_overrides=_role_overrides(given),
            max_concurrent_queries=_number(given, "query", "max_concurrent_queries"),
            max_concurrent_per_user=_number(given, "query", "max_concurrent_per_user"),
            queue_timeout_secs=_number(given, "query", "queue_timeout_secs"),
            max_queued=_number(given, "query", "max_queued"),
            stream_idle_timeout_secs=_number(given, "query", "stream_idle_timeout_secs"),
        ),
        events=EventSettings(log_path=_path(given, "events", "log_path")),
        catalogs=MappingProxyType(catalogs),
        server=_server(given),
        sessions=SessionSettings(
            idle_timeout=_number(given, "session", "idle_timeout_secs"),
            absolute_timeout=_number(given, "session", "absolute_timeout_secs"),
            sweep_interval=_number(given, "session", "expiry_sweep_interval_secs"),
            max_sessions=_number(given, "session", "max_sessions"),
            max_sessions_per_user=_number(given, "session", "max_sessions_per_user"),
        ),
        auth=auth,
        metrics=MetricsSettings(
            prometheus_port=_number(given, "metrics", "prometheus_port") or None,
            health_port=_number(given, "metrics", "health_port") or None,
        ),
        logging=LogSettings(
            level=str(_get(given, "logging", "level")),
            format=str(_get(given, "logging", "format")),
            statement_text=bool(_get(given, "logging", "statement_text")),
        ),
        unbuilt=MappingProxyType(
            {
                name: value
                for name, value in given.values.items()
                if isinstance(section := SECTIONS[name], Section)
                and section.awaits is not None
                and isinstance(value, dict)
            }
        ),
    )


def _get(given: _Given, *where: str) -> object:
    """The value at a path, else its default."""
    value: object = given.values
    node: Node | None = None
    for depth, part in enumerate(where):
        value = value.get(part) if isinstance(value, dict) else None
        node = _child(node, part) if depth else SECTIONS[part]
    assert isinstance(node, Key)
    if value is None and node.default is not None:
        return node.default if node.kind == "list" else node.read(node.default)
    return value


def _number(given: _Given, *where: str) -> int:
    value = _get(given, *where)
    assert isinstance(value, int)
    return value


def _text(given: _Given, *where: str) -> str | None:
    value = _get(given, *where)
    return str(value) if value else None


def _path(given: _Given, *where: str) -> Path | None:
    value = _text(given, *where)
    return Path(value).expanduser() if value else None


def _spark(given: _Given, catalogs: Mapping[str, CatalogSettings]) -> SparkSettings:
    remote = _text(given, "spark", "remote")
    if remote is not None and not remote.startswith("sc://"):
        raise ConfigError('spark.remote must begin with "sc://"')
    conf = _get(given, "spark", "conf")
    memory = _number(given, "spark", "driver_memory")
    if memory < 512 << 20:
        raise ConfigError("spark.driver_memory must be at least 512MB", hint="Spark does not start with less")
    settings = SparkSettings(
        remote=remote,
        master=_text(given, "spark", "master") or "local[*]",
        driver_memory=f"{memory >> 20}m",
        conf={key: str(value) for key, value in conf.items()} if isinstance(conf, Mapping) else {},
        drivers=tuple(sorted({c.database for c in catalogs.values()} & {"postgresql"})),
    )
    if remote is None:
        authentication(settings)
    return settings


def _server(given: _Given) -> ServerSettings:
    certificate = _path(given, "coordinator", "tls", "cert_file")
    key = _path(given, "coordinator", "tls", "key_file")
    tls = None
    if certificate is not None and key is not None:
        tls = TlsSettings(certificate, key, _path(given, "coordinator", "tls", "ca_file"))
    message = _number(given, "coordinator", "max_message_size")
    least = _number(given, "query", "max_sql_bytes") + LEAST_BESIDE_TEXT
    if not least <= message < 1 << 31:
        raise ConfigError(
            f"coordinator.max_message_size must be at least {least} bytes and less than 2GB",
            hint="it has to have room for a statement of query.max_sql_bytes",
        )
    return ServerSettings(
        host=_text(given, "coordinator", "host") or "127.0.0.1",
        flight_sql_port=_number(given, "coordinator", "flight_sql_port"),
        flight_compression=str(_get(given, "coordinator", "flight_compression")),
        flight_reflection=bool(_get(given, "coordinator", "flight_reflection")),
        max_header_size=_number(given, "coordinator", "max_header_size"),
        max_message_size=message,
        max_ingest_size=_number(given, "coordinator", "max_ingest_size"),
        drain_secs=_number(given, "coordinator", "shutdown_drain_secs"),
        handshake_timeout_secs=_number(given, "coordinator", "auth_handshake_timeout_secs"),
        tls=tls,
        plaintext_passwords=bool(_get(given, "coordinator", "plaintext_passwords")),
    )


def _auth(given: _Given, *, check_built: bool) -> AuthSettings:
    block = given.values.get("auth")
    rows = block.get("providers", ()) if isinstance(block, Mapping) else ()
    attempts = _number(given, "rate_limit", "auth_attempts_per_minute")
    if attempts < 1:
        raise ConfigError("rate_limit.auth_attempts_per_minute must be at least 1")
    mappings: dict[str, tuple[str, ...]] = {}
    asked = _get(given, "auth", "role_mappings")
    for name, roles in asked.items() if isinstance(asked, Mapping) else ():
        if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
            raise ConfigError(f'auth.role_mappings."{name}" must be a list of roles')
        mappings[name] = tuple(roles)
    return AuthSettings(
        providers=tuple(_provider(given, row, check_built=check_built) for row in rows),
        role_mappings=MappingProxyType(mappings),
        attempts_per_minute=attempts,
    )


def _provider(given: _Given, row: Mapping[str, object], *, check_built: bool) -> ProviderSettings:
    if "type" not in row:
        raise ConfigError("auth.providers: there is a provider without a type")
    kind = str(row["type"])
    set_here = {key: value for key, value in row.items() if key != "type"}
    if kind in PROVIDER_TYPES.split() and kind not in PROVIDER_KEYS:
        if check_built:
            source = given.sources[("auth", "providers", "type")]
            built = ", ".join(sorted(PROVIDER_KEYS))
            raise _not_built(source, f'auth.providers: type "{kind}"', f"built are {built}")
        return ProviderSettings(kind, set_here)
    own = PROVIDER_KEYS.get(kind, ("options",))
    for key in set_here:
        if key not in own:
            keys = ", ".join(own)
            raise ConfigError(f'auth.providers: type "{kind}" has no key {key}', hint=f"it has {keys}")
    if "options" in own:
        options = set_here.get("options")
        return ProviderSettings(kind, options if isinstance(options, Mapping) else {})
    return ProviderSettings(kind, set_here)


def _role_overrides(given: _Given) -> dict[str, int]:
    asked = _get(given, "query", "role_overrides")
    found: dict[str, int] = {}
    for role, limit in asked.items() if isinstance(asked, Mapping) else ():
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
            raise ConfigError(f"query.role_overrides.{role} must be a number of seconds, 0 or more")
        found[role] = limit
    return found


def _fast(given: _Given) -> FastSettings:
    memory = _number(given, "engine", "fast", "memory_limit")
    if memory < 32 << 20:
        raise ConfigError("engine.fast.memory_limit must be at least 32MB")
    return FastSettings(
        enabled=bool(_get(given, "engine", "fast", "enabled")),
        processes=_number(given, "engine", "fast", "processes"),
        threads=_number(given, "engine", "fast", "threads"),
        memory_limit=memory,
        spill_dir=_path(given, "engine", "fast", "spill_dir"),
        max_spill=_number(given, "engine", "fast", "max_spill"),
        max_scan_bytes=_number(given, "engine", "fast", "max_scan_bytes"),
    )


def _catalog_blocks(
    values: Mapping[str, object],
) -> dict[str, tuple[Mapping[str, object], tuple[str, ...]]]:
    """The catalogs by SQL name, each with where it stands in the file."""
    named = values.get("catalogs")
    blocks: dict[str, tuple[Mapping[str, object], tuple[str, ...]]] = {}
    if isinstance(named, dict):
        for name, block in named.items():
            if not name or "." in name:
                raise ConfigError(f'catalogs."{name}": a catalog\'s name must not be empty or contain a dot')
            blocks[name] = (block, ("catalogs", name))
    single = values.get("catalog")
    if isinstance(single, dict):
        name = _single_name(single)
        query = values.get("query")
        wanted = query.get("default_catalog") if isinstance(query, dict) else None
        # Beside [catalogs.*] the single block is a leftover, unless the default names it.
        if not blocks or (name is not None and name == wanted and name not in blocks):
            if name is None:
                raise ConfigError("catalog: there is no warehouse, and no name for the catalog")
            blocks[name] = (single, ("catalog",))
    return blocks


def _single_name(block: Mapping[str, object]) -> str | None:
    kind = _backend(block, "type") or "rest"
    name = block.get("name") or (_backend(block, "warehouse") if kind == "rest" else kind)
    return str(name) if name else None


def _backend(block: Mapping[str, object], key: str) -> object:
    """A backend's key from `.backend`, else from the block itself."""
    backend = block.get("backend")
    inner = backend.get(key) if isinstance(backend, Mapping) else None
    return block.get(key) if inner is None else inner


def _catalog(name: str, block: Mapping[str, object], where: tuple[str, ...]) -> CatalogSettings:
    dotted = _dotted(where)
    inner = block.get("backend")
    for key, value in inner.items() if isinstance(inner, Mapping) else ():
        if key in block and block[key] != value:
            raise ConfigError(f"{dotted}.{key} and {dotted}.backend.{key} differ", hint="keep one of them")
    if "polaris_url" in block and block.get("catalog_url", block["polaris_url"]) != block["polaris_url"]:
        raise ConfigError(f"{dotted}.catalog_url and {dotted}.polaris_url differ", hint="keep one of them")
    kind = str(_backend(block, "type") or "rest")
    url = block.get("catalog_url") or block.get("polaris_url")
    found: dict[str, object] = {"catalog_url": url}
    for key in ("warehouse", "uri", "region", "endpoint", "table_bucket_arn", "endpoint_url", "url"):
        value = _backend(block, key)
        if value:
            found[key] = value
    missing = [key for key in REQUIRED.get(kind, ()) if not found.get(key)]
    if missing:
        raise ConfigError(f'{dotted}: a catalog of type "{kind}" needs {" and ".join(missing)}')
    auth, storage = block.get("auth"), block.get("storage")
    if isinstance(auth, Mapping):
        _check_auth(dotted, auth)
    warehouse = found.pop("warehouse", None)
    settings = CatalogSettings(
        name=name,
        type=kind,
        warehouse=str(warehouse) if warehouse else None,
        catalog_url=str(found.pop("catalog_url")) if url else None,
        options=_own_options(dotted, kind, block, found),
        auth=auth if isinstance(auth, Mapping) else {},
        storage=storage if isinstance(storage, Mapping) else {},
    )
    if kind == "jdbc" and settings.database not in DATABASES:
        # The url may hold a password.
        raise ConfigError(f'{dotted}.url must begin with "sqlite:", "postgresql://" or "mysql://"')
    return settings


def _own_options(
    dotted: str, kind: str, block: Mapping[str, object], found: Mapping[str, object]
) -> Mapping[str, object]:
    """What a backend obeys besides the keys that all have; one of another package, its `options`."""
    options = _backend(block, "options")
    if kind not in REQUIRED:
        return options if isinstance(options, Mapping) else {}
    if options is not None:
        raise ConfigError(f'{dotted}: type "{kind}" has no key options')
    return {key: value for key, value in found.items() if key != "catalog_url"}


def _check_auth(dotted: str, auth: Mapping[str, object]) -> None:
    needs = {"client_credentials": ("token_endpoint", "client_id", "client_secret"), "static": ("token",)}
    kind = str(auth.get("type", "session_bearer"))
    missing = [key for key in needs.get(kind, ()) if not auth.get(key)]
    if missing:
        raise ConfigError(f'{dotted}.auth: type "{kind}" needs {" and ".join(missing)}')


def _default_catalog(given: _Given, catalogs: Mapping[str, CatalogSettings]) -> str | None:
    wanted = _text(given, "query", "default_catalog")
    if wanted is None:
        return min(catalogs, default=None)
    # Without configured catalogs the name may be one that a flag mounts.
    if catalogs and wanted not in catalogs:
        near = difflib.get_close_matches(wanted, catalogs, n=1, cutoff=0.5)
        raise ConfigError(
            f'query.default_catalog names "{wanted}", which is not configured',
            hint=f'did you mean "{near[0]}"?' if near else "there are: " + ", ".join(catalogs),
        )
    return wanted


_PORTS = (
    ("coordinator", "flight_sql_port"),
    ("coordinator", "trino_http_port"),
    ("coordinator", "quack_port"),
    ("metrics", "prometheus_port"),
    ("metrics", "health_port"),
)


def _check_ports(given: _Given) -> None:
    taken: dict[int, str] = {}
    for where in _PORTS:
        port = _get(given, *where)
        if isinstance(port, int) and port != 0:
            if port in taken:
                raise ConfigError(f"{taken[port]} and {_dotted(where)} are both {port}; ports must differ")
            taken[port] = _dotted(where)


def _check_tls(given: _Given) -> None:
    certificate = _text(given, "coordinator", "tls", "cert_file")
    key = _text(given, "coordinator", "tls", "key_file")
    if (certificate is None) != (key is None):
        missing = "key_file" if key is None else "cert_file"
        raise ConfigError(
            f"coordinator.tls.{missing} is missing: TLS needs cert_file and key_file, or neither"
        )


def _check_built(given: _Given, used: Mapping[tuple[str, ...], CatalogSettings]) -> None:
    """Stop where a key is set that nothing would obey."""
    for where, source in given.sources.items():
        if where[0] in ("catalog", "catalogs"):
            block = where[: 2 if where[0] == "catalogs" else 1]
            if block not in used:
                continue
            unbuilt = _unbuilt_part(used[block])
            if unbuilt is not None:
                raise _not_built(source, f"{_dotted(block)}: {unbuilt[0]}", unbuilt[1])
            if where == (*block, "auth", "type") and used[block].auth.get("type") == "anonymous":
                continue
        awaited = _awaits(where)
        if awaited is not None:
            raise _not_built(source, _dotted(where), awaited)


def _unbuilt_part(catalog: CatalogSettings) -> tuple[str, str] | None:
    """What of a catalog cannot be had yet, and what can."""
    if catalog.type in REQUIRED and catalog.type not in BUILT_CATALOG_TYPES:
        return f'a catalog of type "{catalog.type}"', ", ".join(sorted(BUILT_CATALOG_TYPES)) + " are"
    if catalog.type == "jdbc" and catalog.database not in BUILT_DATABASES:
        return f'a catalog in a "{catalog.database}" database', ", ".join(sorted(BUILT_DATABASES)) + " are"
    scheme, separator, _ = (catalog.warehouse or "").partition("://")
    if catalog.type != "rest" and separator and not has_file_system(scheme.lower()):
        return "a warehouse that is not a local directory", "it awaits object stores"
    if catalog.type == "rest" and "@" in (catalog.catalog_url or "").partition("://")[2].partition("/")[0]:
        return "a catalog_url with a user in it", "it awaits catalogs that ask for an identity"
    return None


def _awaits(where: tuple[str, ...]) -> str | None:
    node: Node = SECTIONS[where[0]]
    for part in where[1:]:
        if isinstance(node, Section) and node.awaits is not None:
            break
        child = _child(node, part)
        assert child is not None
        node = child
    if isinstance(node, Section) and node.awaits is not None:
        return f"it awaits {node.awaits}"
    return "it has no effect so far" if isinstance(node, Key) and not node.built else None


def _not_built(source: str, what: str, reason: str) -> ConfigError:
    return ConfigError(
        f"{source}: {what} is known but not built yet ({reason})",
        hint="remove it to start without it",
    )
