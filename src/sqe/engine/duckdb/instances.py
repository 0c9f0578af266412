"""DuckDB instances in a child: each locked to what one identity may read, a few of them kept.

DuckDB's Python package is left out, and with it 40 ms: its binary module is what it re-exports. NumPy and
pyarrow.dataset are hidden from both libraries, which do without them, until a body in Python needs NumPy.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

HIDDEN = ("numpy", "pyarrow.dataset")
for _name in HIDDEN:
    sys.modules[_name] = None  # type: ignore[assignment]

import _duckdb  # noqa: E402

KEPT = 4
MOST_LOCATIONS = 256
# What the libraries themselves take, on top of what DuckDB counts.
OVERHEAD = 512 << 20
HTTPFS = "/httpfs.duckdb_extension"
# Data files never change, so that what is known of one holds. A store is trusted by its certificate.
STORES = (
    "SET allow_persistent_secrets=false; SET GLOBAL enable_http_metadata_cache=true;"
    # Else a name with a `?` in it may say where the store is.
    "SET GLOBAL s3_url_compatibility_mode=true;"
    "SET GLOBAL http_timeout=20; SET GLOBAL http_retries=3; SET GLOBAL enable_server_cert_verification=true"
)
# Of a secret for an object store.
OPTIONS = ("scope", "region", "endpoint", "url_style", "use_ssl", "key_id", "secret", "session_token")
SELECTS = ("SELECT", "WITH", "VALUES", "(")


class NotASelect(Exception):
    """The text is not one SELECT."""


class NoSecret(Exception):
    """DuckDB does not take the keys of an object store."""


class Limits(NamedTuple):
    """As the coordinator's first frame says them."""

    spill: str
    memory_limit: int
    max_spill: int
    threads: int


class Instance:
    """What one identity has open."""

    def __init__(self, connection: Any, locations: frozenset[str], extensions: frozenset[str]) -> None:
        self.connection = connection
        self.locations = locations
        self.extensions = extensions
        self._bodies: set[str] = set()
        self._secrets: list[str] = []
        self._counts = False

    def unlock_stores(self, secrets: Sequence[dict[str, str]]) -> None:
        """Until `lock_stores`. The keys are in the memory of this process alone, and only while the statement
        runs that they are for: another identity's may be next."""
        for number, options in enumerate(secrets):
            name = f"store_{number}"
            terms = ", ".join(f"{option} {_text(options[option])}" for option in OPTIONS if option in options)
            self._secrets.append(name)
            try:
                self.connection.execute(f"CREATE TEMPORARY SECRET {name} (TYPE s3, {terms})")
            except Exception:
                # The error may quote the statement.
                raise NoSecret from None

    def lock_stores(self) -> None:
        """Ends counting too. Nothing interrupts it: the statement is over."""
        while self._secrets:
            self.connection.execute(f"DROP TEMPORARY SECRET IF EXISTS {self._secrets.pop()}")
        if self._counts:
            self.connection.execute("CALL disable_logging(); CALL truncate_duckdb_logs()")
            self._counts = False

    def begin_counting(self) -> None:
        """Requests to stores, by DuckDB's own log of them: in memory, since its lines have headers."""
        self._counts = True
        self.connection.execute("CALL enable_logging('HTTP')")

    def counted(self) -> int:
        """Those since `begin_counting`."""
        return int(self.connection.execute("SELECT count(*) FROM duckdb_logs()").fetchall()[0][0])

    def select(self, sql: str) -> Any:
        """The one statement of a text. DuckDB says SELECT of PRAGMA and SHOW too, so the word counts."""
        statements = self.connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != _duckdb.StatementType.SELECT:
            raise NotASelect
        if not sql.lstrip().upper().startswith(SELECTS):
            raise NotASelect
        return statements[0]

    def register(self, bodies: Sequence[dict[str, Any]]) -> None:
        """Bodies in Python that this instance has not had yet."""
        for body in bodies:
            if body["name"] in self._bodies:
                continue
            # DuckDB insists on NumPy here, though bodies get and give Arrow arrays.
            if sys.modules.get("numpy", self) is None:
                del sys.modules["numpy"]
            from sqe.functions.bodies import bodies as all_bodies

            self.connection.create_function(
                body["name"],
                _with_parameters(all_bodies()[body["name"]].function(), len(body["parameters"])),
                body["parameters"],
                body["result"],
                type="arrow",
                null_handling="special",
            )
            self._bodies.add(body["name"])


class Instances:
    """The last few, by key; the rest are closed. A spare one is opened ahead, and may read nothing yet."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._instances: OrderedDict[str, Instance] = OrderedDict()
        self._opened = 0
        self._spare: Any = None

    def prepare(self) -> None:
        if self._spare is None:
            self._spare = self._open()

    def get(self, key: str, locations: Sequence[str], extensions: Sequence[str]) -> Instance:
        """That of an identity. For more locations it is replaced by one that has those so far as well: the
        tables of a session are soon all in one, which stays warm."""
        places, loaded = frozenset(locations), frozenset(extensions)
        instance = self._instances.get(key)
        if instance is not None:
            self._instances.move_to_end(key)
            if places <= instance.locations and loaded <= instance.extensions:
                return instance
            if len(instance.locations) < MOST_LOCATIONS:
                places, loaded = places | instance.locations, loaded | instance.extensions
            self._instances.pop(key).connection.close()
        while len(self._instances) >= KEPT:
            self._drop_oldest()
        connection, self._spare = self._spare or self._open(), None
        # In this order avro's file is before iceberg's, which needs it.
        _lock(connection, sorted(places), sorted(loaded))
        instance = self._instances[key] = Instance(connection, places, loaded)
        return instance

    def lock_stores(self) -> None:
        """Whichever is open."""
        for key, instance in list(self._instances.items()):
            try:
                instance.lock_stores()
            except Exception:
                # With the instance goes what it knows.
                self._instances.pop(key).connection.close()

    def trim(self) -> None:
        """What idle instances have cached must not add up to more than one statement may use."""
        while self._instances and _resident() > self._limits.memory_limit + OVERHEAD:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._instances.popitem(last=False)[1].connection.close()

    def _open(self) -> Any:
        self._opened += 1
        connection = _duckdb.connect(
            ":memory:",
            config={
                "threads": self._limits.threads,
                "memory_limit": f"{self._limits.memory_limit >> 10}KiB",
                "temp_directory": os.path.join(self._limits.spill, str(self._opened)),
                "python_enable_replacements": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allow_community_extensions": "false",
                # The coordinator has compared the files' hashes; DuckDB's own check takes 0.8 s.
                "allow_unsigned_extensions": "true",
            },
        )
        # These count only when they are set on a connection, and the last ones on this connection alone.
        connection.execute(
            f"SET max_temp_directory_size='{self._limits.max_spill >> 10}KiB';"
            "SET GLOBAL TimeZone='UTC'; SET GLOBAL Calendar='gregorian'; SET parquet_metadata_cache=true;"
            "SET enable_progress_bar=true; SET enable_progress_bar_print=false; SET progress_bar_time=0"
        )
        return connection


def _lock(connection: Any, locations: Sequence[str], extensions: Sequence[str]) -> None:
    """From here on this instance reads these places alone, and nothing of it can be changed."""
    # What is in a store is no directory, but ends as one.
    directories = [place for place in locations if place.endswith("/") or os.path.isdir(place)]
    files = [place for place in locations if place not in directories]
    for extension in extensions:
        connection.execute(f"LOAD {_text(extension)}")
        if extension.endswith(HTTPFS):
            connection.execute(STORES)
    connection.execute(
        f"SET allowed_directories=[{', '.join(map(_text, directories))}];"
        f"SET allowed_paths=[{', '.join(map(_text, files))}];"
        "SET enable_external_access=false; SET lock_configuration=true"
    )


def _with_parameters(function: Any, count: int) -> Any:
    """DuckDB counts a function's parameters, and `*arrays` is one."""
    from inspect import Parameter, Signature

    names = [Parameter(f"array{i}", Parameter.POSITIONAL_ONLY) for i in range(count)]
    function.__signature__ = Signature(names)
    return function


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _resident() -> int:
    """Bytes of memory that this process has; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
