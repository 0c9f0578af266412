"""The configuration: flags over environment over `sqe.toml` over defaults, checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqe.config.catalogs import CatalogSettings, catalog_blocks, read_catalog, unbuilt_part
from sqe.config.duckdb import FastSettings
from sqe.config.keys import EnvironmentText, Key, Listed, Named, Node, Section, build_settings, not_built
from sqe.config.providers import AuthSettings, ProviderSettings, read_auth
from sqe.config.settings import (
    EngineSettings,
    EventSettings,
    LogSettings,
    MetricsSettings,
    PolicySettings,
    QuerySettings,
    RateLimitSettings,
    ResultSettings,
    SecuritySettings,
    ServerSettings,
    SessionSettings,
    TlsSettings,
    sections,
)
from sqe.config.spark import SparkSettings, authentication, check_remote
from sqe.errors import ConfigError
from sqe.foundation.record import record

__all__ = [
    "CatalogSettings",
    "Config",
    "ProviderSettings",
    "QuerySettings",
    "ServerSettings",
    "SessionSettings",
    "TlsSettings",
    "known_keys",
    "load",
    "usual_path",
]

_EMPTY: Mapping[str, object] = MappingProxyType({})
# A message of Flight SQL has room for this much besides the text of a statement.
LEAST_BESIDE_TEXT = 4 << 20
# Ports must differ. One whose door is not built yet is kept free for it.
_PORTS = (
    ("coordinator", "flight_sql_port", 50051),
    ("coordinator", "trino_http_port", 8080),
    ("coordinator", "quack_port", 0),
    ("coordinator", "iceberg_rest_port", 0),
    ("metrics", "prometheus_port", 9090),
    ("metrics", "health_port", 9091),
)


@record
class Config:
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
    security: SecuritySettings
    policy: PolicySettings
    metrics: MetricsSettings
    logging: LogSettings


def load(
    path: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] = _EMPTY,
    *,
    check_built: bool = True,
) -> Config:
    """Read and check everything; `overrides` maps dotted keys to what flags say (`spark.driver_memory`)."""
    raw = _RawConfig()
    if path is not None:
        raw.add(_read_file(path), str(path))
    for variable, value in sorted(environ.items()):
        parts = _variable_parts(variable)
        if parts is not None:
            raw.add(_nested(raw.spelled(parts), EnvironmentText(value)), variable)
    for dotted, override in overrides.items():
        raw.add(_nested(dotted.split("."), override), "command line")
    return _build(raw, check_built=check_built)


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


class _RawConfig:
    """What was set, key by key, and where. Later sources win; unknown keys and wrong values stop at once."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.sources: dict[tuple[str, ...], str] = {}

    def at(self, *where: str) -> Any:
        """What was set at a path; None if nothing was."""
        value: Any = self.values
        for part in where:
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def add(self, tree: Mapping[str, object], source: str) -> None:
        for name, value in tree.items():
            if name not in sections():
                raise _unknown((name,), source)
            self._take(sections()[name], (name,), value, self.values, source)

    def spelled(self, parts: list[str]) -> list[str]:
        """Keys in the spelling of the table (environment variables are often upper case)."""
        spelled: list[str] = []
        node: Node | None = None
        values: object = self.values
        for depth, part in enumerate(parts):
            names: list[str] = list(sections()) if depth == 0 else []
            if isinstance(node, Section):
                names = list(node.keys)
            elif isinstance(node, Named) and isinstance(values, dict):
                names = list(values)
            if part not in names and part.isupper():
                part = next((name for name in names if name.lower() == part.lower()), part.lower())
            elif part not in names:
                part = next((name for name in names if name.lower() == part.lower()), part)
            spelled.append(part)
            values = values.get(part, {}) if isinstance(values, dict) else {}
            node = _child(node, part) if depth else sections().get(part)
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
    import difflib

    keys = list(known_keys(where[1] if len(where) > 1 and where[0] == "catalogs" else "<name>"))
    paths = {path[: len(where)] for path, _ in keys if len(path) >= len(where)}
    neighbours = {path[-1]: path for path in paths if path[:-1] == where[:-1]}
    for match in difflib.get_close_matches(where[-1], neighbours, n=1, cutoff=0.6):
        return neighbours[match]
    elsewhere = [path for path, _ in keys if path[-1] == where[-1]]
    if elsewhere:
        return elsewhere[0]
    spellings = {".".join(path): path for path, _ in keys}
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

    for name, node in sections().items():
        yield from walk(node, (name,))


def _build(raw: _RawConfig, *, check_built: bool) -> Config:
    _check_ports(raw)
    blocks = catalog_blocks(raw.values)
    given = raw.at("storage")
    storage = given if isinstance(given, Mapping) else {}
    catalogs = {
        name: read_catalog(name, block, _dotted(where), storage)
        for name, (block, where) in sorted(blocks.items())
    }
    attempts = build_settings(RateLimitSettings, raw.at("rate_limit")).auth_attempts_per_minute
    source = raw.sources.get(("auth", "providers", "type")) if check_built else None
    auth = read_auth(raw.at("auth"), attempts, source)
    tls = _tls(raw)
    if check_built:
        _check_built(raw, {where: catalogs[name] for name, (_, where) in blocks.items()})
    query = build_settings(
        QuerySettings,
        raw.at("query"),
        default_catalog=_default_catalog(raw, catalogs),
        role_overrides=_role_overrides(raw),
    )
    metrics = build_settings(MetricsSettings, raw.at("metrics"))
    return Config(
        spark=_spark(raw, tls),
        engine=build_settings(EngineSettings, raw.at("engine")),
        fast=build_settings(FastSettings, raw.at("engine", "fast")),
        results=build_settings(ResultSettings, raw.at("results")),
        query=query,
        events=build_settings(EventSettings, raw.at("events")),
        catalogs=MappingProxyType(catalogs),
        server=_server(raw, query, tls),
        sessions=build_settings(SessionSettings, raw.at("session")),
        auth=auth,
        security=_security(raw),
        policy=_policy(raw),
        metrics=MetricsSettings(metrics.prometheus_port or None, metrics.health_port or None),
        logging=build_settings(LogSettings, raw.at("logging")),
    )


def _spark(raw: _RawConfig, tls: TlsSettings | None) -> SparkSettings:
    conf = raw.at("spark", "conf")
    settings = build_settings(
        SparkSettings,
        raw.at("spark"),
        conf={key: str(value) for key, value in conf.items()} if isinstance(conf, Mapping) else {},
    )
    if settings.remote is None:
        authentication(settings)
    else:
        check_remote(settings, has_tls=tls is not None)
    return settings


def _server(raw: _RawConfig, query: QuerySettings, tls: TlsSettings | None) -> ServerSettings:
    settings = build_settings(ServerSettings, raw.at("coordinator"), tls=tls)
    least = query.max_sql_bytes + LEAST_BESIDE_TEXT
    if not least <= settings.max_message_size < 1 << 31:
        raise ConfigError(
            f"coordinator.max_message_size must be at least {least} bytes and less than 2GB",
            hint="it has to have room for a statement of query.max_sql_bytes",
        )
    return settings


def _policy(raw: _RawConfig) -> PolicySettings:
    settings = build_settings(PolicySettings, raw.at("policy"))
    if settings.engine == "grants" and not settings.admins and not settings.admin_roles:
        raise ConfigError(
            "policy.engine = \"grants\" needs policy.admins or policy.admin_roles: nobody could grant"
        )
    return settings


def _security(raw: _RawConfig) -> SecuritySettings:
    settings = build_settings(SecuritySettings, raw.at("security"))
    proxies = settings.trusted_proxies or ()
    for proxy in proxies:
        import ipaddress

        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise ConfigError(
                f"security.trusted_proxies: '{proxy}' is no address and no network such as 10.0.0.0/8"
            ) from None
    return SecuritySettings(tuple(proxies))


def _tls(raw: _RawConfig) -> TlsSettings | None:
    certificate, key = (raw.at("coordinator", "tls", name) for name in ("cert_file", "key_file"))
    if bool(certificate) != bool(key):
        missing = "cert_file" if key else "key_file"
        raise ConfigError(
            f"coordinator.tls.{missing} is missing: TLS needs cert_file and key_file, or neither"
        )
    return build_settings(TlsSettings, raw.at("coordinator", "tls")) if certificate else None


def _role_overrides(raw: _RawConfig) -> dict[str, int]:
    overrides = raw.at("query", "role_overrides")
    limits: dict[str, int] = {}
    for role, limit in overrides.items() if isinstance(overrides, Mapping) else ():
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
            raise ConfigError(f"query.role_overrides.{role} must be a number of seconds, 0 or more")
        limits[role] = limit
    return limits


def _default_catalog(raw: _RawConfig, catalogs: Mapping[str, CatalogSettings]) -> str | None:
    name = raw.at("query", "default_catalog")
    if not name:
        return min(catalogs, default=None)
    # Without configured catalogs the name may be one that a flag mounts.
    if catalogs and name not in catalogs:
        import difflib

        near = difflib.get_close_matches(str(name), catalogs, n=1, cutoff=0.5)
        raise ConfigError(
            f'query.default_catalog names "{name}", which is not configured',
            hint=f'did you mean "{near[0]}"?' if near else "there are: " + ", ".join(catalogs),
        )
    return str(name)


def _check_ports(raw: _RawConfig) -> None:
    names_by_port: dict[int, str] = {}
    for section, name, default in _PORTS:
        port = raw.at(section, name)
        port = default if port is None else port
        if isinstance(port, int) and port != 0:
            dotted = f"{section}.{name}"
            if port in names_by_port:
                raise ConfigError(f"{names_by_port[port]} and {dotted} are both {port}; ports must differ")
            names_by_port[port] = dotted


def _check_built(raw: _RawConfig, used: Mapping[tuple[str, ...], CatalogSettings]) -> None:
    """Stop where a key is set that nothing would obey."""
    for where, source in raw.sources.items():
        if where[0] in ("catalog", "catalogs"):
            block = where[: 2 if where[0] == "catalogs" else 1]
            if block not in used:
                continue
            unbuilt = unbuilt_part(used[block])
            if unbuilt is not None:
                raise not_built(source, f"{_dotted(block)}: {unbuilt[0]}", unbuilt[1])
            if where == (*block, "auth", "type") and used[block].auth.get("type") == "anonymous":
                continue
        node: Node | None = None
        for depth, part in enumerate(where):
            node = _child(node, part) if depth else sections()[part]
        if isinstance(node, Key) and node.awaits is not None:
            raise not_built(source, _dotted(where), f"it awaits {node.awaits}")
