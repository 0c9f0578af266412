"""What the rows of a system table are made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqe.foundation.record import record
from sqe.observe.statement_record import Record
from sqe.system.listing import Listing
from sqe.system.patterns import like
from sqe.tree.grants import Grant
from sqe.tree.relations import SystemScan

Row = tuple[object, ...]


@record
class Sources:
    """`records` are the statements that this user may know of, and `grants` what was granted; `roles` are
    those of their log-in."""

    scan: SystemScan
    listing: Listing
    records: Callable[[], Sequence[Record]]
    version: str
    user: str = ""
    roles: frozenset[str] = frozenset()
    grants: Callable[[], Sequence[Grant]] = tuple

    @property
    def catalog(self) -> str:
        return self.scan.table.catalog

    def accepts(self, column: str) -> Callable[[str], bool]:
        """Whether a value of the column can be in the answer."""
        pushdowns = [p for p in self.scan.pushdown if p.column == column]
        values = [p.values for p in pushdowns if p.values is not None]
        patterns = [like(*pattern) for p in pushdowns for pattern in p.patterns]
        return lambda text: all(text in v for v in values) and all(p.match(text) for p in patterns)

    def asks_for(self, column: str) -> bool:
        return column in self.scan.columns
