"""Statements that are not queries, and the one entry point of binding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.conversion import Conversions, check_arguments
from sqe.bind.expressions import bind_condition, bind_expression, cast_relation, refuse_calls
from sqe.bind.from_clause import bind_from
from sqe.bind.names import Name, matches, name_of, nearest
from sqe.bind.queries import QUERIES, bind_query
from sqe.bind.scope import Scope, Visible
from sqe.bind.tables import catalog_and_namespace, find_table, split_table_name, table_parts, visible_in
from sqe.bind.types import bind_type
from sqe.errors import InvalidArgument, NotFound, NotSupported, Position, SqeError, TypeMismatch, UserError
from sqe.policy.decision import write_denied
from sqe.sql.parse import Syntax
from sqe.tree import statements as s
from sqe.tree import types as t
from sqe.tree.expressions import Expression, Literal, Ref
from sqe.tree.relations import Project, Relation, TableName

if TYPE_CHECKING:
    from sqe.catalog.table import Column, Table

STATEMENTS = Conversions("a statement")
converts = STATEMENTS.of

SESSION_PROPERTIES = {"lane": ("auto", "spark", "fast")}


def bind(b: Binder, syntax: Syntax) -> s.Statement:
    """A parsed statement to our tree."""
    if type(syntax.node) in QUERIES.table:
        statement: s.Statement = s.Query(bind_query(b, syntax.node))
    else:
        convert = STATEMENTS.find(syntax.node, b.text)
        statement = convert(b, syntax.node)
    return s.Explain(statement) if syntax.explain else statement


# Schemas ------------------------------------------------------------------------------------------------


@converts(exp.Create, reads="this kind replace exists properties expression")
def _create(b: Binder, node: exp.Create) -> s.Statement:
    kind = str(node.args.get("kind") or "").upper()
    if kind == "SCHEMA":
        return _create_schema(b, node)
    if kind == "TABLE":
        return _create_table(b, node)
    raise NotSupported(f"CREATE {kind} is not supported", position=b.position(node))


def _create_schema(b: Binder, node: exp.Create) -> s.Statement:
    check_arguments(node, {"this", "kind", "exists", "properties"}, b.text)
    catalog, namespace = _schema_name(b, node.this)
    location = None
    for item in _properties(node):
        if not isinstance(item, exp.LocationProperty):
            raise NotSupported("CREATE SCHEMA knows only LOCATION", position=b.position(item))
        location = item.this.name
    return s.CreateSchema(catalog, namespace, bool(node.args.get("exists")), location)


def _schema_name(b: Binder, node: exp.Expr) -> tuple[str, tuple[str, ...]]:
    if not isinstance(node, exp.Table):
        raise NotSupported("this is not a schema's name", position=b.position(node))
    parts = [name_of(p) for p in node.parts if isinstance(p, exp.Identifier)]
    if not parts:
        raise UserError("the schema's name is missing", code="SYNTAX_ERROR", position=b.position(node))
    catalog, namespace = catalog_and_namespace(b, parts, b.position(node))
    return catalog.name, namespace


@converts(exp.Drop, reads="tables kind exists cascade restrict purge")
def _drop(b: Binder, node: exp.Drop) -> s.Statement:
    kind = str(node.args.get("kind") or "").upper()
    named = node.args.get("tables") or []
    if len(named) != 1:
        raise NotSupported("DROP takes one name", position=b.position(node))
    position = b.position(named[0])
    if_exists = bool(node.args.get("exists"))
    if kind == "SCHEMA":
        catalog, namespace = _schema_name(b, named[0])
        return s.DropSchema(catalog, namespace, if_exists, bool(node.args.get("cascade")))
    if kind != "TABLE" or node.args.get("cascade") or node.args.get("restrict"):
        raise NotSupported(f"DROP {kind} is not supported here", position=b.position(node))
    owner, written, name = split_table_name(b, _table_parts(b, named[0]), position)
    try:
        table = owner.find_table_name(written, name.folded, visible=visible_in(b, owner))
    except NotFound as error:
        if not if_exists:
            error.position = error.position or position
            raise
        table = TableName(owner.name, written, name.folded)
    return s.DropTable(table, if_exists, bool(node.args.get("purge")))


def _table_parts(b: Binder, node: exp.Expr) -> list[Name]:
    if not isinstance(node, exp.Table):
        raise NotSupported("this is not a table's name", position=b.position(node))
    check_arguments(node, {"this", "db", "catalog", "alias"}, b.text)
    return table_parts(b, node)


# Tables --------------------------------------------------------------------------------------------------


def _create_table(b: Binder, node: exp.Create) -> s.Statement:
    schema = node.this
    definitions: Sequence[exp.Expr] = ()
    if isinstance(schema, exp.Schema):
        check_arguments(schema, {"this", "expressions"}, b.text)
        definitions, schema = schema.expressions, schema.this
    table = _new_table(b, schema)
    query = node.args.get("expression")
    options = _Options()
    for item in _properties(node):
        _read_option(b, item, options)
    source: Relation | None = None
    if query is not None:
        source = bind_query(b, query)
        source = _named_source(b, source, definitions, node)
        if options.with_no_data:
            from sqe.tree.relations import Limit

            source = Limit(source.fields, source, 0)
        columns = tuple(s.ColumnDefinition(f.name, _storable(b, f.type, f.name, node)) for f in source.fields)
        source = cast_relation(b, source, [c.type for c in columns])
    else:
        columns = tuple(_column_definition(b, d) for d in definitions)
        if not columns:
            raise UserError("the table needs columns", code="SYNTAX_ERROR", position=b.position(node))
    _refuse_duplicates(b, [c.name for c in columns], node)
    for partition in options.partitioning:
        if partition.column not in {c.name for c in columns}:
            raise NotFound(
                f"partitioning column '{partition.column}' does not exist",
                code="COLUMN_NOT_FOUND",
                position=b.position(node),
                hint=nearest(partition.column, [c.name for c in columns]),
            )
    return s.CreateTable(
        table,
        columns,
        tuple(options.partitioning),
        tuple(options.properties.items()),
        options.comment,
        options.location,
        bool(node.args.get("exists")),
        bool(node.args.get("replace")),
        source,
    )


def _new_table(b: Binder, node: exp.Expr) -> TableName:
    """The name of a table that may not exist yet: exactly as folded, whatever else differs only in case."""
    position = b.position(node)
    catalog, namespace, name = split_table_name(b, _table_parts(b, node), position)
    try:
        found = catalog.find_namespace(namespace)
    except SqeError as error:
        error.position = error.position or position
        raise
    if "$" in name.folded:
        raise UserError("a table's name cannot contain $", code="INVALID_ARGUMENTS", position=position)
    return TableName(catalog.name, found, name.folded)


def _named_source(b: Binder, source: Relation, definitions: Sequence[exp.Expr], node: exp.Create) -> Relation:
    names = [f.name for f in source.fields]
    if definitions:
        if not all(isinstance(d, exp.Identifier) for d in definitions):
            raise UserError(
                "CREATE TABLE AS takes column names without types",
                code="SYNTAX_ERROR",
                position=b.position(node),
            )
        if len(definitions) != len(names):
            raise UserError(
                f"the column list has {len(definitions)} names for {len(names)} columns",
                code="MISMATCHED_COLUMN_ALIASES",
                position=b.position(definitions[0]),
            )
        names = [name_of(d).folded for d in definitions]
    else:
        for index, name in enumerate(names):
            if re.fullmatch(r"_col\d+", name):
                raise UserError(
                    f"column {index + 1} of CREATE TABLE AS has no name",
                    code="MISSING_COLUMN_NAME",
                    position=b.position(node),
                    hint="give it an alias",
                )
    fields = tuple(b.fresh(n, f.type) for n, f in zip(names, source.fields, strict=True))
    return Project(fields, source, tuple(Ref(f.type, f) for f in source.fields))


def _storable(b: Binder, source: t.Type, name: str, node: exp.Expr) -> t.Type:
    """The type that a column made from a query gets, as Trino's Iceberg connector chooses it."""
    if source == t.UNKNOWN:
        raise UserError(
            f"column '{name}' has no type: it is always NULL",
            code="NOT_SUPPORTED",
            position=b.position(node),
            hint="add a CAST",
        )
    if source in (t.TINYINT, t.SMALLINT):
        return t.INTEGER
    if t.is_text(source) or source == t.JSON:
        return t.VARCHAR
    if isinstance(source, t.Timestamp):
        return t.Timestamp(6)
    if isinstance(source, t.TimestampTz):
        return t.TimestampTz(6)
    if isinstance(source, t.Time):
        raise NotSupported(
            f"column '{name}': Spark cannot read or write {source} columns", position=b.position(node)
        )
    if isinstance(source, t.Array):
        return t.Array(_storable(b, source.element, name, node))
    if isinstance(source, t.Map):
        return t.Map(_storable(b, source.key, name, node), _storable(b, source.value, name, node))
    if isinstance(source, t.Row):
        return t.Row(
            tuple(
                t.RowField(f.name or f"field{i}", _storable(b, f.type, name, node))
                for i, f in enumerate(source.fields)
            )
        )
    if t.is_interval(source):
        raise NotSupported(f"column '{name}': a table cannot store {source}", position=b.position(node))
    return source


def _column_definition(b: Binder, node: exp.Expr) -> s.ColumnDefinition:
    if not isinstance(node, exp.ColumnDef):
        raise NotSupported("this is not a column's definition", position=b.position(node))
    check_arguments(node, {"this", "kind", "constraints"}, b.text)
    kind = node.args.get("kind")
    if kind is None:
        raise UserError("the column's type is missing", code="SYNTAX_ERROR", position=b.position(node))
    nullable, comment = True, None
    for constraint in node.args.get("constraints") or ():
        check_arguments(constraint, {"kind"}, b.text)
        rule = constraint.args["kind"]
        if isinstance(rule, exp.NotNullColumnConstraint):
            nullable = bool(rule.args.get("allow_null"))
        elif isinstance(rule, exp.CommentColumnConstraint):
            comment = rule.this.name
        else:
            raise NotSupported(
                f"the column option {type(rule).__name__} is not supported", position=b.position(node)
            )
    column = _storable(b, bind_type(kind, b.text), node.name, node)
    return s.ColumnDefinition(name_of(node.this).folded, column, nullable, comment)


def _refuse_duplicates(b: Binder, names: Sequence[str], node: exp.Expr) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise UserError(
                f"column '{name}' is given twice", code="DUPLICATE_COLUMN_NAME", position=b.position(node)
            )
        seen.add(name.lower())


class _Options:
    """What WITH (...), PARTITIONED BY, COMMENT, LOCATION and TBLPROPERTIES say."""

    def __init__(self) -> None:
        self.partitioning: list[s.PartitionField] = []
        self.properties: dict[str, str] = {}
        self.comment: str | None = None
        self.location: str | None = None
        self.with_no_data = False


def _properties(node: exp.Create) -> list[exp.Expr]:
    properties = node.args.get("properties")
    return list(properties.expressions) if properties is not None else []


def _read_option(b: Binder, node: exp.Expr, options: _Options) -> None:
    position = b.position(node)
    if isinstance(node, exp.SchemaCommentProperty):
        options.comment = node.this.name
    elif isinstance(node, exp.LocationProperty):
        options.location = node.this.name
    elif isinstance(node, exp.PartitionedByProperty):
        fields = node.this.expressions if isinstance(node.this, (exp.Schema, exp.Tuple)) else [node.this]
        options.partitioning += [_partition_syntax(b, f) for f in fields]
    elif isinstance(node, exp.WithDataProperty):
        check_arguments(node, {"no"}, b.text)
        options.with_no_data = bool(node.args.get("no"))
    elif isinstance(node, exp.FileFormatProperty):
        _set_format(options, node.this.name, position)
    elif isinstance(node, exp.Property):
        _read_property(b, node, options, position)
    else:
        raise NotSupported(
            f"the table option {type(node).__name__.removesuffix('Property')} is not supported",
            position=position,
        )


def _read_property(b: Binder, node: exp.Property, options: _Options, position: Position | None) -> None:
    key, value = node.this, node.args.get("value")
    name = key.name
    quoted = isinstance(key, exp.Literal)
    if not quoted and name.lower() == "partitioning":
        if not isinstance(value, exp.Array):
            raise InvalidArgument("partitioning is ARRAY['day(ts)', ...]", position=position)
        options.partitioning += [_partition_text(e.name, b.position(e)) for e in value.expressions]
        return
    if not isinstance(value, (exp.Literal, exp.Boolean)):
        raise InvalidArgument(f"the property {name} takes a constant", position=position)
    text = value.name if isinstance(value, exp.Literal) else str(bool(value.this)).lower()
    if quoted or "." in name or "-" in name:
        options.properties[name] = text
    elif name.lower() == "format":
        _set_format(options, text, position)
    elif name.lower() == "format_version":
        if text not in ("1", "2", "3"):
            raise InvalidArgument("format_version is 1, 2 or 3", position=position)
        options.properties["format-version"] = text
    elif name.lower() == "location":
        options.location = text
    else:
        known = ["partitioning", "format", "format_version", "location"]
        raise InvalidArgument(
            f"the table property '{name}' does not exist",
            code="INVALID_TABLE_PROPERTY",
            position=position,
            hint=nearest(name, known) or "Iceberg's own properties are written in quotes, in TBLPROPERTIES",
        )


def _set_format(options: _Options, text: str, position: Position | None) -> None:
    if text.upper() not in ("PARQUET", "ORC", "AVRO"):
        raise InvalidArgument("format is PARQUET, ORC or AVRO", position=position)
    options.properties["write.format.default"] = text.lower()


_TRANSFORM = re.compile(r'\s*(?:(\w+)\s*\(\s*("?)([^",()]+)\2\s*(?:,\s*(\d+)\s*)?\)|("?)([^"()]+)\5)\s*$')
_TRANSFORMS = {
    "year": "year", "years": "year", "month": "month", "months": "month", "day": "day", "days": "day",
    "date": "day", "hour": "hour", "hours": "hour", "bucket": "bucket", "truncate": "truncate",
    "identity": "identity",
}  # fmt: skip


def _partition_text(text: str, position: Position | None) -> s.PartitionField:
    """Trino's spelling: 'day(ts)', 'bucket(id, 4)', 'region'."""
    match = _TRANSFORM.match(text)
    if not match:
        raise InvalidArgument(f"'{text}' is not a partitioning", position=position)
    if match[6]:
        return s.PartitionField("identity", _fold(match[6].strip(), match[5]))
    number = int(match[4]) if match[4] else None
    return _partition(match[1], _fold(match[3].strip(), match[2]), number, position)


def _fold(name: str, quote: str) -> str:
    return name if quote else name.lower()


def _partition_syntax(b: Binder, node: exp.Expr) -> s.PartitionField:
    """Spark's spelling: bucket(4, id), days(ts), region."""
    position = b.position(node)
    if isinstance(node, (exp.Identifier, exp.Column)):
        return s.PartitionField(
            "identity", name_of(node.this if isinstance(node, exp.Column) else node).folded
        )
    if isinstance(node, (exp.PartitionedByBucket, exp.PartitionByTruncate)):
        arguments = [node.this, node.expression]
        word = "bucket" if isinstance(node, exp.PartitionedByBucket) else "truncate"
    elif isinstance(node, exp.Anonymous):
        arguments, word = list(node.expressions), node.name
    else:
        raise InvalidArgument("this is not a partitioning", position=position)
    columns = [a for a in arguments if isinstance(a, (exp.Column, exp.Identifier))]
    numbers = [a for a in arguments if isinstance(a, exp.Literal) and not a.is_string and a.this.isdigit()]
    if len(columns) != 1 or len(columns) + len(numbers) != len(arguments):
        raise InvalidArgument("this is not a partitioning", position=position)
    column = name_of(columns[0].this if isinstance(columns[0], exp.Column) else columns[0]).folded
    return _partition(word, column, int(numbers[0].this) if numbers else None, position)


def _partition(word: str, column: str, number: int | None, position: Position | None) -> s.PartitionField:
    transform = _TRANSFORMS.get(word.lower())
    if transform is None:
        raise InvalidArgument(
            f"the partition transform '{word}' does not exist",
            position=position,
            hint=nearest(word, _TRANSFORMS),
        )
    if (transform in ("bucket", "truncate")) != (number is not None) or number == 0:
        raise InvalidArgument(
            f"{transform} is written {transform}(4, column) or '{transform}(column, 4)'"
            if transform in ("bucket", "truncate")
            else f"{transform} takes a column",
            position=position,
        )
    return s.PartitionField(transform, column, number)


# Writes ---------------------------------------------------------------------------------------------------


def _target(b: Binder, node: exp.Expr) -> tuple[s.Target, Table, tuple[str, ...]]:
    """The written table, and the name that its columns can be qualified with."""
    parts = _table_parts(b, node)
    table = find_table(b, parts, b.position(node))
    if b.decide(table.name).restricts:
        # Before anything is said of its columns; policy.secure refuses it again.
        raise write_denied(table.name)
    fields = tuple(b.fresh(c.name, c.type) for c in table.columns)
    alias = node.args.get("alias")
    if alias is not None:
        check_arguments(alias, {"this"}, b.text)
        qualifier: tuple[str, ...] = (name_of(alias.this).folded,)
    else:
        qualifier = (table.name.catalog, *table.name.namespace, table.name.name)
    return s.Target(table.name, fields, tuple(c.name for c in table.columns)), table, qualifier


def _stored_column(b: Binder, table: Table, node: exp.Expr) -> int:
    name = name_of(node.this if isinstance(node, exp.Column) else node)
    found = matches(name.folded, [(c.name, i) for i, c in enumerate(table.columns)])
    if not found:
        raise NotFound(
            f"column '{name}' does not exist in '{table.name}'",
            code="COLUMN_NOT_FOUND",
            position=b.position(node),
            hint=nearest(name.folded, [c.name for c in table.columns]),
        )
    if len(found) > 1:
        raise UserError(
            f"column '{name}' is ambiguous", code="AMBIGUOUS_NAME", position=b.position(node), hint="quote it"
        )
    return found[0]


def _assign(b: Binder, value: Expression, column: Column, node: exp.Expr) -> Expression:
    """A value as its column stores it: what Trino coerces in an assignment."""
    if value.type == t.UNKNOWN:
        if not column.nullable:
            raise UserError(
                f"column '{column.name}' is NOT NULL", code="CONSTRAINT_VIOLATION", position=b.position(node)
            )
        return Literal(column.type, None)
    if not assignable(value.type, column.type):
        raise TypeMismatch(
            f"column '{column.name}' is {column.type}, the value is {value.type}",
            position=b.position(node),
            hint="add a CAST",
        )
    return coerce(value, column.type)


def assignable(source: t.Type, target: t.Type) -> bool:
    if t.coerces(source, target):
        return True
    if t.is_text(source) and isinstance(target, t.Varchar):
        return True
    if isinstance(source, (t.Timestamp, t.TimestampTz, t.Time)) and type(source) is type(target):
        return True
    if isinstance(source, t.Array) and isinstance(target, t.Array):
        return assignable(source.element, target.element)
    if isinstance(source, t.Map) and isinstance(target, t.Map):
        return assignable(source.key, target.key) and assignable(source.value, target.value)
    if isinstance(source, t.Row) and isinstance(target, t.Row) and len(source.fields) == len(target.fields):
        return all(assignable(x.type, y.type) for x, y in zip(source.fields, target.fields, strict=True))
    return False


@converts(exp.Insert, reads="this expression")
def _insert(b: Binder, node: exp.Insert) -> s.Statement:
    named = node.this
    listed: Sequence[exp.Expr] | None = None
    if isinstance(named, exp.Schema):
        check_arguments(named, {"this", "expressions"}, b.text)
        listed, named = named.expressions, named.this
    target, table, _ = _target(b, named)
    indexes = (
        [_stored_column(b, table, c) for c in listed]
        if listed is not None
        else list(range(len(table.columns)))
    )
    if len(set(indexes)) != len(indexes):
        raise UserError("a column is named twice", code="DUPLICATE_COLUMN_NAME", position=b.position(node))
    query = node.args.get("expression")
    if query is None:
        raise NotSupported("INSERT takes VALUES or a query", position=b.position(node))
    source = bind_query(b, query)
    if len(source.fields) != len(indexes):
        raise TypeMismatch(
            f"INSERT has {len(source.fields)} values for {len(indexes)} columns", position=b.position(query)
        )
    for column in (c for i, c in enumerate(table.columns) if i not in indexes):
        if not column.nullable:
            raise UserError(
                f"column '{column.name}' is NOT NULL and gets no value",
                code="CONSTRAINT_VIOLATION",
                position=b.position(node),
            )
    expressions, fields = [], []
    for index, f in zip(indexes, source.fields, strict=True):
        column = table.columns[index]
        expressions.append(_assign(b, Ref(f.type, f), column, query))
        fields.append(b.fresh(column.name, column.type))
    relation = Project(tuple(fields), source, tuple(expressions))
    return s.Insert(target, tuple(table.columns[i].name for i in indexes), relation)


@converts(exp.Update, reads="this expressions where")
def _update(b: Binder, node: exp.Update) -> s.Statement:
    target, table, qualifier = _target(b, node.this)
    scope = Scope(tuple(Visible(qualifier, f) for f in target.fields))
    assignments = _assignments(b, node.expressions, table, scope)
    return s.Update(target, assignments, _where(b, node, scope))


def _where(b: Binder, node: exp.Expr, scope: Scope) -> Expression | None:
    where = node.args.get("where")
    if where is None:
        return None
    condition = bind_condition(b, where.this, scope, "WHERE")
    refuse_calls(b, condition, where, "WHERE")
    return condition


def _assignments(
    b: Binder, nodes: Sequence[exp.Expr], table: Table, scope: Scope
) -> tuple[s.Assignment, ...]:
    assignments: list[s.Assignment] = []
    for item in nodes:
        if not isinstance(item, exp.EQ) or not isinstance(item.this, (exp.Column, exp.Identifier)):
            raise NotSupported("SET takes column = value", position=b.position(item))
        column = table.columns[_stored_column(b, table, item.this)]
        if any(a.column == column.name for a in assignments):
            raise UserError(
                f"column '{column.name}' is set twice",
                code="DUPLICATE_COLUMN_NAME",
                position=b.position(item),
            )
        value = bind_expression(b, item.expression, scope)
        refuse_calls(b, value, item, "SET")
        assignments.append(s.Assignment(column.name, _assign(b, value, column, item.expression)))
    return tuple(assignments)


@converts(exp.Delete, reads="this where")
def _delete(b: Binder, node: exp.Delete) -> s.Statement:
    target, _, qualifier = _target(b, node.this)
    scope = Scope(tuple(Visible(qualifier, f) for f in target.fields))
    return s.Delete(target, _where(b, node, scope))


@converts(exp.TruncateTable, reads="expressions")
def _truncate(b: Binder, node: exp.TruncateTable) -> s.Statement:
    if len(node.expressions) != 1:
        raise NotSupported("TRUNCATE takes one table", position=b.position(node))
    target, _, _ = _target(b, node.expressions[0])
    return s.Delete(target, truncate=True)


@converts(exp.Merge, reads="this using on whens")
def _merge(b: Binder, node: exp.Merge) -> s.Statement:
    target, table, qualifier = _target(b, node.this)
    source, columns = bind_from(b, node.args["using"], Scope())
    target_columns = tuple(Visible(qualifier, f) for f in target.fields)
    both = Scope((*target_columns, *columns))
    condition = bind_condition(b, node.args["on"], both, "the condition of MERGE")
    refuse_calls(b, condition, node, "the condition of MERGE")
    clauses = []
    for when in node.args["whens"].expressions:
        check_arguments(when, {"matched", "condition", "then"}, b.text)
        matched = bool(when.args.get("matched"))
        scope = both if matched else Scope(tuple(columns))
        extra = when.args.get("condition")
        restriction = bind_condition(b, extra, scope, "the condition of WHEN") if extra is not None else None
        clauses.append(_merge_clause(b, when.args["then"], matched, restriction, table, scope))
    return s.Merge(target, source, condition, tuple(clauses))


def _merge_clause(
    b: Binder, node: exp.Expr, matched: bool, condition: Expression | None, table: Table, scope: Scope
) -> s.MergeClause:
    if matched and isinstance(node, exp.Update):
        check_arguments(node, {"expressions"}, b.text)
        return s.MergeClause(True, "update", _assignments(b, node.expressions, table, scope), condition)
    if matched and isinstance(node, exp.Var) and node.name.upper() == "DELETE":
        return s.MergeClause(True, "delete", (), condition)
    if not matched and isinstance(node, exp.Insert):
        check_arguments(node, {"this", "expression"}, b.text)
        listed = node.this.expressions if isinstance(node.this, exp.Tuple) else None
        if node.this is not None and listed is None:
            raise NotSupported("INSERT * is not supported in MERGE", position=b.position(node))
        values = node.expression.expressions if isinstance(node.expression, exp.Tuple) else [node.expression]
        indexes = (
            [_stored_column(b, table, c) for c in listed]
            if listed is not None
            else list(range(len(table.columns)))
        )
        if len(indexes) != len(values):
            raise TypeMismatch(
                f"INSERT has {len(values)} values for {len(indexes)} columns", position=b.position(node)
            )
        assignments = []
        for index, value in zip(indexes, values, strict=True):
            column = table.columns[index]
            bound = bind_expression(b, value, scope)
            refuse_calls(b, bound, value, "MERGE")
            assignments.append(s.Assignment(column.name, _assign(b, bound, column, value)))
        return s.MergeClause(False, "insert", tuple(assignments), condition)
    raise NotSupported("this action is not possible in that WHEN clause", position=b.position(node))


# Session ---------------------------------------------------------------------------------------------------


@converts(exp.Use, reads="this")
def _use(b: Binder, node: exp.Use) -> s.Statement:
    position = b.position(node)
    parts = _table_parts(b, node.this)
    try:
        if len(parts) == 1:
            current = b.catalogs.get(b.session.catalog)
            try:
                return s.Use(current.name, current.find_namespace((parts[0].folded,)))
            except NotFound:
                # USE catalog, as Spark and the shell's users write it.
                if parts[0].folded.lower() in (c.lower() for c in b.catalogs.names()):
                    return s.Use(b.catalogs.get(parts[0].folded).name, ("default",))
                raise
        catalog, written = catalog_and_namespace(b, parts, position)
        return s.Use(catalog.name, catalog.find_namespace(written))
    except SqeError as error:
        error.position = error.position or position
        raise


@converts(exp.Set, reads="expressions")
def _set(b: Binder, node: exp.Set) -> s.Statement:
    if len(node.expressions) != 1:
        raise NotSupported("SET SESSION takes one property", position=b.position(node))
    item = node.expressions[0]
    check_arguments(item, {"this", "kind"}, b.text)
    if str(item.args.get("kind") or "").upper() != "SESSION" or not isinstance(item.this, exp.EQ):
        raise NotSupported(
            "only SET SESSION property = value exists",
            position=b.position(node),
            hint="engine settings come from the configuration",
        )
    key, value = item.this.this, item.this.expression
    name = ".".join(p.name for p in key.parts).lower() if isinstance(key, exp.Column) else key.name.lower()
    allowed = SESSION_PROPERTIES.get(name)
    if allowed is None:
        raise NotFound(
            f"session property '{name}' does not exist",
            code="INVALID_SESSION_PROPERTY",
            position=b.position(node),
            hint=nearest(name, SESSION_PROPERTIES),
        )
    if not (isinstance(value, exp.Literal) and value.is_string and value.this in allowed):
        raise InvalidArgument(
            f"{name} is one of " + ", ".join(f"'{a}'" for a in allowed),
            code="INVALID_SESSION_PROPERTY",
            position=b.position(node),
        )
    return s.SetSession(name, value.this)
