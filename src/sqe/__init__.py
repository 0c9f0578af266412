"""SQE, the Sovereign Query Engine: Iceberg-first SQL with Spark behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sqe.connection import connect as connect


def __getattr__(name: str) -> Any:
    # `import sqe` stays cheap: the engine is imported by the first `sqe.connect`.
    if name == "connect":
        from sqe.connection import connect

        return connect
    raise AttributeError(f"module 'sqe' has no attribute {name!r}")
