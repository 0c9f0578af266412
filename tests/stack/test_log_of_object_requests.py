"""What MinIO says of a request becomes one line an object, without anything that is secret."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stack.access_log import lines_of, method_of


def entry(**api: Any) -> dict[str, Any]:
    """As MinIO's audit log has it."""
    return {
        "time": "2026-04-01T12:00:00Z",
        "trigger": "incoming",
        "api": {"bucket": "lake", "statusCode": 200, **api},
        "accessKey": "K1",
        "requestHeader": {"X-Amz-Security-Token": "secret"},
    }


def test_a_line_says_who_asked_for_what() -> None:
    (line,) = lines_of(entry(name="GetObject", object="sales/t/data/a.parquet"))
    assert json.loads(line) == {
        "time": "2026-04-01T12:00:00Z",
        "access_key": "K1",
        "operation": "GetObject",
        "method": "GET",
        "object": "lake/sales/t/data/a.parquet",
        "status": 200,
    }


def test_each_of_many_deleted_objects_has_a_line() -> None:
    many = entry(name="DeleteMultipleObjects", objects=[{"objectName": "a"}, {"objectName": "b"}])
    assert [json.loads(line)["object"] for line in lines_of(many)] == ["lake/a", "lake/b"]


@pytest.mark.parametrize(
    ("operation", "method"),
    [
        ("HeadObject", "HEAD"),
        ("ListObjectsV2", "GET"),
        ("PutObjectPart", "PUT"),
        ("CopyObject", "PUT"),
        ("DeleteObject", "DELETE"),
        ("DeleteMultipleObjects", "POST"),
        ("NewMultipartUpload", "POST"),
        ("AbortMultipartUpload", "DELETE"),
        ("AssumeRole", "POST"),
    ],
)
def test_the_method_follows_from_the_operation(operation: str, method: str) -> None:
    assert method_of(operation) == method
