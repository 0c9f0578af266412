"""What policies say of the values of a table: conditions on rows, and masks of columns."""

from __future__ import annotations

from dataclasses import field

from sqe.foundation.record import record

# A column by the id that it keeps when it is renamed; by its name of today where a source knows no ids.
ColumnKey = int | str


@record
class Rule:
    """A condition or a mask over the raw columns of a table: an expression of our dialect.

    `columns` are the names that it was written with and the ids of what they stood for then; without them
    they are names of today. Names of tables in it without a catalog or schema are in those of its table.
    """

    sql: str
    columns: tuple[tuple[str, int], ...] | None = None


@record
class Mask:
    """A mask by its name (`policy/masks.py`): what it shows depends on the type of its column. `text` is what
    `redact` shows, `key` what `hash` hashes with."""

    name: str
    text: str = ""
    key: bytes = field(default=b"", repr=False)
