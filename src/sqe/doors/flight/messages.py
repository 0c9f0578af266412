"""Commands and tickets, each one of a closed set of messages in an Any."""

from __future__ import annotations

from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError

from sqe.doors.flight import flight_sql_pb2
from sqe.errors import InvalidArgument

_PREFIX = "type.googleapis.com/"
_KNOWN = {
    f"{_PREFIX}{message.full_name}": getattr(flight_sql_pb2, name)
    for name, message in flight_sql_pb2.DESCRIPTOR.message_types_by_name.items()
}


def pack(message: Any) -> bytes:
    wrapper = AnyMessage()
    wrapper.Pack(message)
    return bytes(wrapper.SerializeToString())


def unpack(data: bytes) -> Any:
    """The message that an Any holds."""
    wrapped = AnyMessage()
    try:
        wrapped.ParseFromString(data)
        kind = _KNOWN.get(wrapped.type_url)
        if kind is None:
            raise InvalidArgument("the command is none of Flight SQL's", code="INVALID_COMMAND")
        return read(kind, wrapped.value)
    except (DecodeError, RuntimeError, UnicodeDecodeError):
        raise InvalidArgument("the command cannot be read", code="INVALID_COMMAND") from None


def read(kind: Any, data: bytes) -> Any:
    try:
        return kind.FromString(data)
    except (DecodeError, RuntimeError, UnicodeDecodeError):
        raise InvalidArgument("the command cannot be read", code="INVALID_COMMAND") from None
