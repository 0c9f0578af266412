"""The doors that tests talk to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.doors.trino.trino_door import ANYBODY, KEYS, WITH_KEYS, Opened, Wire, opened_door


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Whoever comes without a key may say who they are."""
    with opened_door(tmp_path_factory.mktemp("trino"), providers=WITH_KEYS + ANYBODY) as opened:
        yield opened


@pytest.fixture(scope="module")
def wire(door: Opened) -> Wire:
    return Wire(door.url)


@pytest.fixture(scope="module")
def ann(door: Opened) -> Wire:
    """One who has proven who she is."""
    return Wire(door.url, Authorization=f"Bearer {KEYS['ann']}")
