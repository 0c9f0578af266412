"""The SQL that each kind of statement becomes, kept in golden/*.sql.

SQE_GOLDEN=write makes the files anew: read the difference before it is committed.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.render.render_trees import (
    ONE_ROW,
    Trees,
    compare,
    count_rows,
    filtered,
    is_equal,
    joined,
    limited,
    literal,
    ordered,
    plus,
    ref,
)

from sqe.engine.spark.render import render
from sqe.errors import Position
from sqe.tree.definitions import ColumnDefinition, PartitionField
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Case,
    Exists,
    Field,
    Frame,
    FrameBound,
    InSubquery,
    Lambda,
    LambdaRef,
    Literal,
    Quantified,
    ScalarSubquery,
    SortKey,
    WindowCall,
)
from sqe.tree.relations import (
    Aggregate,
    AsOf,
    Cte,
    CteRef,
    FileScan,
    Sample,
    Sequence,
    SetOperation,
    TableName,
    Unnest,
    Window,
    With,
)
from sqe.tree.statements import (
    Assignment,
    CreateTable,
    Delete,
    Insert,
    Merge,
    MergeClause,
    Query,
    Statement,
    Target,
    Update,
)
from sqe.types.sql_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_SECOND,
    INTEGER,
    VARCHAR,
    Array,
    FunctionType,
    Map,
    Row,
    RowField,
)

GOLDEN = Path(__file__).parent / "golden"
CASES: dict[str, Callable[[Trees], Statement]] = {}


def case(make: Callable[[Trees], Statement]) -> Callable[[Trees], Statement]:
    CASES[make.__name__] = make
    return make


@case
def one_block(t: Trees) -> Statement:
    lines = t.scan("lineitem", ("flag", "price", "shipped"), types=(VARCHAR, BIGINT, DATE))
    flag, price, shipped = lines.fields
    kept = filtered(lines, compare("$le", shipped, Literal(DATE, dt.date(1998, 9, 2))))
    sums = t.aggregate(kept, (flag,), _max(price), count_rows())
    shown = t.project(sums, *sums.fields)
    return Query(ordered(shown, shown.fields[0]))


@case
def join_and_filter(t: Trees) -> Statement:
    orders, lines, parts = (
        t.scan("orders", ("id", "day")),
        t.scan("lines", ("id", "part")),
        t.scan("parts", ("id",)),
    )
    first = joined("inner", orders, lines, is_equal(orders.fields[0], lines.fields[0]))
    second = joined("left", first, parts, is_equal(lines.fields[1], parts.fields[0]))
    return Query(t.project(filtered(second, compare("$gt", orders.fields[1], literal(7))), parts.fields[0]))


@case
def self_join(t: Trees) -> Statement:
    x, y = t.scan(), t.scan()
    return Query(
        t.project(joined("inner", x, y, is_equal(x.fields[0], y.fields[1])), x.fields[0], y.fields[0])
    )


@case
def computed_twice(t: Trees) -> Statement:
    scan = t.scan()
    inner = t.project(scan, plus(scan.fields[0], literal(1)), names=("x",))
    return Query(t.project(inner, plus(inner.fields[0], inner.fields[0])))


@case
def having(t: Trees) -> Statement:
    scan = t.scan()
    groups = t.aggregate(scan, (scan.fields[0],), count_rows())
    return Query(
        t.project(filtered(groups, compare("$gt", groups.fields[1], literal(1, BIGINT))), groups.fields[0])
    )


@case
def distinct_and_limit(t: Trees) -> Statement:
    scan = t.scan()
    keys = t.aggregate(scan, scan.fields)
    by = SortKey(ref(keys.fields[1]), descending=True, nulls_first=True)
    return Query(limited(ordered(keys, by), 10, 5))


@case
def rows_of_nothing(t: Trees) -> Statement:
    scan = t.scan()
    return Query(t.project(t.aggregate(scan, ()), literal("one", VARCHAR)))


@case
def grouping_sets(t: Trees) -> Statement:
    scan = t.scan()
    fields = (t.field("a"), t.field("b"), t.field("n", BIGINT), t.field("g", BIGINT))
    sets = ((0, 1), (0,), (1,))
    return Query(Aggregate(fields, scan, scan.fields, (count_rows(),), sets, ((1, 0),)))


@case
def grand_total(t: Trees) -> Statement:
    scan = t.scan()
    fields = (t.field("a"), t.field("n", BIGINT))
    return Query(Aggregate(fields, scan, scan.fields[:1], (count_rows(),), ((0,), ())))


@case
def windows(t: Trees) -> Statement:
    scan = t.scan("t", ("a", "b", "day"), types=(INTEGER, INTEGER, DATE))
    a, b, day = scan.fields
    rank = WindowCall(BIGINT, "rank", (), (ref(a),), (SortKey(ref(b)),))
    number = WindowCall(BIGINT, "row_number", ())
    week = Frame("range", FrameBound("preceding", _days(7)), FrameBound("current_row"))
    sums = WindowCall(BIGINT, "count", (ref(b),), (), (SortKey(ref(day)),), week)
    some = WindowCall(BIGINT, "count", (), filter=compare("$gt", b, literal(0)))
    before = WindowCall(INTEGER, "lag", (ref(b),), (), (SortKey(ref(a)),), ignore_nulls=True)
    calls = (rank, number, sums, some, before)
    fields = tuple(t.field(c.function, c.type) for c in calls)
    return Query(t.project(Window((*scan.fields, *fields), scan, calls), *fields))


def _days(days: int) -> Literal:
    return Literal(DAY_SECOND, dt.timedelta(days=days))


@case
def time_travel(t: Trees) -> Statement:
    scan = t.scan(as_of=AsOf(1234567890123456789))
    return Query(t.project(scan, scan.fields[0]))


@case
def metadata_table(t: Trees) -> Statement:
    scan = t.scan("t", ("snapshot_id", "operation"), types=(BIGINT, VARCHAR), metadata="snapshots")
    return Query(t.project(scan, *scan.fields))


@case
def files(t: Trees) -> Statement:
    fields = (t.field("a"), t.field("b"))
    scan = FileScan(fields, "parquet", ("/data/x.parquet", "/data/y.parquet"), ("a", "b"), secured=True)
    return Query(filtered(scan, is_equal(fields[0], literal(1))))


@case
def names_of_users(t: Trees) -> Statement:
    scan = t.scan("we`ird. table", ("t", "Select `x`", "{over}", "a_1"))
    return Query(t.project(scan, *scan.fields))


@case
def correlated(t: Trees) -> Statement:
    scan, other = t.scan(), t.scan("u", ("c", "d"))
    most = t.aggregate(filtered(other, is_equal(other.fields[0], scan.fields[0])), (), _max(other.fields[1]))
    value = ScalarSubquery(INTEGER, t.project(most, most.fields[0]), Position(2, 3))
    return Query(t.project(scan, ref(scan.fields[0]), value))


def _max(field: Field) -> AggregateCall:
    return AggregateCall(field.type, "max", (ref(field),))


@case
def correlated_two_levels_up(t: Trees) -> Statement:
    scan, middle, inner = t.scan(), t.scan("u", ("c", "d")), t.scan("v", ("e", "f"))
    a, d, (e, f) = scan.fields[0], middle.fields[1], inner.fields
    deepest = Exists(BOOLEAN, filtered(inner, is_equal(e, a), is_equal(f, d)))
    return Query(filtered(scan, Exists(BOOLEAN, filtered(middle, deepest))))


@case
def aggregate_of_an_outer_column(t: Trees) -> Statement:
    scan, other = t.scan(), t.scan("u", ("c",))
    both = plus(other.fields[0], scan.fields[0])
    total = t.aggregate(other, (), AggregateCall(INTEGER, "max", (both,)))
    return Query(t.project(scan, ScalarSubquery(INTEGER, total)))


@case
def in_as_a_filter(t: Trees) -> Statement:
    scan, other = t.scan(), t.scan("u", ("c", "d"))
    pair = InSubquery(BOOLEAN, tuple(map(ref, scan.fields)), t.project(other, *other.fields))
    single = InSubquery(BOOLEAN, (ref(scan.fields[0]),), t.project(other, other.fields[0]))
    return Query(filtered(scan, pair, Call(BOOLEAN, "$not", (single,))))


@case
def in_as_a_value(t: Trees) -> Statement:
    scan, other = t.scan(), t.scan("u", ("c",))
    return Query(t.project(scan, InSubquery(BOOLEAN, (ref(scan.fields[0]),), other)))


@case
def greater_than_all(t: Trees) -> Statement:
    scan, other = t.scan(), t.scan("u", ("c",))
    return Query(filtered(scan, Quantified(BOOLEAN, ref(scan.fields[0]), "$gt", True, other)))


@case
def equal_to_all_correlated(t: Trees) -> Statement:
    scan, other = t.scan(), t.scan("u", ("c", "d"))
    column = t.project(filtered(other, is_equal(other.fields[1], scan.fields[1])), other.fields[0])
    return Query(filtered(scan, Quantified(BOOLEAN, ref(scan.fields[0]), "$eq", True, column)))


@case
def lateral(t: Trees) -> Statement:
    scan, other = t.scan(), t.scan("u", ("c", "d"))
    best = limited(ordered(filtered(other, is_equal(other.fields[0], scan.fields[0])), other.fields[1]), 1)
    return Query(t.project(joined("left", scan, best, lateral=True), scan.fields[0], other.fields[1]))


@case
def unnest_one(t: Trees) -> Statement:
    scan = t.scan("t", ("a", "xs"), types=(INTEGER, Array(INTEGER)))
    fields = (*scan.fields, t.field("x"), t.field("o", BIGINT))
    unnest = Unnest(fields, scan, (ref(scan.fields[1]),), ordinality=True, outer=True)
    return Query(t.project(unnest, *fields))


@case
def unnest_zipped(t: Trees) -> Statement:
    row = Row((RowField("p", INTEGER), RowField("q", VARCHAR)))
    scan = t.scan("t", ("xs", "m", "rs"), types=(Array(INTEGER), Map(VARCHAR, INTEGER), Array(row)))
    made = [t.field("x"), t.field("k", VARCHAR), t.field("v"), t.field("p"), t.field("q", VARCHAR)]
    unnest = Unnest((*scan.fields, *made), scan, tuple(map(ref, scan.fields)))
    return Query(t.project(unnest, *made))


@case
def unnest_of_an_outer_column(t: Trees) -> Statement:
    scan = t.scan("t", ("xs",), types=(Array(INTEGER),))
    x = t.field("x")
    total = t.aggregate(Unnest((x,), ONE_ROW, (ref(scan.fields[0]),)), (), _max(x))
    return Query(t.project(scan, ScalarSubquery(INTEGER, total)))


@case
def common_tables(t: Trees) -> Statement:
    scan = t.scan()
    body = t.project(scan, *scan.fields)
    uses = [CteRef(tuple(t.field(f.name) for f in body.fields), 90, body.fields) for _ in range(2)]
    both = joined("inner", uses[0], uses[1], is_equal(uses[0].fields[0], uses[1].fields[1]))
    query = t.project(both, uses[0].fields[0], uses[1].fields[0])
    return Query(With(query.fields, (Cte(90, "my table", body),), query))


@case
def recursion(t: Trees) -> Statement:
    anchor = t.project(ONE_ROW, literal(1), names=("n",))
    again = CteRef((t.field("n"),), 90, anchor.fields)
    step = t.project(
        filtered(again, compare("$lt", again.fields[0], literal(5))), plus(again.fields[0], literal(1))
    )
    union = SetOperation(anchor.fields, "union", False, anchor, step)
    use = CteRef((t.field("n"),), 90, anchor.fields)
    return Query(With(use.fields, (Cte(90, "r", union, recursive=True),), use))


@case
def set_operations(t: Trees) -> Statement:
    first, second, third = t.scan(), t.scan(), t.scan()
    union = SetOperation((t.field("x"), t.field("y")), "union", False, first, second)
    union = SetOperation((t.field("x"), t.field("y")), "union", False, union, third)
    wanted = t.project(union, union.fields[0])
    rest = SetOperation((t.field("x"),), "except", True, wanted, t.values(("z",), [(1,), (2,)]))
    return Query(ordered(rest, rest.fields[0]))


@case
def values(t: Trees) -> Statement:
    table = t.values(("n", "s"), [(1, "it's"), (None, None)], INTEGER, VARCHAR)
    none = t.values(("n", "s"), [], INTEGER, VARCHAR)
    return Query(SetOperation((t.field("n"), t.field("s", VARCHAR)), "union", False, table, none))


@case
def numbers_and_samples(t: Trees) -> Statement:
    numbers = Sequence((t.field("n", BIGINT),), 1, 10, 3)
    return Query(Sample(numbers.fields, numbers, "bernoulli", 12.5))


@case
def lambdas(t: Trees) -> Statement:
    scan = t.scan("t", ("a", "xs"), types=(INTEGER, Array(INTEGER)))
    x = LambdaRef(INTEGER, 70, "x")
    body = Lambda(FunctionType((INTEGER,), INTEGER), (x,), plus(x, scan.fields[0]))
    return Query(t.project(scan, Call(Array(INTEGER), "transform", (ref(scan.fields[1]), body))))


@case
def cases(t: Trees) -> Statement:
    scan = t.scan()
    test = compare("$gt", scan.fields[0], literal(0))
    return Query(t.project(scan, Case(VARCHAR, ((test, literal("up", VARCHAR)),), literal(None, VARCHAR))))


@case
def insert(t: Trees) -> Statement:
    target = Target(TableName("cat", ("a", "b"), "T"), (t.field("x"), t.field("y")), ("X", "y"))
    return Insert(target, ("y", "X"), t.values(("p", "q"), [(1, 2), (3, 4)]))


@case
def update(t: Trees) -> Statement:
    x, y = t.field("x"), t.field("y")
    other = t.scan("u", ("c",))
    condition = InSubquery(BOOLEAN, (ref(x),), other)
    changes = (Assignment("y", plus(y, literal(1))), Assignment("X", literal(None)))
    return Update(Target(TableName("cat", ("ns",), "t"), (x, y), ("X", "y")), changes, condition)


@case
def delete(t: Trees) -> Statement:
    x = t.field("x")
    target = Target(TableName("cat", ("ns",), "t"), (x,), ("x",))
    return Delete(target, Call(BOOLEAN, "$is_null", (ref(x),)))


@case
def merge(t: Trees) -> Statement:
    x, y = t.field("x"), t.field("y")
    source, other = t.scan("s", ("k", "v")), t.scan("u", ("c",))
    k, v = source.fields
    known = Exists(BOOLEAN, filtered(other, is_equal(other.fields[0], k)))
    clauses = (
        MergeClause(True, "delete", condition=compare("$lt", v, literal(0))),
        MergeClause(True, "update", (Assignment("y", ref(v)),), known),
        MergeClause(False, "insert", (Assignment("x", ref(k)), Assignment("y", literal(0)))),
    )
    return Merge(Target(TableName("cat", ("ns",), "t"), (x, y), ("x", "y")), source, is_equal(x, k), clauses)


@case
def create_table_as(t: Trees) -> Statement:
    scan = t.scan("t", ("a", "b", "day"), types=(INTEGER, VARCHAR, DATE))
    return CreateTable(
        TableName("cat", ("ns",), "new"),
        (ColumnDefinition("Id", INTEGER), ColumnDefinition("b", VARCHAR), ColumnDefinition("day", DATE)),
        (PartitionField("bucket", "Id", 8), PartitionField("day", "day"), PartitionField("identity", "b")),
        (("format-version", "2"), ("note", "it's \\ odd")),
        comment="what's new",
        location="/data/new",
        replace=True,
        source=t.project(scan, *scan.fields),
    )


# Last, when every case is known.
@pytest.mark.parametrize("name", CASES)
def test_sql_is_as_before(name: str) -> None:
    rendered = render(CASES[name](Trees()), session_zone="UTC")
    views = "".join(f"-- {v.name}: {v.format} {' '.join(v.paths)}\n" for v in rendered.views)
    text = f"{views}{rendered.sql}\n"
    file = GOLDEN / f"{name}.sql"
    if os.environ.get("SQE_GOLDEN") == "write":
        file.write_text(text)
    assert file.read_text() == text


def test_no_golden_file_is_left_over() -> None:
    assert {file.stem for file in GOLDEN.glob("*.sql")} == set(CASES)
