"""Options of a session: the catalog, the schema, and what SET SESSION sets. Text will do for all."""

from __future__ import annotations

from sqe.config.session_properties import PROPERTIES, value_of
from sqe.coordinator import Coordinator
from sqe.doors.flight.flight_pb2 import (
    GetSessionOptionsResult,
    SessionOptionValue,
    SetSessionOptionsRequest,
    SetSessionOptionsResult,
)
from sqe.errors import InvalidArgument, SqeError
from sqe.session import Session
from sqe.system.definitions import SYSTEM, schemas_of

MOST_OPTIONS = 1000
INVALID_NAME = SetSessionOptionsResult.INVALID_NAME
INVALID_VALUE = SetSessionOptionsResult.INVALID_VALUE


def set_options(
    request: SetSessionOptionsRequest, session: Session, coordinator: Coordinator
) -> SetSessionOptionsResult:
    """Each by itself: what cannot be set is said, and the others are."""
    if len(request.session_options) > MOST_OPTIONS:
        raise InvalidArgument(f"there are more than {MOST_OPTIONS} options", code="INVALID_COMMAND")
    answer = SetSessionOptionsResult()
    # The catalog first, since a schema is looked for in it.
    for name in sorted(request.session_options):
        problem = _set(name, _text(request.session_options[name]), session, coordinator)
        if problem is not None:
            answer.errors[name].value = problem
    return answer


def get_options(session: Session, coordinator: Coordinator) -> GetSessionOptionsResult:
    answer = GetSessionOptionsResult()
    answer.session_options["catalog"].string_value = session.catalog
    answer.session_options["schema"].string_value = ".".join(session.namespace)
    for name in PROPERTIES:
        answer.session_options[name].string_value = value_of(session, name, coordinator.config)
    return answer


def _set(name: str, value: str | None, session: Session, coordinator: Coordinator) -> int | None:
    fresh = coordinator.session(session.identity)
    try:
        if name == "catalog":
            session.catalog = fresh.catalog if value is None else _catalog(value, session, coordinator)
        elif name in ("schema", "db_schema"):
            session.namespace = fresh.namespace if value is None else _schema(value, session, coordinator)
        elif name not in PROPERTIES:
            return INVALID_NAME
        elif name == "time_zone_id":
            session.time_zone = fresh.time_zone if value is None else PROPERTIES[name].check(value)
        elif value is None:
            session.properties.pop(name, None)
        else:
            session.properties[name] = PROPERTIES[name].check(value)
    except (ValueError, SqeError):
        return INVALID_VALUE
    return None


def _catalog(value: str, session: Session, coordinator: Coordinator) -> str:
    return SYSTEM if value.lower() == SYSTEM else coordinator.catalogs_of(session).get(value).name


def _schema(value: str, session: Session, coordinator: Coordinator) -> tuple[str, ...]:
    # As USE does.
    if value.lower() in schemas_of(session.catalog):
        return (value.lower(),)
    return coordinator.catalogs_of(session).get(session.catalog).find_namespace(tuple(value.split(".")))


def _text(value: SessionOptionValue) -> str | None:
    """None erases."""
    match value.WhichOneof("option_value"):
        case None:
            return None
        case "bool_value":
            return "true" if value.bool_value else "false"
        case "string_list_value":
            return ",".join(value.string_list_value.values)
        case kind:
            return str(getattr(value, kind))
