"""A gigabyte is ingested as one snapshot, and the server never holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.flight_server import Serve

GIB = 1 << 30
ROWS = 200_000
pytestmark = pytest.mark.long


def batches(schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A gigabyte of rows that do not compress away."""
    sent = number = 0
    while sent < GIB:
        ids = pa.array(range(number * ROWS, (number + 1) * ROWS), pa.int64())
        noise = os.urandom(ROWS * 32)
        texts = pa.Array.from_buffers(
            pa.binary(),
            ROWS,
            [None, pa.array(range(0, 32 * (ROWS + 1), 32), pa.int32()).buffers()[1], pa.py_buffer(noise)],
        )
        batch = pa.RecordBatch.from_arrays([ids, texts], schema=schema)
        sent += batch.nbytes
        number += 1
        yield batch


def peak(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) << 10


def test_a_gigabyte(serve: Serve, connect_as: Any) -> None:
    server = serve()
    schema = pa.schema([("id", pa.int64()), ("noise", pa.binary())])
    with connect_as("ann", to=server).cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchall()
        # The client is in this process too: what it holds is a few of its own batches.
        Path("/proc/self/clear_refs").write_text("5")
        before = peak(os.getpid())
        reader = pa.RecordBatchReader.from_batches(schema, batches(schema))
        rows = cursor.adbc_ingest("large", reader, mode="create")
        grown = peak(os.getpid()) - before
        cursor.execute(
            'SELECT count(*), min(id), max(id), (SELECT count(*) FROM "large$snapshots") FROM large'
        )
        assert cursor.fetchall() == [(rows, 0, rows - 1, 1)]
        cursor.execute("DROP TABLE large")
    assert rows * (8 + 4 + 32) >= GIB
    print(f"{rows} rows; the peak of server and client grew by {grown >> 20} MiB")
    assert grown < GIB // 2
    assert server.coordinator.spools.spooled == 0
