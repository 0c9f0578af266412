"""Measures servers that speak Trino's protocol, one beside the other: SQE and, for comparison, a Trino on the
same tables.

python -m benchmarks.trino sqe=http://127.0.0.1:8080 trino=http://127.0.0.1:8081 --table lake.default.big

The same client asks all of them in turn: small statements over sixteen connections and over one, a point
query, and every row of the table.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import threading
import time
from pathlib import Path
from typing import Any

import urllib3

CONNECTIONS = 16
_NEXT = re.compile(rb'"nextUri":\s*"([^"]+)"')
_HEADERS = {"X-Trino-User": "bench", "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME"}


class Client:
    """One connection."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pool = urllib3.PoolManager(retries=False, maxsize=1)

    def run(self, sql: str) -> int:
        """The bytes of all pages. Rows are not looked at: the server is measured, not the client."""
        page = self._pool.request(
            "POST", f"{self._url}/v1/statement", body=sql.encode(), headers=_HEADERS
        ).data
        size = len(page)
        while True:
            # What is not rows stands before and after them.
            following = _NEXT.search(page, 0, 4000)
            if b'"error"' in page[-4000:] or b'"error"' in page[:4000]:
                raise RuntimeError(page[-4000:].decode(errors="replace"))
            if following is None:
                return size
            page = self._pool.request("GET", following[1].decode(), headers=_HEADERS).data
            size += len(page)


def latencies(url: str, sql: str, *, connections: int, statements: int) -> dict[str, float]:
    times: list[float] = []

    def ask() -> None:
        client = Client(url)
        for _ in range(statements // connections):
            begin = time.perf_counter()
            client.run(sql)
            times.append(time.perf_counter() - begin)

    threads = [threading.Thread(target=ask) for _ in range(connections)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begin
    cuts = statistics.quantiles(times, n=100)
    return {
        "per_second": round(len(times) / seconds, 1),
        "p50_ms": round(1000 * cuts[49], 1),
        "p95_ms": round(1000 * cuts[94], 1),
    }


def transfer(url: str, sql: str) -> dict[str, float]:
    begin = time.perf_counter()
    size = Client(url).run(sql)
    seconds = time.perf_counter() - begin
    return {
        "megabytes": round(size / 1e6),
        "seconds": round(seconds, 2),
        "mb_per_second": round(size / 1e6 / seconds),
    }


def measure(servers: dict[str, str], table: str, rounds: int, statements: int) -> list[dict[str, Any]]:
    point = f"SELECT * FROM {table} LIMIT 1"
    figures: list[dict[str, Any]] = []
    for _ in range(rounds):
        for name, url in servers.items():
            Client(url).run("SELECT 1")
            few = min(100, statements)
            figures.append(
                {
                    "server": name,
                    "small": latencies(url, "SELECT 1", connections=CONNECTIONS, statements=statements),
                    "alone": latencies(url, "SELECT 1", connections=1, statements=few),
                    "point": latencies(url, point, connections=1, statements=few),
                    "all_rows": transfer(url, f"SELECT * FROM {table}"),
                }
            )
            print(json.dumps(figures[-1]), flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("servers", nargs="+", metavar="NAME=URL")
    parser.add_argument("--table", required=True, help="catalog.schema.table, the same on all servers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--statements", type=int, default=800)
    parser.add_argument("--json", type=Path, help="write the figures there")
    arguments = parser.parse_args()
    servers = dict(server.split("=", 1) for server in arguments.servers)
    figures = measure(servers, arguments.table, arguments.rounds, arguments.statements)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
