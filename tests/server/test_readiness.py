from __future__ import annotations

from sqe.server.readiness import Readiness


def test_ready_is_when_every_required_part_is() -> None:
    readiness = Readiness(["flight", "catalogs"])
    assert not readiness.ready
    readiness.set("flight", True)
    readiness.set("spark", False, "starting")
    assert not readiness.ready
    readiness.set("catalogs", True)
    assert readiness.ready, "Spark is only reported"
    readiness.set("catalogs", False, "lake does not answer")
    assert not readiness.ready


def test_every_part_has_its_reason() -> None:
    readiness = Readiness(["flight"])
    readiness.set("spark", False, "starting")
    assert readiness.report() == {
        "ready": False,
        "parts": {
            "flight": {"ready": False, "required": True, "reason": "not started"},
            "spark": {"ready": False, "required": False, "reason": "starting"},
            "draining": {"ready": True, "required": True, "reason": ""},
        },
    }


def test_a_server_that_drains_is_not_ready() -> None:
    readiness = Readiness(["flight"])
    readiness.set("flight", True)
    assert readiness.ready and not readiness.draining
    readiness.drain()
    assert not readiness.ready and readiness.draining
    parts = readiness.report()["parts"]
    assert isinstance(parts, dict) and parts["draining"]["reason"] == "shutting down"


def test_reasons_name_no_paths_addresses_or_secrets() -> None:
    readiness = Readiness()
    readiness.set(
        "spark", False, "java at /opt/jdk/bin/java:\n cannot reach sc://db.example:15002/;token=abc"
    )
    readiness.set("catalogs", False, "password=hunter2 is wrong " + "x" * 1000)
    reasons = {name: part.reason for name, part in readiness.parts().items()}
    assert reasons["spark"] == "java at <path>: cannot reach <address>"
    assert "hunter2" not in reasons["catalogs"] and len(reasons["catalogs"]) == 300
