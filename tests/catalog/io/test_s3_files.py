"""Files in a real S3 server behave as any other."""

from __future__ import annotations

import uuid

import pytest
from tests.catalog.io.file_system_conformance import FileSystemConformance
from tests.stack.lake import Lake

from sqe.catalog.io import file_system
from sqe.catalog.io.protocol import FileSystem
from sqe.catalog.io.storage import FixedStorage

pytestmark = pytest.mark.integration


def storage(lake: Lake, **keys: str) -> FixedStorage:
    facts = lake.servers["s3"].facts
    return FixedStorage(
        {
            "s3.endpoint": facts["url"],
            "client.region": facts["region"],
            "s3.path-style-access": "true",
            "sqe.s3-allow-http": "true",
            "s3.access-key-id": keys.get("access_key", facts["access_key"]),
            "s3.secret-access-key": keys.get("secret_key", facts["secret_key"]),
        }
    )


class TestS3Files(FileSystemConformance):
    @pytest.fixture
    def place(self, lake: Lake) -> str:
        return f"s3://{lake.servers['s3'].facts['bucket']}/{uuid.uuid4().hex}"

    @pytest.fixture
    def files(self, lake: Lake, place: str) -> FileSystem:
        return file_system(place, storage(lake))


def test_wrong_keys_are_a_refusal(lake: Lake) -> None:
    place = f"s3://{lake.servers['s3'].facts['bucket']}/x"
    with pytest.raises(PermissionError, match="does not allow"):
        file_system(place, storage(lake, secret_key="wrong")).read(place)
