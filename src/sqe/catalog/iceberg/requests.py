"""Requests of the Iceberg REST protocol as JSON that metadata can be made of."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from sqe.catalog.iceberg.strict import InvalidCommit


def read_object(content: bytes) -> dict[str, Any]:
    """Without NaN, infinities and half characters, which other readers of metadata refuse."""
    try:
        body = json.loads(content, parse_constant=_refuse)
        json.dumps(body, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise InvalidCommit("the request is not JSON") from None
    if not isinstance(body, dict):
        raise InvalidCommit("the request is not a JSON object")
    return body


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
