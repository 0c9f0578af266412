"""TPC-H on tables in an object store, through a REST catalog, and on the same rows in local files:
python -m benchmarks.object_store"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import urllib3
from stack.component import Component
from stack.realm import secret_of
from stack.servers import shared_servers
from stack.sqe_config import sqe_config

from benchmarks import report
from sqe.api.connection import Connection, connect
from sqe.bench.compare import Row, difference
from sqe.bench.generators import database, export
from sqe.bench.load import load
from sqe.bench.page import table_of
from sqe.bench.suites import queries
from sqe.bench.summary import as_markdown
from sqe.config.config import load as load_config
from sqe.errors import InvalidArgument
from sqe.session import Identity

USER = "bob"
SUITE = "tpch"
STORE, DISK = "lake", "disk"
LANES = ("fast", "spark")
LOG_SECONDS = 20.0
# A token is asked for anew when it is older than this.
TOKEN_SECONDS = 30.0
SECTION = "## On an object store"
Servers = Mapping[str, Component]
Tell = Callable[[str], None]


class UserTokens:
    """Of a user of the stack's identity provider, by password."""

    def __init__(self, issuer: str, user: str) -> None:
        self._address = f"{issuer}/protocol/openid-connect/token"
        self._form = {
            "grant_type": "password",
            "username": user,
            "password": secret_of(user),
            "client_id": "sqe",
            "client_secret": secret_of("sqe"),
        }
        self._token, self._since = "", 0.0

    def current(self) -> str:
        if time.monotonic() - self._since > TOKEN_SECONDS or not self._token:
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = urllib3.request("POST", self._address, body=urlencode(self._form), headers=form)
            self._token, self._since = str(answer.json()["access_token"]), time.monotonic()
        return self._token

    def renewed_after(self, refused: str) -> str | None:
        return None


@contextmanager
def connected(servers: Servers, home: Path) -> Iterator[Connection]:
    """As a user of the lake, who has a catalog of local files beside it."""
    file = home / "sqe.toml"
    disk = f'[catalogs.{DISK}.backend]\ntype = "sqlite"\nwarehouse = "{home / DISK}"\n'
    file.write_text(sqe_config(servers) + disk)
    with connect(config=load_config(file, {})) as engine:
        connection = Connection(engine.coordinator, Identity(USER, issuer="lake", subject=USER))
        connection.session.tokens = UserTokens(servers["keycloak"].facts["issuer"], USER)
        yield connection


def load_both(connection: Connection, scale: float, tell: Tell = lambda _: None) -> None:
    with tempfile.TemporaryDirectory() as directory, database(SUITE, scale) as source:
        files = export(source, Path(directory))
        for catalog in (DISK, STORE):
            load(connection, f"{catalog}.{SUITE}", files, tell)


def requests_until_now(servers: Servers) -> int:
    """Those with keys that the catalog has vended, by the store's own log. It is written a little later: a
    last request, without a key, marks the end."""
    store = servers["s3"].facts
    mark = uuid.uuid4().hex
    urllib3.request("GET", f"{store['url']}/{store['bucket']}/{mark}", retries=False)
    deadline = time.monotonic() + LOG_SECONDS
    while mark not in (text := Path(store["access_log"]).read_text()):
        if time.monotonic() > deadline:
            raise TimeoutError("the store's log does not show a request")
        time.sleep(0.02)
    keys = [json.loads(line)["access_key"] for line in text.splitlines()]
    return sum(key not in ("", store["access_key"]) for key in keys)


def answer(connection: Connection, catalog: str, sql: str) -> list[Row]:
    connection.execute(f"USE {catalog}.{SUITE}")
    return connection.execute(sql).fetchall()


def seconds(connection: Connection, catalog: str, sql: str) -> float:
    connection.execute(f"USE {catalog}.{SUITE}")
    begin = time.perf_counter()
    connection.execute(sql).fetch_arrow_table()
    return time.perf_counter() - begin


def measure(connection: Connection, servers: Servers, runs: int, tell: Tell = lambda _: None) -> report.Lines:
    """A line for each lane and query. Both places in turns; answers that differ are an error."""
    lines: report.Lines = []
    for lane in LANES:
        connection.execute(f"SET SESSION lane = '{lane}'")
        for name, sql in queries(SUITE).items():
            tell(f"{name} on the {lane} lane")
            expected = answer(connection, DISK, sql)
            before = requests_until_now(servers)
            problem = difference(answer(connection, STORE, sql), expected)
            if problem is not None:
                raise InvalidArgument(f"{name} on the {lane} lane: {problem}")
            first = requests_until_now(servers) - before
            pairs = [(seconds(connection, STORE, sql), seconds(connection, DISK, sql)) for _ in range(runs)]
            before = requests_until_now(servers)
            seconds(connection, STORE, sql)
            later = requests_until_now(servers) - before
            store, disk = (statistics.median(times) for times in zip(*pairs, strict=True))
            lines.append(
                {
                    "lane": lane,
                    "query": name,
                    "seconds in the store": round(store, 3),
                    "on the disk": round(disk, 3),
                    "ratio": round(store / disk, 2),
                    "requests, first": first,
                    "requests, later": later,
                }
            )
    connection.execute("RESET SESSION lane")
    return lines


def totals(lines: report.Lines) -> report.Lines:
    return [_total(lane, [line for line in lines if line["lane"] == lane]) for lane in LANES]


def _total(lane: str, lines: report.Lines) -> dict[str, object]:
    def column(name: str) -> list[float]:
        return [float(str(line[name])) for line in lines]

    store, disk = sum(column("seconds in the store")), sum(column("on the disk"))
    worst = max(lines, key=lambda line: float(str(line["ratio"])))
    return {
        "lane": lane,
        "queries": len(lines),
        "seconds in the store": round(store, 2),
        "on the disk": round(disk, 2),
        "ratio": round(store / disk, 2),
        "highest": f"{worst['ratio']} ({worst['query']})",
        "requests, first": round(sum(column("requests, first"))),
        "requests, later": round(sum(column("requests, later"))),
    }


def section(lines: report.Lines, scale: float, runs: int) -> str:
    return f"""{SECTION}

`python -m benchmarks.object_store`: the 22 TPC-H queries at scale {scale:g} as one user of a Nessie, with
tables in a MinIO on the same machine, and on the same rows in local files, in turns; sums of medians of
{runs}. Each answer is compared with that on local files. Requests are those to the store, by its own log: of
the first run of each query, and of one after the others. The catalog is asked for each table of each
statement, which is part of the seconds.

{as_markdown(table_of(totals(lines)))}

<details><summary>Each query</summary>

{as_markdown(table_of(lines))}

</details>
"""


def write_section(page: Path, text: str) -> None:
    """In the place of the one that is there, else at the end."""
    before, found, rest = page.read_text(encoding="utf-8").partition(SECTION + "\n")
    after = rest.partition("\n## ") if found else ("", "", "")
    rest = f"\n## {after[2]}" if after[1] else ""
    page.write_text(f"{before.rstrip()}\n\n{text.rstrip()}\n{rest}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    flags = report.flags("object_store", __doc__, runs=3)
    flags.add_argument("--scale", type=float, default=0.1, metavar="F", help="scale factor (0.1)")
    flags.add_argument("--page", type=Path, metavar="FILE", help="write the figures into docs/performance.md")
    options = flags.parse_args(arguments)
    tell = report.kept(options).tell
    with (
        tempfile.TemporaryDirectory() as home,
        shared_servers(Path(home) / "stack") as servers,
        connected(servers, Path(home)) as connection,
    ):
        load_both(connection, options.scale, tell)
        lines = measure(connection, servers, options.runs, tell)
    report.show(totals(lines))
    if options.page is not None:
        write_section(options.page, section(lines, options.scale, options.runs))
    return report.finish(options, "object_store", lines)


if __name__ == "__main__":
    sys.exit(main())
