"""CREATE, DROP, ALTER and COMMENT: changes of metadata alone, without an engine."""

from __future__ import annotations

from sqe.catalog.catalogs import Catalogs
from sqe.catalog.iceberg.view import COMMENT, DEFINER, DIALECT, SECURITY, SPARK_DIALECT, ViewDefinition
from sqe.commands import owners
from sqe.commands.running import Statement
from sqe.commands.write_locks import write_lock
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.errors import AlreadyExists, InternalError, NotFound, SqeError
from sqe.tree.statements import (
    Alter,
    CreateSchema,
    CreateTable,
    CreateView,
    DropSchema,
    DropTable,
    DropView,
    Rename,
    RenameSchema,
)
from sqe.tree.statements import Statement as StatementTree

# How many of the files that PURGE leaves are named in the warning.
_MOST_NAMED = 10


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    tree, catalogs = plan.tree, coordinator.catalogs_of(statement.session)
    match tree:
        case CreateTable() if tree.source is not None:
            from sqe.commands import create_table_as

            create_table_as.execute(statement, plan, coordinator)
        case Alter() | Rename() | DropTable():
            # A row that is being written must not meet a column that became NOT NULL meanwhile.
            with write_lock(statement, coordinator, tree.table):
                _apply(statement, tree, coordinator, catalogs)
        case _:
            _apply(statement, tree, coordinator, catalogs)


def _apply(
    statement: Statement, tree: StatementTree, coordinator: Coordinator, catalogs: Catalogs
) -> None:
    # What is replaced keeps its past, and so its owner and its grants.
    replaced = _replaced(tree, catalogs)
    if change(tree, catalogs, statement.warnings) and not replaced:
        owners.changed(tree, statement.session.identity, coordinator)


def _replaced(tree: StatementTree, catalogs: Catalogs) -> bool:
    """Whether there is one already that a CREATE OR REPLACE takes the place of."""
    if not isinstance(tree, (CreateTable, CreateView)) or not tree.replace:
        return False
    name = tree.table if isinstance(tree, CreateTable) else tree.view
    catalog = catalogs.get(name.catalog)
    try:
        find = catalog.find_table_name if isinstance(tree, CreateTable) else catalog.find_view_name
        # Lookups forgive case; a new name is exact.
        return find(name.namespace, name.name) == name
    except NotFound:
        return False


def change(tree: StatementTree, catalogs: Catalogs, warnings: list[str]) -> bool:
    """Applies a definition; adds to `warnings`. False where IF NOT EXISTS found another's."""
    try:
        _change(tree, catalogs, warnings)
    except AlreadyExists:
        if isinstance(tree, (CreateSchema, CreateTable, CreateView)) and tree.if_not_exists:
            return False
        raise
    return True


def _change(tree: StatementTree, catalogs: Catalogs, warnings: list[str]) -> None:
    match tree:
        case CreateSchema():
            create_schema(tree, catalogs)
        case DropSchema():
            drop_schema(tree, catalogs)
        case CreateTable(source=None):
            create_table(tree, catalogs)
        case DropTable():
            drop_table(tree, catalogs, warnings)
        case CreateView():
            create_view(tree, catalogs)
        case DropView():
            drop_view(tree, catalogs)
        case Rename():
            rename(tree, catalogs)
        case RenameSchema():
            catalogs.get(tree.catalog).rename_namespace(tree.namespace, tree.to)
        case Alter():
            alter(tree, catalogs)
        case _:
            raise InternalError(f"not a change of metadata alone: {type(tree).__name__}")


def create_schema(statement: CreateSchema, catalogs: Catalogs) -> None:
    catalogs.get(statement.catalog).create_namespace(statement.namespace, location=statement.location)


def drop_schema(statement: DropSchema, catalogs: Catalogs) -> None:
    try:
        catalogs.get(statement.catalog).drop_namespace(statement.namespace, cascade=statement.cascade)
    except NotFound as error:
        if not _forgiven(error, statement.if_exists):
            raise


def create_table(statement: CreateTable, catalogs: Catalogs) -> None:
    catalogs.get(statement.table.catalog).create_table(statement)


def drop_table(statement: DropTable, catalogs: Catalogs, warnings: list[str]) -> None:
    table = statement.table
    if statement.absent:
        return
    try:
        leftovers = catalogs.get(table.catalog).drop_table(table.namespace, table.name, purge=statement.purge)
    except NotFound as error:
        if not _forgiven(error, statement.if_exists):
            raise
        return
    if leftovers:
        more = f" and {len(leftovers) - _MOST_NAMED} more" if len(leftovers) > _MOST_NAMED else ""
        warnings.append(
            f"{len(leftovers)} files that the metadata of '{table}' names are not in its own places and were "
            f"left: {', '.join(leftovers[:_MOST_NAMED])}{more}"
        )


def create_view(statement: CreateView, catalogs: Catalogs) -> None:
    texts = {DIALECT: statement.sql}
    # Imported here: most statements of this file do without a renderer.
    from sqe.commands.view_text import spark_text

    spark = spark_text(statement.query)
    if spark is not None:
        texts[SPARK_DIALECT] = spark
    properties = {SECURITY: statement.security, COMMENT: statement.comment}
    if statement.security == "DEFINER":
        properties[DEFINER] = statement.definer
    definition = ViewDefinition(
        statement.view,
        texts,
        statement.columns,
        statement.default_catalog,
        statement.default_namespace,
        {k: v for k, v in properties.items() if v is not None},
    )
    catalogs.get(statement.view.catalog).create_view(definition, replace=statement.replace)


def drop_view(statement: DropView, catalogs: Catalogs) -> None:
    view = statement.view
    if statement.absent:
        return
    try:
        catalogs.get(view.catalog).drop_view(view.namespace, view.name)
    except NotFound as error:
        if not _forgiven(error, statement.if_exists):
            raise


def rename(statement: Rename, catalogs: Catalogs) -> None:
    if statement.absent:
        return
    catalog = catalogs.get(statement.table.catalog)
    if statement.view:
        catalog.rename_view(statement.table, statement.to)
    else:
        catalog.rename_table(statement.table, statement.to)


def alter(statement: Alter, catalogs: Catalogs) -> None:
    if statement.absent:
        return
    catalog = catalogs.get(statement.table.catalog)
    try:
        if statement.view:
            catalog.alter_view(statement.table, statement.change)
        else:
            catalog.alter_table(statement.table, statement.change)
    except SqeError as error:
        error.position = error.position or statement.position
        raise


def _forgiven(error: NotFound, if_exists: bool) -> bool:
    # IF EXISTS is about the schema or the table; a catalog that is not mounted is a mistake.
    return if_exists and error.code in ("SCHEMA_NOT_FOUND", "TABLE_NOT_FOUND")
