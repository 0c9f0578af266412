from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from sqe.catalog.catalogs import embedded
from sqe.commands.ddl import change
from sqe.tree.changes import AddColumn, SetComment
from sqe.tree.expressions import Field
from sqe.tree.relations import TableName, Values
from sqe.tree.statements import (
    Alter, ColumnDefinition, CreateSchema, CreateTable, CreateView, DropTable, DropView, Rename, ViewQuery
)
from sqe.types.sql_types import BIGINT

catalogs = embedded(warehouse=sys.argv[1])
change(CreateSchema("iceberg", ("x",)), catalogs, [])
name = TableName("iceberg", ("x",), "t")
change(CreateTable(name, (ColumnDefinition("a", BIGINT),)), catalogs, [])
assert catalogs.get("iceberg").find_table(("x",), "t").columns[0].type == BIGINT
view = TableName("iceberg", ("x",), "v")
query = ViewQuery(Values((Field(1, "a", BIGINT),), ()), True)
columns = (ColumnDefinition("a", BIGINT),)
change(CreateView(view, "SELECT 1 AS a", columns, query, "iceberg", ("x",), "me"), catalogs, [])
change(Alter(view, SetComment("about"), view=True), catalogs, [])
assert catalogs.get("iceberg").find_view(("x",), "v").comment == "about"
change(DropView(view), catalogs, [])
change(Alter(name, AddColumn(ColumnDefinition("b", BIGINT))), catalogs, [])
moved = TableName("iceberg", ("x",), "u")
change(Rename(name, moved), catalogs, [])
change(DropTable(moved), catalogs, [])
print(sorted({"pyiceberg", "sqlalchemy", "pyarrow", "pyspark", "sqlglot"} & set(sys.modules)))
"""


def test_metadata_statements_import_no_heavy_library(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "w")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
