"""Names that stand for the session or the moment of the statement.

The binder puts a constant in their place, so that every row and every lane sees the same value; they have
a row for their names and types, and no rendering.
"""

from __future__ import annotations

from sqe.functions.function import scalar

FUNCTIONS = (
    scalar("now", "() -> timestamp(3) with time zone", help="When the statement began"),
    scalar("current_timestamp", "() -> timestamp(3) with time zone", help="When the statement began"),
    scalar("localtimestamp", "() -> timestamp(3)", help="When the statement began, in the session's zone"),
    scalar("current_date", "() -> date", help="The day on which the statement began"),
    scalar("current_timezone", "() -> varchar", help="The session's time zone"),
    scalar("version", "() -> varchar", help="The version of this server"),
    scalar("current_user", "() -> varchar", help="Who asks"),
    scalar("current_groups", "() -> array(varchar)", help="The groups of who asks"),
    scalar("current_catalog", "() -> varchar", help="The session's catalog"),
    scalar("current_schema", "() -> varchar", help="The session's schema"),
)
