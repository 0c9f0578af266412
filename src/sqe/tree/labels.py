"""What kinds of statements are called in metrics and logs: a closed list, whatever users write."""

from __future__ import annotations

OTHER = "other"
"""A statement that was refused before it was known what it is."""

LABELS = frozenset(
    {
        *("query", "explain", "describe", "metadata", "icebergrest", "utility", OTHER),
        *("createschema", "dropschema", "alterschema"),
        *("createtable", "ctas", "drop", "rename", "altertable", "altertableprops", "comment"),
        *("createview", "dropview"),
        *("insert", "update", "delete", "truncate", "merge"),
        *("begin", "commit", "rollback", "use"),
        *("showcatalogs", "showschemas", "showtables", "showviews", "showfunctions", "showsession"),
        "grant",
        *("showroles", "showcurrentroles", "showrolegrants", "showgrants"),
        *("showcolumns", "showstats", "showcreatetable", "showcreateview", "showcreateschema"),
    }
)
