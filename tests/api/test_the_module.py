"""What `import sqe` has, and what it costs."""

from __future__ import annotations

import datetime as dt
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import sqe
from sqe import errors

EXACT = [
    sqe.InterfaceError,
    sqe.DataError,
    sqe.OperationalError,
    sqe.IntegrityError,
    sqe.InternalError,
    sqe.ProgrammingError,
    sqe.NotSupportedError,
]


def test_it_says_what_it_is() -> None:
    assert (sqe.apilevel, sqe.threadsafety, sqe.paramstyle) == ("2.0", 2, "qmark")


def test_importing_it_imports_no_engine() -> None:
    code = (
        "import sys, sqe; sqe.Error, sqe.apilevel, sqe.NUMBER, sqe.Timestamp\n"
        "print(sorted(m for m in sys.modules if m.partition('.')[0] in "
        "('sqlglot', 'pyarrow', 'pandas', 'numpy', 'pyspark', 'grpc', 'pyiceberg', 'sqlalchemy')))\n"
        "print(sorted(m for m in sys.modules if m.startswith('sqe')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(sqe.__file__).parent.parent)},
    )
    libraries, ours = done.stdout.splitlines()
    assert libraries == "[]"
    rooms = ["sqe", "sqe.api", "sqe.api.dbapi", "sqe.errors", "sqe.foundation"]
    assert ours == str([*rooms, "sqe.foundation.record", "sqe.foundation.version"])


def test_the_exceptions_are_those_of_pep_249() -> None:
    assert issubclass(sqe.Warning, Exception) and not issubclass(sqe.Warning, sqe.Error)
    assert sqe.InterfaceError.__bases__ == sqe.DatabaseError.__bases__ == (sqe.Error,)
    for kind in EXACT[1:]:
        assert kind.__bases__ == (sqe.DatabaseError,)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.SyntaxFault("x"), sqe.ProgrammingError),
        (errors.NotFound("x", code="COLUMN_NOT_FOUND"), sqe.ProgrammingError),
        (errors.AlreadyExists("x"), sqe.ProgrammingError),
        (errors.TypeMismatch("x"), sqe.ProgrammingError),
        (errors.InvalidArgument("x"), sqe.ProgrammingError),
        (errors.UserError("x"), sqe.ProgrammingError),
        (errors.UserError("x", code="AMBIGUOUS_NAME"), sqe.ProgrammingError),
        (errors.NotSupported("x"), sqe.NotSupportedError),
        (errors.UserError("x", code="DIVISION_BY_ZERO"), sqe.DataError),
        (errors.UserError("x", code="NUMERIC_VALUE_OUT_OF_RANGE"), sqe.DataError),
        (errors.UserError("x", code="INVALID_CAST_ARGUMENT"), sqe.DataError),
        (errors.UserError("x", code="INVALID_FUNCTION_ARGUMENT"), sqe.DataError),
        (errors.UserError("x", code="CONSTRAINT_VIOLATION"), sqe.IntegrityError),
        (errors.Cancelled("x"), sqe.OperationalError),
        (errors.AccessDenied("x"), sqe.OperationalError),
        (errors.ConfigError("x"), sqe.OperationalError),
        (errors.LimitExceeded("x"), sqe.OperationalError),
        (errors.Unavailable("x"), sqe.OperationalError),
        (errors.CommitConflict("x"), sqe.OperationalError),
        (errors.InternalError("x"), sqe.InternalError),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else value.code,
)
def test_each_error_is_one_of_them(error: sqe.Error, kind: type[sqe.Error]) -> None:
    assert [one for one in EXACT if isinstance(error, one)] == [kind]
    assert isinstance(error, sqe.SqeError)


def test_every_class_of_ours_has_one_class_of_pep_249() -> None:
    def below(kind: type[sqe.Error]) -> set[type[sqe.Error]]:
        return {kind}.union(*(below(child) for child in kind.__subclasses__()))

    ours = {kind for kind in below(sqe.Error) if kind.__module__.startswith("sqe.")}
    # A UserError is never of that class alone: its code chooses a finer one.
    for kind in ours - {sqe.Error, sqe.DatabaseError, errors.UserError}:
        assert len([one for one in EXACT if issubclass(kind, one)]) == 1, kind


def test_an_error_survives_pickling() -> None:
    error = errors.UserError("x", code="DIVISION_BY_ZERO", position=errors.Position(1, 2), hint="y")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.code, copy.position, copy.hint) == (
        type(error),
        "DIVISION_BY_ZERO",
        errors.Position(1, 2),
        "y",
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("varchar", sqe.STRING),
        ("varchar(3)", sqe.STRING),
        ("char(3)", sqe.STRING),
        ("json", sqe.STRING),
        ("varbinary", sqe.BINARY),
        ("integer", sqe.NUMBER),
        ("decimal(12,3)", sqe.NUMBER),
        ("double", sqe.NUMBER),
        ("date", sqe.DATETIME),
        ("time(3)", sqe.DATETIME),
        ("timestamp(6) with time zone", sqe.DATETIME),
        ("interval day to second", sqe.DATETIME),
    ],
)
def test_type_objects_are_equal_to_the_names_of_their_types(name: str, kind: object) -> None:
    objects = [sqe.STRING, sqe.BINARY, sqe.NUMBER, sqe.DATETIME, sqe.ROWID]
    assert [one for one in objects if one == name] == [kind]
    assert [one for one in objects if name == one] == [kind]
    assert [one for one in objects if name != one] == [one for one in objects if one is not kind]


@pytest.mark.parametrize(
    "name", ["boolean", "uuid", "array(integer)", "map(varchar, integer)", "row(a date)"]
)
def test_other_types_are_of_no_kind(name: str) -> None:
    assert name not in [sqe.STRING, sqe.BINARY, sqe.NUMBER, sqe.DATETIME, sqe.ROWID]


def test_constructors() -> None:
    assert sqe.Date(2002, 12, 25) == dt.date(2002, 12, 25)
    assert sqe.Time(13, 45, 30) == dt.time(13, 45, 30)
    assert sqe.Timestamp(2002, 12, 25, 13, 45, 30) == dt.datetime(2002, 12, 25, 13, 45, 30)
    assert sqe.Binary(b"x") == b"x"
    ticks = dt.datetime(2002, 12, 25, 13, 45, 30).timestamp()
    assert sqe.DateFromTicks(ticks) == dt.date(2002, 12, 25)
    assert sqe.TimeFromTicks(ticks) == dt.time(13, 45, 30)
    assert sqe.TimestampFromTicks(ticks) == dt.datetime(2002, 12, 25, 13, 45, 30)
