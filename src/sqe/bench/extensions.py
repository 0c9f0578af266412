"""Files of DuckDB's extensions, from hash-pinned packages: DuckDB's own check of them takes a second."""

from __future__ import annotations

import importlib
from pathlib import Path

from sqe.errors import Unavailable


def extension(name: str) -> str:
    import duckdb

    try:
        package = importlib.import_module(f"duckdb_extension_{name}")
    except ImportError as error:
        raise Unavailable(f"{error.name} is not installed", hint="pip install 'sqe[test]'") from None
    assert package.__file__ is not None
    return str(Path(package.__file__).parent / f"extensions/v{duckdb.__version__}/{name}.duckdb_extension")
