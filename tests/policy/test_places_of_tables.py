"""On a server, files of tables are put into its warehouses and nowhere else."""

from __future__ import annotations

import pytest

from sqe.policy.decision import AllowAll
from sqe.session import Identity

ANN = Identity("ann")


@pytest.mark.parametrize(
    "place",
    ["/data/lake/t", "file:/data/lake/t", "s3://bucket/lake/t"],
)
def test_in_a_warehouse(place: str) -> None:
    assert AllowAll(["/data/lake", "s3://bucket/lake/"]).may_place(ANN, place)


@pytest.mark.parametrize(
    "place",
    [
        "/data/lake",
        "/data/lakes/t",
        "/data/lake/../t",
        "/etc/t",
        # Hadoop takes the first word for a machine, and what is left for the path.
        "file://data/lake/t",
        "file:data/lake/t",
        "FILE:///data/lake/t",
        "s3://bucket/lake/../t",
        "s3://other/lake/t",
        "",
    ],
)
def test_elsewhere(place: str) -> None:
    assert not AllowAll(["/data/lake", "s3://bucket/lake/"]).may_place(ANN, place)


def test_a_warehouse_that_cannot_be_understood_is_no_place_at_all() -> None:
    assert not AllowAll(["s3://bucket/../x", "file://host/x"]).may_place(ANN, "/etc/t")
