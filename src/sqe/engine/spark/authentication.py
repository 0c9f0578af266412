"""Who may talk to the ports of a Spark that we start. Connect has its token; the others are closed here.

The driver's RPC port and its block manager, which Spark cannot do without, deserialize Java objects:
whoever may send them one runs code under our account.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sqe.engine.spark.settings import SparkSettings
from sqe.errors import ConfigError

AUTHENTICATE = "spark.authenticate"
SECRET = "spark.authenticate.secret"
# Masters under which Spark makes the secret itself and hands it to its executors.
MAKES_SECRET = re.compile(r"local(\[[^\]]*\])?|yarn|k8s://.*")
# A Unix socket's path has at most 104 bytes (macOS) or 108, and Spark's Python daemon adds 43.
DIRECTORY_BYTES = 60


def authentication(settings: SparkSettings) -> Mapping[str, str]:
    """The settings that let only those in who know the application's secret. Raises ConfigError where
    `[spark]` would leave its ports open."""
    conf = settings.conf
    if conf.get(AUTHENTICATE, "true").strip().lower() != "true":
        raise ConfigError(
            f'{AUTHENTICATE} is "{conf[AUTHENTICATE]}", but whoever reaches a port of Spark without '
            "authentication can run code under the account of SQE",
            hint="remove the setting; a Spark that is run by others is used through spark.remote",
        )
    if not MAKES_SECRET.fullmatch(settings.effective_master) and not conf.get(SECRET, "").strip():
        raise ConfigError(
            f'spark.master "{settings.effective_master}" needs a secret that all processes of Spark share',
            hint=f'set "{SECRET}" in [spark], and the same one on the master and its workers',
        )
    return {
        # The cipher's handshake also ends a stranger's connection, which the older one leaves open.
        "spark.network.crypto.enabled": conf.get("spark.network.crypto.enabled", "true"),
        AUTHENTICATE: "true",
    }


def python_workers(directory: Path) -> Mapping[str, str]:
    """Python workers get a socket in our directory, where its path fits, instead of a port."""
    if len(str(directory).encode()) > DIRECTORY_BYTES:
        return {}
    return {
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.unix.domain.socket.dir": str(directory),
    }
