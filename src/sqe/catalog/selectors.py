"""Names that Iceberg's Spark catalog reads as more than a name: where no table `a.b.NAME` is found, it loads
the table `a.b` at a branch, tag, snapshot or time, or one of its metadata tables."""

from __future__ import annotations

import re

_SELECTOR = re.compile(r"(branch|tag)_.*|(snapshot_id|at_timestamp)_\d+", re.IGNORECASE | re.DOTALL)
_BRANCH = re.compile(r"branch_.*", re.IGNORECASE | re.DOTALL)
_METADATA_TABLE = re.compile(
    r"(all_)?(data_|delete_)?files|(all_)?(entries|manifests)|changes|history|metadata_log_entries|partitions"
    r"|position_deletes|refs|rewrite|snapshots",
    re.IGNORECASE,
)


def is_selector(name: str) -> bool:
    return bool(_SELECTOR.fullmatch(name) or _METADATA_TABLE.fullmatch(name))


def is_branch(name: str) -> bool:
    """Of the selectors the one that rows can be written to."""
    return _BRANCH.fullmatch(name) is not None
