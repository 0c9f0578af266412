"""A result as a table that fits a terminal: names, types, and as much of the values as there is room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from sqe.cli import values
from sqe.cli.output import SAMPLE, Columns, Write, count_of, is_text, printable, rows_of, width_of, write_text
from sqe.cli.terminal import Terminal
from sqe.foundation.record import record

if TYPE_CHECKING:
    import pyarrow as pa

# What is left of a column at least, where not all have room: numbers are of no use in part.
LEAST_TEXT = 8
LEAST_NUMBER = 20
DIM, PLAIN = "\x1b[2m", "\x1b[0m"


@record
class _Lines:
    """The characters of a frame: left, between, right for its three rules, and the rest."""

    top: str
    middle: str
    bottom: str
    flat: str
    upright: str
    more: str


_DRAWN = _Lines("┌┬┐", "├┼┤", "└┴┘", "─", "│", "…")
_TYPED = _Lines("+++", "+++", "+++", "-", "|", "...")


def write_table(
    columns: Columns, batches: Iterable[pa.RecordBatch], write: Write, terminal: Terminal
) -> None:
    forms = [values.plain(type_) for _, type_ in columns]
    rows = rows_of(batches, forms)
    if is_text(columns):
        write_text(rows, write)
        return
    sample = list(islice(rows, SAMPLE))
    names = [printable(name) for name, _ in columns]
    types = [str(type_) for _, type_ in columns]
    right = [values.is_right_aligned(type_) for _, type_ in columns]
    needed = [
        max([width_of(name), *(width_of(printable(row[i] or "")) or len("NULL") for row in sample)])
        for i, name in enumerate(names)
    ]
    shown, widths = fit(needed, [width_of(name) for name in types], right, terminal)
    lines = _DRAWN if terminal.unicode else _TYPED
    frame = _Frame(lines, shown, widths, right, terminal.colour)
    write(frame.rule(lines.top) + frame.line(names) + frame.line(types, dim=True) + frame.rule(lines.middle))
    total = 0
    for row in chain(sample, rows):
        write(frame.line(row))
        total += 1
    footer = count_of(total)
    if None in shown:
        footer += f", {len(shown) - 1} of {len(columns)} columns shown"
    write(frame.rule(lines.bottom) + f"({footer})\n")


@record
class _Frame:
    """Writes lines. `shown` has the number of each column, None for the one that stands for the rest."""

    lines: _Lines
    shown: Sequence[int | None]
    widths: Sequence[int]
    right: Sequence[bool]
    colour: bool

    def rule(self, corners: str) -> str:
        flats = corners[1].join(self.lines.flat * (width + 2) for width in self.widths)
        return corners[0] + flats + corners[2] + "\n"

    def line(self, cells: Sequence[str | None], *, dim: bool = False) -> str:
        parts = []
        for index, width in zip(self.shown, self.widths, strict=True):
            cell = self.lines.more if index is None else cells[index]
            text = "NULL" if cell is None else self._shorten(printable(cell), width)
            space = " " * (width - width_of(text))
            if self.colour and (dim or cell is None):
                text = f"{DIM}{text}{PLAIN}"
            parts.append(space + text if index is not None and self.right[index] else text + space)
        bar = self.lines.upright
        return f"{bar} " + f" {bar} ".join(parts) + f" {bar}\n"

    def _shorten(self, text: str, width: int) -> str:
        if len(text) <= width // 2 or width_of(text) <= width:
            return text
        mark = self.lines.more
        length, room = 0, width - len(mark)
        for character in text:
            room -= width_of(character)
            if room < 0:
                break
            length += 1
        return (text[:length] + mark)[:width] if width < len(mark) else text[:length] + mark


def fit(
    needed: Sequence[int], types: Sequence[int], right: Sequence[bool], terminal: Terminal
) -> tuple[list[int | None], list[int]]:
    """Which columns are shown, and how wide. First long types give way, then long values, then columns
    in the middle."""
    count = len(needed)
    needed = [max(n, min(type_, LEAST_TEXT)) for n, type_ in zip(needed, types, strict=True)]
    more = 1 if terminal.unicode else 3
    least = [min(n, LEAST_NUMBER if r else LEAST_TEXT) for n, r in zip(needed, right, strict=True)]
    shown: list[int | None] = list(range(count))
    room = terminal.width - 1 - 3 * count
    if sum(least) > room:
        # The outermost columns stay, as many as have room beside the one that stands for the others.
        room = terminal.width - 1 - 3 - more
        visible = 0
        for index in (i // 2 if i % 2 == 0 else count - 1 - i // 2 for i in range(max(1, count - 1))):
            room -= least[index] + 3
            if room < 0 and visible:
                break
            visible += 1
        before, after = (visible + 1) // 2, visible // 2
        shown = [*range(before), *([None] if visible < count else []), *range(count - after, count)]
        room = terminal.width - 1 - 3 * len(shown) - (more if None in shown else 0)
    numbers = [i for i in shown if i is not None]
    room = max(room, len(numbers))
    widths = _share(room, [least[i] for i in numbers], [needed[i] for i in numbers])
    left = room - sum(widths)
    for at, index in enumerate(numbers):
        extra = min(left, max(0, types[index] - widths[at]))
        widths[at] += extra
        left -= extra
    sizes = dict(zip(numbers, widths, strict=True))
    return shown, [more if i is None else sizes[i] for i in shown]


def _share(room: int, least: Sequence[int], needed: Sequence[int]) -> list[int]:
    """What each needs, up to a limit that is the same for all and makes them fit."""
    low, high = 1, max([1, *needed])
    while low < high:
        limit = (low + high + 1) // 2
        if sum(max(a, min(b, limit)) for a, b in zip(least, needed, strict=True)) <= room:
            low = limit
        else:
            high = limit - 1
    widths = [max(a, min(b, low)) for a, b in zip(least, needed, strict=True)]
    left = room - sum(widths)
    if left < 0:  # not even the least of one column has room
        return [max(1, width + left) for width in widths]
    for at, need in enumerate(needed):
        extra = min(left, need - widths[at], 1)
        widths[at] += extra
        left -= extra
    return widths
