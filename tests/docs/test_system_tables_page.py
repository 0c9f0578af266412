"""docs/sql.md lists every system table with its columns, every metadata table and session property."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sqe.catalog.iceberg import metadata_tables
from sqe.config.session_properties import PROPERTIES
from sqe.sql.statements import SHOWN
from sqe.system import definitions

PAGE = (Path(__file__).parent.parent.parent / "docs" / "sql.md").read_text()
ROWS = dict(re.findall(r"^\| `([a-z_.]+)` \| (.*) \|$", PAGE, re.MULTILINE))


@pytest.mark.parametrize(
    "table", definitions.TABLES.values(), ids=lambda table: f"{table.schema}.{table.name}"
)
def test_a_system_table(table: definitions.SystemTable) -> None:
    owner = "" if table.schema == definitions.INFORMATION_SCHEMA else "system."
    listed = []
    for name, kind in table.columns:
        typed = "" if str(kind) == "varchar" else f" {kind}"
        listed.append(f"`{name}`{typed}{' (hidden)' if name in table.hidden else ''}")
    assert ROWS[f"{owner}{table.schema}.{table.name}"] == ", ".join(listed)


def test_no_other_is_listed() -> None:
    listed = {name for name in ROWS if name.count(".") in (1, 2)}
    assert len(listed) == len(definitions.TABLES)


def test_metadata_tables_session_properties_and_show() -> None:
    for name in metadata_tables.NAMES:
        assert f'`"t${name}"`' in PAGE
    for name, known in PROPERTIES.items():
        assert ROWS[name] == known.description
    for what in (*SHOWN, "STATS FOR", "CREATE TABLE", "CREATE VIEW", "CREATE SCHEMA"):
        assert f"SHOW {what}" in PAGE
