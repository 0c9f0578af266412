"""A Python body reaches Spark's workers by value: they need nothing of ours."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from sqe.engine.spark.python_functions import registration
from sqe.engine.spark.types import spark_type
from sqe.functions.bodies import Body, bodies


def command(body: Body) -> bytes:
    made: Any = registration(body.engine_name, body.function(), spark_type(body.result))
    pickled: bytes = made.register_function.python_udf.command
    return pickled


def test_nothing_of_ours_is_imported_to_run_one(tmp_path: Path) -> None:
    made = command(bodies()["sqe_json_text_parse"])
    (tmp_path / "command").write_bytes(made)
    script = (
        "import pickle, sys, pyarrow as pa\n"
        "sys.modules['sqe'] = None\n"
        "function, _ = pickle.loads(open(sys.argv[1], 'rb').read())\n"
        'print(function(pa.array([\'{"b":1,"a":2}\', None])).to_pylist())'
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "command")], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == '[\'{"a":2,"b":1}\', None]', done.stderr


def test_no_body_names_a_module_of_ours_to_import() -> None:
    """What functools wraps is pickled by its name, for one."""
    for body in bodies().values():
        assert not imported(command(body)), body.name


def imported(made: bytes) -> set[str]:
    """What a pickle takes from modules of ours, by name."""
    found: set[str] = set()

    class Reader(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if module.partition(".")[0] == "sqe":
                found.add(f"{module}.{name}")
            return super().find_class(module, name)

    Reader(io.BytesIO(made)).load()
    return found
