"""What a kind of statement is called in metrics and logs: one of a closed list, whatever users write."""

from __future__ import annotations

from sqe.tree import statements as s

OTHER = "other"
"""A statement that was refused before it was known what it is."""

_BY_KIND = {
    "CREATE SCHEMA": "createschema",
    "DROP SCHEMA": "dropschema",
    "RENAME SCHEMA": "alterschema",
    "CREATE TABLE": "createtable",
    "CREATE TABLE AS": "ctas",
    "DROP TABLE": "drop",
    "RENAME TABLE": "rename",
    "CREATE VIEW": "createview",
    "DROP VIEW": "dropview",
    "RENAME VIEW": "rename",
    "SET PROPERTIES": "altertableprops",
    "COMMENT": "comment",
    "INSERT": "insert",
    "UPDATE": "update",
    "DELETE": "delete",
    "TRUNCATE TABLE": "truncate",
    "MERGE": "merge",
    "START TRANSACTION": "begin",
    "COMMIT": "commit",
    "ROLLBACK": "rollback",
    "USE": "use",
    "SET SESSION": "utility",
    "RESET SESSION": "utility",
    "SET TIME ZONE": "utility",
    "PREPARE": "utility",
    "DEALLOCATE": "utility",
}
_SHOWN = ("catalogs", "schemas", "tables", "views", "functions", "session")
_CREATED = ("table", "view", "schema")
LABELS = frozenset(
    {
        *_BY_KIND.values(),
        *(f"show{what}" for what in _SHOWN),
        *(f"showcreate{what}" for what in _CREATED),
        *("query", "explain", "showcolumns", "showstats", "altertable", "utility", OTHER),
    }
)


def label(statement: s.Statement) -> str:
    """One of LABELS."""
    match statement:
        case s.Query():
            return "query"
        case s.Explain():
            return "explain"
        case s.Show(what) if what in _SHOWN:
            return f"show{what}"
        case s.ShowCreate(what) if what in _CREATED:
            return f"showcreate{what}"
        case s.ShowColumns():
            return "showcolumns"
        case s.ShowStats():
            return "showstats"
        case s.DescribeInput() | s.DescribeOutput():
            return "utility"
    known = _BY_KIND.get(s.kind(statement), OTHER)
    return "altertable" if known == OTHER and isinstance(statement, s.Alter) else known
