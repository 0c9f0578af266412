from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from sqe.catalog.catalogs import embedded
from sqe.statements.ddl import execute
from sqe.tree.relations import TableName
from sqe.tree.statements import ColumnDefinition, CreateSchema, CreateTable, DropTable
from sqe.tree.types import BIGINT

catalogs = embedded(warehouse=sys.argv[1])
execute(CreateSchema("iceberg", ("x",)), catalogs)
name = TableName("iceberg", ("x",), "t")
execute(CreateTable(name, (ColumnDefinition("a", BIGINT),)), catalogs)
assert catalogs.get("iceberg").find_table(("x",), "t").columns[0].type == BIGINT
execute(DropTable(name), catalogs)
print(sorted({"pyiceberg", "sqlalchemy", "pyarrow", "pyspark", "sqlglot"} & set(sys.modules)))
"""


def test_metadata_statements_import_no_heavy_library(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "w")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
