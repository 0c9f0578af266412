"""What `make stack` does besides starting its servers."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from stack.component import Component
from stack.servers import start_all
from stack.sqe_config import sqe_config

from sqe.auth.chain import from_config
from sqe.config.config import load
from sqe.errors import Unavailable
from stack import keycloak


def test_a_port_that_is_taken_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr(keycloak, "PORT", port)
        with pytest.raises(Unavailable, match=f"keycloak needs 127.0.0.1:{port}"):
            start_all(tmp_path)


def test_the_configuration_is_for_those_servers(tmp_path: Path) -> None:
    facts = {
        "keycloak": {"issuer": "http://127.0.0.1:1/realms/lake"},
        "nessie": {"rest_url": "http://127.0.0.1:2/iceberg", "warehouse": "lake"},
    }
    text = sqe_config({name: Component(name, tmp_path, 1, each) for name, each in facts.items()})
    assert '[catalogs.lake.auth]\ntype = "session_bearer"\n' in text
    file = tmp_path / "sqe.toml"
    file.write_text(text)
    config = load(file, {})
    assert from_config(config).names == ("bearer_token", "oidc_password")
    catalog = config.catalogs["lake"]
    assert (catalog.catalog_url, catalog.warehouse) == ("http://127.0.0.1:2/iceberg", "lake")
