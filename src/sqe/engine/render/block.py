"""One SELECT under construction.

Relations are put into the same block as long as SQL evaluates its clauses in their order; what does
not fit makes the block a derived table and begins the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum

from sqe.engine.render.layout import Lines, after, before, derived, fits, line, listed
from sqe.engine.render.names import column_name
from sqe.foundation.record import record
from sqe.tree.expressions import Field


class Stage(IntEnum):
    """The last clause that a block has."""

    FROM = 0
    WHERE = 1
    GROUP = 2
    WINDOW = 3
    ORDER = 4
    LIMIT = 5


@record
class Column:
    """A field as the block writes it. `plain`: the text is just a name, which may be repeated anywhere.
    `exact`: its type in the engine is certainly the announced one."""

    field: Field
    text: str
    plain: bool
    exact: bool = False


@record
class OrderKey:
    """`text` is a column's, or an expression over plain ones; `direction` e.g. DESC NULLS LAST."""

    text: str
    plain: bool
    direction: str
    # What is sorted by, given a text for the value.
    sorted_by: Callable[[str], str]


@record
class Block:
    """`raw`: the columns are a table's own names, not ours. No other name may then be in sight, as it
    could be taken for one of them: no second table, no subquery, no reference to an outer query."""

    columns: Mapping[int, Column]
    source: Lines = ()
    stage: Stage = Stage.FROM
    where: tuple[str, ...] = ()
    group: str = ""
    order: tuple[OrderKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    ctes: tuple[Lines, ...] = ()
    recursive: bool = False
    raw: bool = False
    # Several joined relations: in parentheses where one is expected.
    joined: bool = False
    # LATERAL VIEWs end a FROM clause.
    views: bool = False

    @property
    def joinable(self) -> bool:
        """Whether the FROM clause alone says all of it."""
        return bool(self.source) and self.stage is Stage.FROM and not (self.raw or self.views or self.ctes)


@record
class Item:
    """One column of a SELECT. `output` is what is selected where that is not `text` itself: a cast of it,
    for example."""

    text: str
    alias: str
    output: str | None = None


def select(block: Block, items: Sequence[Item]) -> Lines:
    """The block as a query."""
    aliases: dict[str, str] = {}
    for item in items:
        aliases.setdefault(item.text, item.alias)
    outputs = ((item.output or item.text, item.alias) for item in items)
    shown = [text if text == alias else f"{text} AS {alias}" for text, alias in outputs]
    lines: list[tuple[int, str]] = []
    for number, cte in enumerate(block.ctes):
        word = f"WITH {'RECURSIVE ' if block.recursive else ''}" if not number else ""
        more = "," if number + 1 < len(block.ctes) else ""
        lines += after(before(word, cte), more)
    one_line = ", ".join(shown) or "1"
    lines += line(f"SELECT {one_line}") if fits(one_line) else listed("SELECT ", shown, end=",")
    if block.source:
        lines += before("FROM ", block.source)
    if block.where:
        lines += listed("WHERE ", block.where, "AND ")
    if block.group:
        lines += line(f"GROUP BY {block.group}")
    if block.order:
        keys = (f"{key.sorted_by(aliases.get(key.text, key.text))} {key.direction}" for key in block.order)
        lines += line("ORDER BY " + ", ".join(keys))
    if block.limit is not None:
        lines += line(f"LIMIT {block.limit}")
    if block.offset:
        lines += line(f"OFFSET {block.offset}")
    return tuple(lines)


def sealed(block: Block, needed: Iterable[int]) -> Block:
    """The block as a derived table, with the needed columns under our own names."""
    ids = set(needed)
    inner = {i: c for i, c in block.columns.items() if i in ids}
    texts = {c.text for c in inner.values()}
    for key in block.order:
        if not key.plain and key.text not in texts:
            inner.update({i: c for i, c in block.columns.items() if c.text == key.text})
    items = [Item(c.text, column_name(c.field)) for c in inner.values()]
    columns = {i: Column(c.field, column_name(c.field), True, c.exact) for i, c in inner.items()}
    return Block(columns, derived(select(block, items)))


def visible(block: Block) -> dict[int, str]:
    """What expressions in this block may refer to."""
    return {i: c.text for i, c in block.columns.items()}
