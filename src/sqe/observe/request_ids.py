"""What other systems call the request that a statement came with, and what its client says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqe.foundation.record import record

REQUEST_ID = "x-request-id"
TRACEPARENT = "traceparent"
# What is no id is ignored: whoever sends it must not write lines of our log.
_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,128}")
_LABELS = ("source", "client-info", "client-tags")
_LABEL = re.compile(r"[\x20-\x7e]{1,256}")
# https://www.w3.org/TR/trace-context/: later versions may have more after another dash.
_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{0,64})?")


@record
class RequestIds:
    """`request_id` is the client's own, `traceparent` that of W3C's trace context. `source`, `client_info`
    and `client_tags` are what Trino's clients say of themselves."""

    request_id: str | None = None
    traceparent: str | None = None
    source: str | None = None
    client_info: str | None = None
    client_tags: str | None = None

    def shown(self) -> dict[str, object]:
        """Those that there are, for events and lines of the log."""
        ids = {
            "request_id": self.request_id,
            "traceparent": self.traceparent,
            "source": self.source,
            "client_info": self.client_info,
            "client_tags": self.client_tags,
        }
        return {name: value for name, value in ids.items() if value is not None}


NO_IDS = RequestIds()


def request_ids(headers: Mapping[str, str]) -> RequestIds:
    """From headers by their names in lower case, as any door has them."""
    request_id, traceparent = headers.get(REQUEST_ID), headers.get(TRACEPARENT)
    if request_id is not None and not _REQUEST_ID.fullmatch(request_id):
        request_id = None
    if traceparent is not None and not _is_traceparent(traceparent):
        traceparent = None
    said = [_label(headers, name) for name in _LABELS]
    if not (request_id or traceparent or any(said)):
        return NO_IDS
    return RequestIds(request_id, traceparent, *said)


def _label(headers: Mapping[str, str], name: str) -> str | None:
    label = headers.get(f"x-trino-{name}") or headers.get(f"x-presto-{name}")
    return label if label is not None and _LABEL.fullmatch(label) else None


def _is_traceparent(text: str) -> bool:
    match = _TRACEPARENT.fullmatch(text)
    if match is None:
        return False
    version, trace, span, more = match.groups()
    if version == "ff" or (version == "00" and more is not None):
        return False
    return set(trace) != {"0"} and set(span) != {"0"}
