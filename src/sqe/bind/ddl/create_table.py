"""CREATE TABLE, with columns or AS a query."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.ddl.table_options import TableOptions, copy_options, properties_of, read_option
from sqe.bind.names import name_of
from sqe.bind.query.queries import bind_query
from sqe.bind.query.subqueries import cast_relation
from sqe.bind.query.tables import find_table, plain_table_parts, split_table_name
from sqe.bind.types import bind_type, stored_type
from sqe.catalog.names import nearest
from sqe.errors import AccessDenied, NotFound, NotSupported, SqeError, UserError
from sqe.tree import statements as s
from sqe.tree.definitions import ColumnDefinition
from sqe.tree.expressions import GeneratedName, Ref
from sqe.tree.names import check_characters
from sqe.tree.relations import Project, Relation, TableName
from sqe.types import sql_types as t
from sqe.types.iceberg import INSTEAD


def create_table(b: Binder, node: exp.Create) -> s.Statement:
    schema = node.this
    definitions: Sequence[exp.Expr] = ()
    if isinstance(schema, exp.Schema):
        check_arguments(schema, {"this", "expressions"}, b.text)
        definitions, schema = schema.expressions, schema.this
    table = new_table_name(b, schema)
    query = node.args.get("expression")
    options = TableOptions()
    like: exp.Expr | None = None
    for item in properties_of(node):
        if isinstance(item, exp.LikeProperty):
            like = item
        else:
            read_option(b, item, options)
    source: Relation | None = None
    if query is not None:
        if like is not None:
            raise NotSupported("a table is made LIKE another or AS a query", position=b.position(like))
        source = bind_query(b, query)
        source = _named_source(b, source, definitions, node)
        if options.with_no_data:
            from sqe.tree.relations import Limit

            source = Limit(source.fields, source, 0)
        columns = tuple(ColumnDefinition(f.name, storable(b, f.type, f.name, node)) for f in source.fields)
        source = cast_relation(b, source, [c.type for c in columns])
    else:
        if options.with_data is not None:
            raise UserError(
                "WITH DATA belongs to CREATE TABLE AS",
                code="SYNTAX_ERROR",
                position=b.position(options.with_data),
            )
        if like is not None:
            if definitions:
                raise NotSupported("LIKE stands among the columns, or alone", position=b.position(like))
            definitions = (like,)
        columns = tuple(c for d in definitions for c in _definitions(b, d, options, alone=like is not None))
        if not columns:
            raise UserError("the table needs columns", code="SYNTAX_ERROR", position=b.position(node))
    refuse_duplicates(b, [c.name for c in columns], node)
    if query is not None and options.sort_order:
        raise NotSupported("CREATE TABLE AS with sorted_by is not supported yet", position=b.position(node))
    for partition in options.partitioning:
        # A field of a row is `column.field`; the catalog looks further.
        if not any(f"{partition.column}.".startswith(f"{c.name}.") for c in columns):
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
        tuple(options.sort_order),
    )


def new_table_name(b: Binder, node: exp.Expr) -> TableName:
    """The name of a table or view that may not exist yet: exactly as folded, whatever else differs only in
    case."""
    position = b.position(node)
    catalog, namespace, name = split_table_name(b, plain_table_parts(b, node), position)
    try:
        namespace = catalog.find_namespace(namespace)
    except SqeError as error:
        error.position = error.position or position
        raise
    if "$" in name.folded:
        raise UserError("a table's name cannot contain $", code="INVALID_ARGUMENTS", position=position)
    return TableName(catalog.name, namespace, name.folded)


def _definitions(
    b: Binder, node: exp.Expr, options: TableOptions, *, alone: bool
) -> tuple[ColumnDefinition, ...]:
    """One column, or those of LIKE."""
    if not isinstance(node, exp.LikeProperty):
        return (column_definition(b, node),)
    check_arguments(node, {"this", "expressions"}, b.text)
    other = find_table(b, plain_table_parts(b, node.this), b.position(node.this))
    columns = b.guard.columns(other, other.columns)
    # Trino's LIKE among the columns copies columns; LIKE instead of them copies the whole definition.
    with_properties = alone
    for item in node.expressions:
        if item.args["value"].name.upper() != "PROPERTIES":
            raise NotSupported("LIKE knows INCLUDING and EXCLUDING PROPERTIES", position=b.position(node))
        with_properties = str(item.this).upper() == "INCLUDING"
    if with_properties:
        if not b.guard.sees_all_of(other.name):
            # Properties and partitions may name columns that are hidden.
            raise AccessDenied(
                f"cannot copy the properties of '{other.name}'",
                position=b.position(node.this),
                hint="(LIKE ...) among the columns copies the columns alone",
            )
        copy_options(other, options)
    return tuple(ColumnDefinition(c.name, c.type, c.nullable, c.comment) for c in columns)


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
            if isinstance(name, GeneratedName):
                raise UserError(
                    f"column {index + 1} of CREATE TABLE AS has no name",
                    code="MISSING_COLUMN_NAME",
                    position=b.position(node),
                    hint="give it an alias",
                )
    fields = tuple(b.fresh(n, f.type) for n, f in zip(names, source.fields, strict=True))
    return Project(fields, source, tuple(Ref(f.type, f) for f in source.fields))


def storable(b: Binder, source: t.Type, name: str, node: exp.Expr) -> t.Type:
    """The type that a column of this name and type gets; what no table can keep is refused."""
    check_characters(name, "column", type_=source, position=b.position(node))
    _refuse_unstorable(b, source, name, node)
    return stored_type(source)


def _refuse_unstorable(b: Binder, source: t.Type, name: str, node: exp.Expr) -> None:
    match source:
        case t.UNKNOWN:
            raise UserError(
                f"column '{name}' has no type: it is always NULL",
                code="NOT_SUPPORTED",
                position=b.position(node),
                hint="add a CAST",
            )
        case t.Time():
            raise NotSupported(
                f"column '{name}': Spark cannot read or write {source} columns", position=b.position(node)
            )
        case t.Opaque():
            raise NotSupported(
                f"column '{name}': a table cannot store {source}",
                position=b.position(node),
                hint=INSTEAD[type(source)],
            )
        case t.Array(element):
            _refuse_unstorable(b, element, name, node)
        case t.Map(key, value):
            _refuse_unstorable(b, key, name, node)
            _refuse_unstorable(b, value, name, node)
        case t.Row(fields):
            for f in fields:
                _refuse_unstorable(b, f.type, name, node)
    if t.is_interval(source):
        raise NotSupported(f"column '{name}': a table cannot store {source}", position=b.position(node))


def column_definition(b: Binder, node: exp.Expr) -> ColumnDefinition:
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
    column = storable(b, bind_type(kind, b.text), node.name, node)
    return ColumnDefinition(name_of(node.this).folded, column, nullable, comment)


def refuse_duplicates(b: Binder, names: Sequence[str], node: exp.Expr) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise UserError(
                f"column '{name}' is given twice", code="DUPLICATE_COLUMN_NAME", position=b.position(node)
            )
        seen.add(name.lower())
