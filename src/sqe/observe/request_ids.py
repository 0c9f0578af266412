"""What other systems call the request that a statement came with."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqe.foundation.record import record

REQUEST_ID = "x-request-id"
TRACEPARENT = "traceparent"
# What is no id is ignored: whoever sends it must not write lines of our log.
_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,128}")
# https://www.w3.org/TR/trace-context/: later versions may have more after another dash.
_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{0,64})?")


@record
class RequestIds:
    """`request_id` is the client's own, `traceparent` that of W3C's trace context."""

    request_id: str | None = None
    traceparent: str | None = None

    def shown(self) -> dict[str, object]:
        """Those that there are, for events and lines of the log."""
        ids = {"request_id": self.request_id, "traceparent": self.traceparent}
        return {name: value for name, value in ids.items() if value is not None}


NO_IDS = RequestIds()


def request_ids(headers: Mapping[str, str]) -> RequestIds:
    """From headers by their names in lower case, as any door has them."""
    request_id, traceparent = headers.get(REQUEST_ID), headers.get(TRACEPARENT)
    if request_id is not None and not _REQUEST_ID.fullmatch(request_id):
        request_id = None
    if traceparent is not None and not _is_traceparent(traceparent):
        traceparent = None
    return RequestIds(request_id, traceparent) if request_id or traceparent else NO_IDS


def _is_traceparent(text: str) -> bool:
    match = _TRACEPARENT.fullmatch(text)
    if match is None:
        return False
    version, trace, span, more = match.groups()
    if version == "ff" or (version == "00" and more is not None):
        return False
    return set(trace) != {"0"} and set(span) != {"0"}
