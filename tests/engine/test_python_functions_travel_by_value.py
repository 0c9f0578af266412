"""A Python body reaches Spark's workers by value: they need nothing of ours."""

from __future__ import annotations

import pickletools
import subprocess
import sys
from pathlib import Path

from sqe.engine.spark.python_functions import registration
from sqe.functions.bodies import bodies


def test_nothing_of_ours_is_imported_to_run_one(tmp_path: Path) -> None:
    body = bodies()["sqe_json_text_parse"]
    command = registration(body.engine_name, body.function(), "STRING").register_function.python_udf.command
    names = {str(argument) for _, argument, _ in pickletools.genops(command) if isinstance(argument, str)}
    assert not any(name.startswith("sqe.") and "bodies" not in name for name in names)
    (tmp_path / "command").write_bytes(command)
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
