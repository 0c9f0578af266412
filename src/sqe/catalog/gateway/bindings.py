"""What Spark may load and commit for the statements that run: a namespace each, and an alias each table.

Nobody can guess a namespace, and it leads nowhere when its statement has ended. What is read is as it was
bound; the target of a write is what it is now.
"""

from __future__ import annotations

import enum
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg.table import Table
from sqe.catalog.protocol import Catalog
from sqe.foundation.record import record
from sqe.foundation.scanned import Scanned
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage
    from sqe.errors import SqeError

Raw = dict[str, Any]
# Reports of statements that have just ended still come in.
_MOST_ENDED = 200
_PLAIN = re.compile(r"[^A-Za-z0-9_]+")


class Access(enum.Enum):
    READ = "read"
    WRITE = "write"
    """Loaded as it was bound, and committed to as it is."""
    DEFINE = "define"
    """Made, or replaced as it is: the ids of what comes follow those that are there."""


@record
class Binding:
    """`bound` is the table as the statement was bound with it; None for one that it defines."""

    table: TableName
    access: Access
    catalog: Catalog
    bound: Table | None = None


@record
class Commit:
    """A commit that was applied: the snapshots that it added, the last one last."""

    table: TableName
    snapshots: tuple[Raw, ...]


class Namespace:
    """One statement's tables, by alias, and what Spark did and told of them. `scanned` is None until it has
    told of a scan."""

    def __init__(self, name: str, bindings: dict[str, Binding]) -> None:
        self.name = name
        self.bindings = bindings
        self.ended = False
        self.commits: list[Commit] = []
        self.scanned: Scanned | None = None
        # Answers of commits by their idempotency key, to give again.
        self.answers: dict[str, tuple[str, bytes]] = {}
        self.lock = threading.Lock()
        # By alias, why the last request for it was refused.
        self.failures: dict[str, SqeError | None] = {}
        self._files: dict[str, tuple[Storage, str]] = {}

    @property
    def failure(self) -> SqeError | None:
        """What the statement was refused by the catalog, and fails with."""
        return next((error for error in self.failures.values() if error is not None), None)

    def opened_with(self, alias: str, storage: Storage | None, place: str) -> None:
        """What Spark was last told to open the files of a table with, and where they are."""
        if storage is not None:
            self._files[alias] = storage, place

    def files_of(self, alias: str, binding: Binding) -> tuple[Storage | None, str]:
        """As `opened_with`, or as the table was bound."""
        bound = binding.bound
        as_bound = (None, "") if bound is None else (bound.storage, bound.location)
        return self._files.get(alias, as_bound)

    def hear(self, report: Raw) -> None:
        """A report of Spark's. Of commits the ledger knows more."""
        if report.get("report-type") != "scan-report":
            return
        metrics = report.get("metrics")
        counts = {key: _count(value) for key, value in metrics.items()} if isinstance(metrics, dict) else {}
        scanned = Scanned(
            counts.get("result-data-files", 0),
            counts.get("skipped-data-files", 0),
            counts.get("scanned-data-manifests", 0),
            counts.get("skipped-data-manifests", 0),
            counts.get("total-file-size-in-bytes", 0) + counts.get("total-delete-file-size-in-bytes", 0),
        )
        with self.lock:
            self.scanned = scanned if self.scanned is None else self.scanned + scanned


class Bindings:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Namespace] = {}
        self._ended: OrderedDict[str, Namespace] = OrderedDict()

    def begin(self, bindings: dict[str, Binding], *, name: str | None = None) -> Namespace:
        namespace = Namespace(name or new_name(), bindings)
        with self._lock:
            assert namespace.name not in self._running, "a namespace is one statement's"
            self._running[namespace.name] = namespace
        return namespace

    def end(self, namespace: Namespace) -> None:
        """Nothing is loaded or committed through it any more."""
        # A commit that is being applied is over before the statement is.
        with namespace.lock:
            namespace.ended = True
        with self._lock:
            if self._running.pop(namespace.name, None) is not None:
                self._ended[namespace.name] = namespace
            while len(self._ended) > _MOST_ENDED:
                self._ended.popitem(last=False)

    def find(self, name: str) -> Namespace | None:
        with self._lock:
            return self._running.get(name)

    def find_ended(self, name: str) -> Namespace | None:
        """Also one that has just ended."""
        with self._lock:
            return self._running.get(name) or self._ended.get(name)


def _count(metric: object) -> int:
    value = metric.get("value") if isinstance(metric, dict) else None
    return value if isinstance(value, int) else 0


def new_name() -> str:
    return secrets.token_hex(16)


def aliases(tables: Iterable[TableName]) -> dict[TableName, str]:
    """A name for each that people recognize, and that means nothing else to Iceberg: it takes `branch_x`,
    `tag_x`, `files` and the like for parts of a table."""
    unique = dict.fromkeys(tables)
    return {table: f"t{n}_{_PLAIN.sub('_', table.name)[:40]}" for n, table in enumerate(unique, start=1)}
