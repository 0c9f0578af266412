"""CREATE and DROP of schemas and empty tables: changes of metadata alone, made without an engine."""

from __future__ import annotations

from sqe.catalog.catalogs import Catalogs
from sqe.errors import AlreadyExists, InternalError, NotFound
from sqe.tree.statements import CreateSchema, CreateTable, DropSchema, DropTable, Statement


def execute(statement: Statement, catalogs: Catalogs) -> str:
    """Does what the statement says, and returns its kind, e.g. "CREATE TABLE"."""
    match statement:
        case CreateSchema():
            return create_schema(statement, catalogs)
        case DropSchema():
            return drop_schema(statement, catalogs)
        case CreateTable(source=None):
            return create_table(statement, catalogs)
        case DropTable():
            return drop_table(statement, catalogs)
    raise InternalError(f"not a change of metadata alone: {type(statement).__name__}")


def create_schema(statement: CreateSchema, catalogs: Catalogs) -> str:
    try:
        catalogs.get(statement.catalog).create_namespace(statement.namespace, location=statement.location)
    except AlreadyExists:
        if not statement.if_not_exists:
            raise
    return "CREATE SCHEMA"


def drop_schema(statement: DropSchema, catalogs: Catalogs) -> str:
    try:
        catalogs.get(statement.catalog).drop_namespace(statement.namespace, cascade=statement.cascade)
    except NotFound as error:
        if not _forgiven(error, statement.if_exists):
            raise
    return "DROP SCHEMA"


def create_table(statement: CreateTable, catalogs: Catalogs) -> str:
    try:
        catalogs.get(statement.table.catalog).create_table(statement)
    except AlreadyExists:
        if not statement.if_not_exists:
            raise
    return "CREATE TABLE"


def drop_table(statement: DropTable, catalogs: Catalogs) -> str:
    table = statement.table
    if statement.absent:
        return "DROP TABLE"
    try:
        catalogs.get(table.catalog).drop_table(table.namespace, table.name, purge=statement.purge)
    except NotFound as error:
        if not _forgiven(error, statement.if_exists):
            raise
    return "DROP TABLE"


def _forgiven(error: NotFound, if_exists: bool) -> bool:
    # IF EXISTS is about the schema or the table; a catalog that is not mounted is a mistake.
    return if_exists and error.code in ("SCHEMA_NOT_FOUND", "TABLE_NOT_FOUND")
