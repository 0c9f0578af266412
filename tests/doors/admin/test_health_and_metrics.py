"""The operator's ports, asked as probes and Prometheus ask them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse

import pytest

import sqe
from sqe.doors.admin.admin import Admin
from sqe.errors import ConfigError
from sqe.observe.metrics import Metrics
from sqe.server.readiness import Readiness

Start = Callable[..., Admin]


@pytest.fixture
def readiness() -> Readiness:
    return Readiness(["flight", "catalogs"])


@pytest.fixture
def start(readiness: Readiness) -> Iterator[Start]:
    started: list[Admin] = []

    def start(**asked: object) -> Admin:
        defaults: dict[str, object] = {
            **{"host": "127.0.0.1", "health_port": 0, "prometheus_port": 0},
            **{"readiness": readiness, "metrics": Metrics(), "status": lambda: {"sessions": 2}},
        }
        started.append(Admin(**{**defaults, **asked}))  # type: ignore[arg-type]
        started[-1].start()
        return started[-1]

    yield start
    for admin in started:
        admin.close()


def ask(port: int | None, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    assert port is not None
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_health_is_that_the_process_answers(start: Start) -> None:
    response, body = ask(start().health_port, "/healthz")
    assert response.status == 200 and json.loads(body) == {"status": "ok"}
    assert response.headers["Content-Type"] == "application/json"


def test_readiness_says_which_part_is_missing(start: Start, readiness: Readiness) -> None:
    port = start().health_port
    readiness.set("flight", True)
    readiness.set("spark", False, "starting")
    response, body = ask(port, "/readyz")
    assert response.status == 503
    assert json.loads(body)["parts"]["catalogs"] == {
        "ready": False,
        "required": True,
        "reason": "not started",
    }
    readiness.set("catalogs", True)
    response, body = ask(port, "/readyz?verbose")
    assert response.status == 200 and json.loads(body)["parts"]["spark"]["reason"] == "starting"
    readiness.drain()
    assert ask(port, "/readyz")[0].status == 503
    assert ask(port, "/healthz")[0].status == 200


def test_status(start: Start) -> None:
    said = json.loads(ask(start().health_port, "/api/v1/status")[1])
    assert said["version"] == sqe.__version__ and said["sessions"] == 2 and said["ready"] is False
    assert said["uptime_seconds"] >= 0


def test_a_page_that_fails_says_nothing_of_why(start: Start) -> None:
    def fails() -> dict[str, object]:
        raise RuntimeError("/srv/secret")

    port = start(status=fails).health_port
    response, body = ask(port, "/api/v1/status")
    assert response.status == 500 and json.loads(body) == {"error": "internal error"}
    assert ask(port, "/healthz")[0].status == 200


def test_prometheus_reads_the_form_it_asks_for(start: Start) -> None:
    port = start().prometheus_port
    response, body = ask(port, "/metrics")
    assert response.status == 200 and response.headers["Content-Type"].startswith("text/plain")
    assert b"\nsqe_rows_returned_total 0.0\n" in body
    response, body = ask(port, "/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert response.headers["Content-Type"].startswith("application/openmetrics-text")
    assert body.endswith(b"# EOF\n")


def test_each_port_has_its_own_pages(start: Start) -> None:
    admin = start()
    assert ask(admin.health_port, "/metrics")[0].status == 404
    assert ask(admin.prometheus_port, "/healthz")[0].status == 404
    for path in ("/", "/../etc/passwd", "/healthz/", "http://x/healthz"):
        assert ask(admin.health_port, path)[0].status == 404, path


def test_head_is_get_without_a_body(start: Start) -> None:
    response, body = ask(start().health_port, "/healthz", "HEAD")
    assert response.status == 200 and body == b"" and int(response.headers["Content-Length"]) > 0


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "HACK"])
def test_nothing_else_is_allowed(start: Start, method: str) -> None:
    response, body = ask(start().health_port, "/healthz", method)
    assert response.status == 405 and response.headers["Allow"] == "GET, HEAD"
    assert b"HACK" not in body


def test_a_port_may_be_switched_off(start: Start) -> None:
    admin = start(prometheus_port=None)
    assert admin.prometheus_port is None
    assert ask(admin.health_port, "/healthz")[0].status == 200
    assert start(health_port=None, prometheus_port=None).health_port is None


def test_a_port_that_is_taken_is_an_error_that_names_the_key(start: Start) -> None:
    taken = start().health_port
    with pytest.raises(ConfigError, match=f"metrics.prometheus_port {taken} on 127.0.0.1 cannot be opened"):
        start(prometheus_port=taken)


def test_closed_is_closed(start: Start) -> None:
    admin = start()
    port = admin.health_port
    admin.close()
    admin.close()
    with pytest.raises(ConnectionRefusedError):
        ask(port, "/healthz")


def test_ipv6(start: Start) -> None:
    admin = start(host="::1")
    connection = HTTPConnection("::1", admin.health_port, timeout=30)
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200
    connection.close()
