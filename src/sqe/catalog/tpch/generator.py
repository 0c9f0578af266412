"""Makes the rows of a scale as Parquet files, in a process of its own: `main` is what that runs.

DuckDB's generator makes all tables at once, and in memory. A large scale is therefore made in as many steps
as it has units, each with files of its own. The process ends when its parent does.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqe.catalog.tpch.tables import PREFIXES, TABLES
from sqe.errors import Unavailable
from sqe.foundation.record import record

_MEMORY = "2GB"
_LOOK_SECONDS = 0.02
# Of the parent's environment: where tokens may be.
_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@record
class RowFile:
    """A file of a table, and how many rows it has."""

    path: str
    rows: int
    size: int


Files = dict[str, list[RowFile]]


def extension() -> Path:
    """DuckDB's generator. Unavailable where it is not installed."""
    spec = find_spec("duckdb_extension_tpch")
    duckdb = version("duckdb")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(place) / f"extensions/v{duckdb}/tpch.duckdb_extension"
        if file.is_file():
            return file
    raise Unavailable(
        f"DuckDB's generator of TPC-H is not installed for DuckDB {duckdb}",
        hint=f"pip install 'sqe[tpch]', or pip install duckdb-extension-tpch=={duckdb}",
    )


def generate(scale: float, tables: Collection[str], directory: Path, check: Callable[[], None]) -> Files:
    """The files of the tables at that scale. `check` raises once nobody waits for them any more."""
    arguments = [f"{scale:g}", ",".join(sorted(tables)), os.fspath(directory)]
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(place for place in sys.path if os.path.isabs(place))
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, *arguments],
        env=environment,
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Ctrl-C in a shell is for the statement.
        start_new_session=True,
    )
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(_LOOK_SECONDS)
                break
            check()
    finally:
        child.kill()
        output, complaint = child.communicate()
    if child.returncode != 0:
        reason = (complaint.decode(errors="replace").strip().splitlines() or ["it was killed"])[-1]
        raise Unavailable(f"the rows of TPC-H at scale {scale:g} cannot be made: {reason}")
    return {table: [RowFile(*file) for file in files] for table, files in json.loads(output).items()}


def main(scale: float, tables: Collection[str], directory: Path) -> Files:
    import duckdb

    generator = os.fspath(extension())
    steps = max(1, math.ceil(scale))
    files: Files = {table: [] for table in tables}
    for step in range(steps):
        config: Any = {"memory_limit": _MEMORY, "temp_directory": os.fspath(directory / "spilled")}
        with duckdb.connect(config=config) as connection:
            connection.load_extension(generator)
            part = "" if steps == 1 else f", children={steps}, step={step}"
            connection.execute(f"CALL dbgen(sf={scale:g}{part})")
            for table in tables:
                file = directory / table / "data" / f"{step:05d}.parquet"
                files[table].append(_export(connection, table, file))
    return files


def _export(connection: Any, table: str, file: Path) -> RowFile:
    """With Iceberg's ids of the columns, which are their numbers."""
    file.parent.mkdir(parents=True, exist_ok=True)
    prefix, columns = PREFIXES[table], TABLES[table]
    values = ", ".join(f'{prefix}{name}::{_name(str(kind))} AS "{name}"' for name, kind in columns)
    ids = ", ".join(f'"{name}": {number}' for number, (name, _) in enumerate(columns, 1))
    options = f"FORMAT parquet, COMPRESSION zstd, FIELD_IDS {{{ids}}}"
    copied = connection.execute(
        f"COPY (SELECT {values} FROM {table}) TO '{str(file).replace(chr(39), chr(39) * 2)}' ({options})"
    )
    (rows,) = copied.fetchone()
    return RowFile(os.fspath(file), rows, file.stat().st_size)


def _name(kind: str) -> str:
    return "varchar" if kind.startswith("varchar") else kind


def _end_with_parent() -> None:
    # Not sys.stdin, which the interpreter's end would wait for.
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    written = main(float(sys.argv[1]), sys.argv[2].split(","), Path(sys.argv[3]))
    print(json.dumps({name: [(f.path, f.rows, f.size) for f in each] for name, each in written.items()}))
