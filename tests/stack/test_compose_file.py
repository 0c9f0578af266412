"""`deploy/compose.yaml`, as far as it can be looked at where there are no containers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from strictyaml.ruamel.main import YAML

DEPLOY = Path(__file__).parents[2] / "deploy"
# Made by the command in its first lines.
MADE = {"./realm.json"}


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    read: dict[str, dict[str, Any]] = YAML(typ="safe").load((DEPLOY / "compose.yaml").read_text())["services"]
    return read


def test_each_service_is_an_image_of_one_version(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        assert ":" in service["image"] and not service["image"].endswith(":latest"), name


def test_services_wait_for_others_that_are_there_and_tell_when_they_are_well(
    services: dict[str, dict[str, Any]],
) -> None:
    for name, service in services.items():
        for other, wanted in service.get("depends_on", {}).items():
            assert other in services, name
            assert wanted["condition"] != "service_healthy" or "healthcheck" in services[other], name


def test_files_are_there(services: dict[str, dict[str, Any]]) -> None:
    mounted = [volume.split(":")[0] for service in services.values() for volume in service.get("volumes", ())]
    assert [file for file in mounted if file not in MADE and not (DEPLOY / file).is_file()] == []
    assert set(mounted) >= MADE
    subprocess.run(["sh", "-n", str(DEPLOY / "polaris-setup.sh")], check=True)


def test_only_this_machine_reaches_the_ports(services: dict[str, dict[str, Any]]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", ())]
    assert ports and all(str(port).startswith("127.0.0.1:") for port in ports)


def test_addresses_name_services(services: dict[str, dict[str, Any]]) -> None:
    """What one service reaches another by is the name of that."""
    for service in services.values():
        for value in (service.get("environment") or {}).values():
            host = str(value).partition("://")[2].partition(":")[0].partition("/")[0]
            assert not host or host in {*services, "localhost"}, value
