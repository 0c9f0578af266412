"""What an operator may choose about Spark, and that nothing of it leaves a port open.

The driver's RPC port and its block manager, which Spark cannot do without, deserialize Java objects:
whoever may send them one runs code under our account. Connect has a token of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqe.config.keys import port, setting, size, table, text
from sqe.errors import ConfigError
from sqe.foundation.record import record

AUTHENTICATE = "spark.authenticate"
SECRET = "spark.authenticate.secret"
# Masters under which Spark makes the secret itself and hands it to its executors.
MAKES_SECRET = re.compile(r"local(\[[^\]]*\])?|yarn|k8s://.*")


@record
class SparkSettings:
    """`[spark]` of the configuration. `conf` holds `spark.*` keys, which win over ours."""

    remote: str | None = setting(
        text("Use this Spark Connect server (`sc://…`) and start none.", secret=True)
    )
    gateway_url: str | None = setting(
        text("Where a Spark on another machine reaches the gateway: `https://host:port`.")
    )
    gateway_host: str = setting(
        text(
            "Address that the gateway listens on; one other than loopback needs `coordinator.tls`.",
            "127.0.0.1",
        )
    )
    gateway_port: int = setting(port("Port of the gateway; 0 takes any that is free.", 0))
    master: str = setting(
        text("Spark master of the server that SQE starts; a cluster's needs a secret.", "local[*]")
    )
    # Spark does not start with less.
    driver_memory: str = setting(
        size("Heap of the server that SQE starts.", "2GB", least="512MB", form=lambda n: f"{n >> 20}m")
    )
    conf: Mapping[str, str] = setting(
        table(
            "Further `spark.*` settings; they win over those of SQE, but `spark.authenticate` stays on.",
            secret=True,
        ),
        factory=dict,
    )

    @property
    def effective_master(self) -> str:
        return self.conf.get("spark.master", self.master)


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
        # Traffic on loopback needs no cipher, and with Spark's a fetch of a class hangs now and then.
        "spark.network.crypto.enabled": conf.get("spark.network.crypto.enabled", "false"),
        AUTHENTICATE: "true",
    }


def check_remote(settings: SparkSettings, *, has_tls: bool) -> None:
    """A Spark that others run loads tables from us, and must be told where. Raises ConfigError where it could
    not, or where what it is told could be read on the way."""
    from urllib.parse import urlsplit

    from sqe.foundation.loopback import is_loopback

    remote = settings.remote or ""
    if not remote.startswith("sc://"):
        raise ConfigError('spark.remote must begin with "sc://"')
    if settings.gateway_url is None:
        if not is_loopback(urlsplit(remote).hostname or ""):
            raise ConfigError(
                "spark.remote is on another machine, which has to reach this one to load tables",
                hint="set spark.gateway_url to the address that it has for this machine, "
                "and spark.gateway_host and spark.gateway_port to where it leads",
            )
    else:
        url = urlsplit(settings.gateway_url)
        if not url.hostname or (
            url.scheme != "https" and not (url.scheme == "http" and is_loopback(url.hostname))
        ):
            raise ConfigError(
                'spark.gateway_url must begin with "https://": a secret travels with each request'
            )
    if not is_loopback(settings.gateway_host) and not has_tls:
        raise ConfigError(
            f"spark.gateway_host = {settings.gateway_host} needs TLS: a secret travels with each request",
            hint="set coordinator.tls, or listen on 127.0.0.1 behind a proxy that has TLS",
        )
