"""What other systems call a request is kept if it is an id, and ignored if it is not."""

from __future__ import annotations

import pytest

from sqe.observe.request_ids import NO_IDS, RequestIds, request_ids

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_both_are_kept() -> None:
    ids = request_ids({"x-request-id": "7f3c:a/b", "traceparent": TRACE, "other": "x"})
    assert ids == RequestIds("7f3c:a/b", TRACE)
    assert ids.shown() == {"request_id": "7f3c:a/b", "traceparent": TRACE}


def test_either_may_be_missing() -> None:
    assert request_ids({}) == NO_IDS and NO_IDS.shown() == {}
    assert request_ids({"traceparent": TRACE}).shown() == {"traceparent": TRACE}


@pytest.mark.parametrize("text", ["", " ", "a b", "x" * 129, "a\nb", "é", "a\x7f"])
def test_what_is_no_request_id(text: str) -> None:
    assert request_ids({"x-request-id": text}) == NO_IDS


@pytest.mark.parametrize(
    "text",
    [
        "",
        TRACE.upper(),
        TRACE[:-1],
        TRACE + "0",
        TRACE + "-more",
        TRACE.replace("00-", "ff-", 1),
        TRACE.replace("0af7651916cd43dd8448eb211c80319c", "0" * 32),
        TRACE.replace("b7ad6b7169203331", "0" * 16),
        TRACE.replace("-", "_"),
        TRACE + "\n",
    ],
)
def test_what_is_no_traceparent(text: str) -> None:
    assert request_ids({"traceparent": text}) == NO_IDS


def test_later_versions_may_say_more() -> None:
    later = TRACE.replace("00-", "01-", 1) + "-more"
    assert request_ids({"traceparent": later}).traceparent == later
