"""Names that stand for the session or the moment of the statement.

The binder puts a constant in their place, so that every row and every lane sees the same value; they have
a row for their names and types, and no rendering.
"""

from __future__ import annotations

from sqe.functions.function import scalar

FUNCTIONS = (
    scalar("now", "() -> timestamp(3) with time zone", spark=None, help="When the statement began"),
    scalar(
        "current_timestamp", "() -> timestamp(3) with time zone", spark=None, help="When the statement began"
    ),
    scalar(
        "localtimestamp",
        "() -> timestamp(3)",
        spark=None,
        help="When the statement began, in the session's zone",
    ),
    scalar("current_date", "() -> date", spark=None, help="The day on which the statement began"),
    scalar("current_timezone", "() -> varchar", spark=None, help="The session's time zone"),
    scalar("version", "() -> varchar", spark=None, help="The version of this server"),
    scalar("current_user", "() -> varchar", spark=None, help="Who asks"),
    scalar("current_catalog", "() -> varchar", spark=None, help="The session's catalog"),
    scalar("current_schema", "() -> varchar", spark=None, help="The session's schema"),
)
