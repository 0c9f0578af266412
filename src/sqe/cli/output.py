"""Results as a table, CSV (RFC 4180), TSV, or one JSON object a line; written as the batches come."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from sqe.cli import values
from sqe.types import sql_types as t

if TYPE_CHECKING:
    import pyarrow as pa

Columns = Sequence[tuple[str, t.Type]]
Write = Callable[[str], object]

# A table's column widths come from this many rows; what follows is not kept in memory.
SAMPLE = 1000


# Columns that hold a text of many lines, alone in their result: a frame would make them unreadable.
TEXTS = {"Query Plan", "Create Schema", "Create Table", "Create View"}


def write_result(
    form: str,
    columns: Columns,
    batches: Iterable[pa.RecordBatch],
    write: Write,
    *,
    to_terminal: bool = False,
) -> None:
    """What goes to a program is exact; on a terminal, data must not move the cursor."""
    _WRITERS[form](columns, batches, _printing(write) if to_terminal else write)


def _printing(write: Write) -> Write:
    """For a writer that writes line by line."""

    def print_line(text: str) -> None:
        line = text.rstrip("\r\n")
        write(printable(line) + text[len(line) :])

    return print_line


def rows_of(batches: Iterable[pa.RecordBatch], forms: Sequence[values.Format]) -> Iterator[list[str | None]]:
    for batch in batches:
        columns = [
            [None if value is None else form(value) for value in _python_values(batch.column(index))]
            for index, form in enumerate(forms)
        ]
        yield from map(list, zip(*columns, strict=True))


def _python_values(column: Any) -> list[Any]:
    try:
        values_: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        # Python's dates end at the years 1 and 9999, Arrow's do not.
        import pyarrow as pa

        values_ = column.cast(pa.string()).to_pylist()
    return values_


def _write_table(columns: Columns, batches: Iterable[pa.RecordBatch], write: Write) -> None:
    forms = [values.plain(type_) for _, type_ in columns]
    names = [printable(name) for name, _ in columns]
    if is_text(columns):
        write_text(rows_of(batches, forms), write)
        return
    right = [values.is_right_aligned(type_) for _, type_ in columns]
    rows = ([("NULL" if c is None else printable(c)) for c in row] for row in rows_of(batches, forms))
    sample = list(islice(rows, SAMPLE))
    widths = [
        max([width_of(name), *(width_of(row[index]) for row in sample)]) for index, name in enumerate(names)
    ]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    write(rule + _line(names, widths, [False] * len(names)) + rule)
    total = 0
    for row in chain(sample, rows):
        write(_line(row, widths, right))
        total += 1
    write(rule + f"({count_of(total)})\n")


def count_of(rows: int) -> str:
    return f"{rows} row{'' if rows == 1 else 's'}"


def is_text(columns: Columns) -> bool:
    return len(columns) == 1 and columns[0][0] in TEXTS


def write_text(rows: Iterable[Sequence[str | None]], write: Write) -> None:
    for [text] in rows:
        write("".join(f"{printable(line)}\n" for line in (text or "").splitlines()))


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, width, to_the_right in zip(cells, widths, right, strict=True):
        space = " " * (width - width_of(cell))
        padded.append(space + cell if to_the_right else cell + space)
    return "| " + " | ".join(padded) + " |\n"


# With those that turn the direction of writing, and so show a text in another order than it has.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """Without line ends and control characters: data must not move the cursor, nor look like other data."""
    return _UNPRINTABLE.sub(lambda m: _ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", text)


def width_of(text: str) -> int:
    """Columns that a terminal uses."""
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0  # joins the one before it
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _flat_formats(columns: Columns) -> list[values.Format]:
    """For files: nested values as JSON, so that a program can read them back."""
    nested = (t.Array, t.Map, t.Row)
    return [
        values.as_json(type_) if isinstance(type_, nested) else values.plain(type_) for _, type_ in columns
    ]


_MUST_QUOTE = re.compile(r'[",\r\n]|^\s|\s$')


def _csv_cell(cell: str | None) -> str:
    """NULL is nothing at all; the empty text is `""`."""
    if cell is None:
        return ""
    return '"' + cell.replace('"', '""') + '"' if not cell or _MUST_QUOTE.search(cell) else cell


def _write_csv(columns: Columns, batches: Iterable[pa.RecordBatch], write: Write) -> None:
    write(",".join(_csv_cell(name) for name, _ in columns) + "\r\n")
    for row in rows_of(batches, _flat_formats(columns)):
        write(",".join(map(_csv_cell, row)) + "\r\n")


_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def _tsv_cell(cell: str | None) -> str:
    return r"\N" if cell is None else cell.translate(_TSV)


def _write_tsv(columns: Columns, batches: Iterable[pa.RecordBatch], write: Write) -> None:
    write("\t".join(_tsv_cell(name) for name, _ in columns) + "\n")
    for row in rows_of(batches, _flat_formats(columns)):
        write("\t".join(map(_tsv_cell, row)) + "\n")


def _write_json(columns: Columns, batches: Iterable[pa.RecordBatch], write: Write) -> None:
    forms = [values.as_json(type_) for _, type_ in columns]
    names = [values.quote(name) for name in distinct(name for name, _ in columns)]
    for row in rows_of(batches, forms):
        pairs = (f"{name}: {'null' if cell is None else cell}" for name, cell in zip(names, row, strict=True))
        write("{" + ", ".join(pairs) + "}\n")


def distinct(names: Iterable[str]) -> list[str]:
    """An object has each name once: a second `a` becomes `a_2`."""
    used: set[str] = set()
    result = []
    for name in names:
        candidate, number = name, 1
        while candidate in used:
            number += 1
            candidate = f"{name}_{number}"
        used.add(candidate)
        result.append(candidate)
    return result


_WRITERS: dict[str, Callable[[Columns, Iterable[Any], Write], None]] = {
    "table": _write_table,
    "csv": _write_csv,
    "tsv": _write_tsv,
    "json": _write_json,
}
