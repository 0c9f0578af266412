"""`[catalog]` and `[catalogs.<name>]`: which catalogs there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sqe.config.keys import Node, Section, choice, count, flag, of_other_packages, table, text, texts
from sqe.errors import ConfigError
from sqe.foundation.record import record

REQUIRED = {
    "rest": ("catalog_url", "warehouse"),
    "hms": ("uri", "warehouse"),
    "glue": ("region", "warehouse"),
    "s3tables": ("table_bucket_arn",),
    "jdbc": ("url", "warehouse"),
    "hadoop": ("warehouse",),
    "sqlite": ("warehouse",),
    "memory": (),
    "tpch": (),
}
"""What a catalog of each type needs."""
BUILT_CATALOG_TYPES = frozenset({"hadoop", "jdbc", "memory", "rest", "sqlite", "tpch"})
# Of `jdbc` catalogs.
DATABASES = frozenset({"mysql", "postgresql", "sqlite"})
BUILT_DATABASES = frozenset({"postgresql", "sqlite"})
BUILT_FILE_SYSTEMS = frozenset({"file", "s3", "s3a"})
CACHE_SECONDS = 30
CATALOG_GROUP = "sqe.catalogs"
"""Entry points of other packages' types of catalogs."""
FILE_SYSTEM_GROUP = "sqe.file_systems"
"""Entry points of other packages' file systems, by the scheme of a location."""
_BACKEND_KEYS = ("warehouse", "uri", "region", "endpoint", "table_bucket_arn", "endpoint_url", "url")
_AUTH_MAY = {"client_credentials": ("scope", "allow_http")}
_AUTH_NEEDS = {"client_credentials": ("token_endpoint", "client_id", "client_secret"), "static": ("token",)}

_BACKEND: dict[str, Node] = {
    "type": choice(
        "Which kind of catalog it is; other packages may add some.",
        " ".join(REQUIRED),
        "rest",
        group=CATALOG_GROUP,
    ),
    "warehouse": text(
        "Warehouse name (`rest`) or location of new tables; for `sqlite`, the directory that holds both."
    ),
    "url": text(
        "Database: `sqlite:`, `postgresql://` or `mysql://` (`jdbc`; the last not yet).", secret=True
    ),
    "options": table("Settings of a catalog type of another package."),
}
_AUTH: dict[str, Node] = {
    "type": choice(
        "The user's own token, or what replaces it (`aws` not yet).",
        "session_bearer client_credentials anonymous static aws",
        "session_bearer",
    ),
    "token": text("The token of `static`.", secret=True),
    "token_endpoint": text("Where `client_credentials` are exchanged for a token."),
    "client_id": text("The client of `client_credentials`: everybody reaches the catalog as it."),
    "client_secret": text("Its secret.", secret=True),
    "scope": text("What it asks for.", "PRINCIPAL_ROLE:ALL"),
    "allow_http": flag("Ask a `token_endpoint` without TLS."),
}
_S3: dict[str, Node] = {
    "s3_endpoint": text("Address of an S3 server other than Amazon's: `https://minio.example:9000`."),
    "s3_region": text("Region of the buckets."),
    "s3_access_key": text("Key for tables whose catalog hands out none.", secret=True),
    "s3_secret_key": text("Its secret.", secret=True),
    "s3_path_style": flag("Write the bucket into the path of an address and not into its host."),
    "s3_allow_http": flag("Use a store without TLS, also one that a catalog names."),
}
STORAGE = Section("Object stores. What a catalog hands out for a table goes before all of this.", _S3)
# By the names that Iceberg's catalogs use; the last is ours.
_PROPERTIES = {
    "s3_endpoint": "s3.endpoint",
    "s3_region": "client.region",
    "s3_access_key": "s3.access-key-id",
    "s3_secret_key": "s3.secret-access-key",
    "s3_path_style": "s3.path-style-access",
    "s3_allow_http": "sqe.s3-allow-http",
}
CATALOG = Section(
    "One catalog. The backend's keys may stand directly in the block or in `.backend`.",
    {
        "name": text("SQL name of the single `[catalog]`; else its warehouse (`rest`) or its type."),
        "catalog_url": text("Address of an Iceberg REST catalog."),
        "polaris_url": text("Older name of `catalog_url`."),
        **_BACKEND,
        "backend": Section("Kind of the catalog and where it is.", _BACKEND),
        "storage": Section("Where its files are, in place of `[storage]`.", _S3),
        "require_vended_credentials": flag(
            "Use no keys but those that the catalog hands out with a table (`rest`)."
        ),
        "allowed_locations": texts(
            "Where its files may be, and what keys of `storage` are for (`rest`); else its own buckets."
        ),
        "metadata_cache_ttl_secs": count(
            "For how long what it has answered to a user is not asked again (`rest`); 0 asks each time.",
            CACHE_SECONDS,
        ),
        "auth": Section("With which identity a catalog of type `rest` is called.", _AUTH),
    },
)


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
    require_vended_credentials: bool = False
    allowed_locations: tuple[str, ...] = ()
    metadata_cache_ttl_secs: int = CACHE_SECONDS

    @property
    def url(self) -> str:
        """Where the database of a `jdbc` catalog is, with its password."""
        return str(self.options.get("url", ""))

    @property
    def database(self) -> str:
        """Which kind of database that is."""
        scheme = self.url.partition(":")[0].lower()
        return "postgresql" if scheme == "postgres" else scheme


Block = Mapping[str, object]
Where = tuple[str, ...]


def catalog_blocks(values: Block) -> dict[str, tuple[Block, Where]]:
    """The catalogs by SQL name, each with where it stands in the file."""
    named = values.get("catalogs")
    blocks: dict[str, tuple[Block, Where]] = {}
    for name, block in named.items() if isinstance(named, Mapping) else ():
        if not name or "." in name:
            raise ConfigError(f'catalogs."{name}": a catalog\'s name must not be empty or contain a dot')
        blocks[name] = (block, ("catalogs", name))
    single = values.get("catalog")
    if isinstance(single, Mapping):
        kind = _backend(single, "type") or "rest"
        name = single.get("name") or (_backend(single, "warehouse") if kind == "rest" else kind)
        query = values.get("query")
        default = query.get("default_catalog") if isinstance(query, Mapping) else None
        # Beside [catalogs.*] the single block is a leftover, unless the default names it.
        if not blocks or (name and name == default and name not in blocks):
            if not name:
                raise ConfigError("catalog: there is no warehouse, and no name for the catalog")
            blocks[str(name)] = (single, ("catalog",))
    return blocks


def _backend(block: Block, key: str) -> object:
    """A backend's key from `.backend`, else from the block itself."""
    backend = block.get("backend")
    inner = backend.get(key) if isinstance(backend, Mapping) else None
    return block.get(key) if inner is None else inner


def read_catalog(name: str, block: Block, dotted: str, common_storage: Block) -> CatalogSettings:
    """`common_storage` is what `[storage]` says for all of them."""
    inner = block.get("backend")
    for key, value in inner.items() if isinstance(inner, Mapping) else ():
        if key in block and block[key] != value:
            raise ConfigError(f"{dotted}.{key} and {dotted}.backend.{key} differ", hint="keep one of them")
    if "polaris_url" in block and block.get("catalog_url", block["polaris_url"]) != block["polaris_url"]:
        raise ConfigError(f"{dotted}.catalog_url and {dotted}.polaris_url differ", hint="keep one of them")
    kind = str(_backend(block, "type") or "rest")
    options = {key: value for key in _BACKEND_KEYS if (value := _backend(block, key))}
    url = block.get("catalog_url") or block.get("polaris_url")
    missing = [
        key for key in REQUIRED.get(kind, ()) if not (url if key == "catalog_url" else options.get(key))
    ]
    if missing:
        raise ConfigError(f'{dotted}: a catalog of type "{kind}" needs {" and ".join(missing)}')
    auth, storage = block.get("auth"), block.get("storage")
    if isinstance(auth, Mapping):
        _check_auth(dotted, auth, kind)
    warehouse = options.pop("warehouse", None)
    settings = CatalogSettings(
        name=name,
        type=kind,
        warehouse=str(warehouse) if warehouse else None,
        catalog_url=str(url) if url else None,
        options=_own_options(dotted, kind, block, options),
        auth=auth if isinstance(auth, Mapping) else {},
        storage={**common_storage, **(storage if isinstance(storage, Mapping) else {})},
        require_vended_credentials=bool(block.get("require_vended_credentials")),
        allowed_locations=_allowed_locations(dotted, kind, block.get("allowed_locations")),
        metadata_cache_ttl_secs=int(str(block.get("metadata_cache_ttl_secs", CACHE_SECONDS))),
    )
    if kind == "jdbc" and settings.database not in DATABASES:
        # The url may hold a password.
        raise ConfigError(f'{dotted}.url must begin with "sqlite:", "postgresql://" or "mysql://"')
    return settings


def _allowed_locations(dotted: str, kind: str, locations: object) -> tuple[str, ...]:
    if not isinstance(locations, (list, tuple)) or not locations:
        return ()
    if kind != "rest":
        raise ConfigError(
            f'{dotted}: type "{kind}" has no key allowed_locations',
            hint="its files are in its warehouse" if kind in REQUIRED else None,
        )
    for place in locations:
        if "://" not in place and not place.startswith(("/", "~")):
            raise ConfigError(
                f'{dotted}.allowed_locations: "{place}" is not a place',
                hint='write "s3://bucket/path", or "file:///path"',
            )
    return tuple(str(place) for place in locations)


def _own_options(dotted: str, kind: str, block: Block, common: Block) -> Block:
    """What a backend obeys besides the keys that all have; one of another package, its `options`."""
    options = _backend(block, "options")
    if kind not in REQUIRED:
        return options if isinstance(options, Mapping) else {}
    if options is not None:
        raise ConfigError(f'{dotted}: type "{kind}" has no key options')
    return common


def _check_auth(dotted: str, auth: Block, catalog_type: str) -> None:
    kind = str(auth.get("type", "session_bearer"))
    if catalog_type not in ("rest", "glue", "s3tables"):
        raise ConfigError(f'{dotted}.auth: a catalog of type "{catalog_type}" asks nobody who they are')
    missing = [key for key in _AUTH_NEEDS.get(kind, ()) if not auth.get(key)]
    if missing:
        raise ConfigError(f'{dotted}.auth: type "{kind}" needs {" and ".join(missing)}')
    needed = ("type", *_AUTH_NEEDS.get(kind, ()), *_AUTH_MAY.get(kind, ()))
    unused = [key for key in auth if key not in needed]
    if unused:
        raise ConfigError(f'{dotted}.auth: type "{kind}" has no key {unused[0]}')


def unbuilt_part(catalog: CatalogSettings) -> tuple[str, str] | None:
    """What of a catalog cannot be had yet, and what can."""
    if catalog.type in REQUIRED and catalog.type not in BUILT_CATALOG_TYPES:
        return f'a catalog of type "{catalog.type}"', ", ".join(sorted(BUILT_CATALOG_TYPES)) + " are"
    if catalog.type == "jdbc" and catalog.database not in BUILT_DATABASES:
        return f'a catalog in a "{catalog.database}" database', ", ".join(sorted(BUILT_DATABASES)) + " are"
    if catalog.auth.get("type") == "aws":
        return 'auth of type "aws"', "session_bearer, client_credentials, static and anonymous are"
    scheme, separator, _ = (catalog.warehouse or "").partition("://")
    if catalog.type != "rest" and separator and not _has_file_system(catalog.type, scheme.lower()):
        return "a warehouse that is not a local directory", "it awaits object stores"
    if catalog.type == "rest" and "@" in (catalog.catalog_url or "").partition("://")[2].partition("/")[0]:
        return "a catalog_url with a user in it", "it awaits catalogs that ask for an identity"
    return None


def _has_file_system(catalog_type: str, scheme: str) -> bool:
    if catalog_type == "sqlite":
        # The directory has a database in it.
        return scheme == "file"
    return scheme in BUILT_FILE_SYSTEMS or scheme in of_other_packages(FILE_SYSTEM_GROUP)


def storage_properties(values: Mapping[str, object]) -> dict[str, str]:
    """What is set, as Iceberg's catalogs would say it."""
    return {
        _PROPERTIES[key]: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in values.items()
        if key in _PROPERTIES and value not in (None, "")
    }
