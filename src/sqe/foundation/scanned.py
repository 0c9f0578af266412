"""How much of its tables a statement reads."""

from __future__ import annotations

from sqe.foundation.record import record


@record
class Scanned:
    """What was read of tables: data files and those that were left out, their manifests, and bytes."""

    files: int = 0
    skipped_files: int = 0
    manifests: int = 0
    skipped_manifests: int = 0
    bytes: int = 0

    def __add__(self, other: Scanned) -> Scanned:
        return Scanned(
            self.files + other.files,
            self.skipped_files + other.skipped_files,
            self.manifests + other.manifests,
            self.skipped_manifests + other.skipped_manifests,
            self.bytes + other.bytes,
        )
