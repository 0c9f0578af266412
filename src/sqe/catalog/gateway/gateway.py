"""The gateway while it runs: started with the first statement that Spark gets."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING

from sqe.catalog.gateway.bindings import Bindings
from sqe.errors import Unavailable

if TYPE_CHECKING:
    from sqe.config.config import Config
    from sqe.foundation.http_server import HttpServer, Tls

CATALOG = "sqe"
"""The name that Spark knows it by."""
# A name that Spark redacts: settings of a session are in its event log.
SECRET_HEADER = "X-SQE-Gateway-Secret"
SECRET_SETTING = f"spark.sql.catalog.{CATALOG}.header.{SECRET_HEADER}"


class Gateway:
    """On the loopback address, unless a Spark on another machine has to reach it: then at `url`."""

    def __init__(
        self, *, host: str = "127.0.0.1", port: int = 0, url: str | None = None, tls: Tls | None = None
    ) -> None:
        self.bindings = Bindings()
        self._host, self._port, self._url, self._tls = host, port, url, tls
        self._secret = secrets.token_hex(32)
        self._lock = threading.Lock()
        self._server: HttpServer | None = None
        self._closed = False

    def spark_conf(self) -> dict[str, str]:
        """Spark's settings of its one catalog. Starts the gateway."""
        prefix = f"spark.sql.catalog.{CATALOG}"
        return {
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "rest",
            f"{prefix}.uri": self._address(self._started().port),
            SECRET_SETTING: self._secret,
            # A name is another table's in the next statement.
            f"{prefix}.cache-enabled": "false",
            # What failed here fails for good; 0 is not allowed.
            f"{prefix}.rest.client.max-retries": "1",
        }

    def _address(self, port: int) -> str:
        return self._url or f"{'http' if self._tls is None else 'https'}://{self._host}:{port}"

    def _started(self) -> HttpServer:
        with self._lock:
            if self._closed:
                raise Unavailable("the gateway is closed")
            if self._server is None:
                from sqe.catalog.gateway.app import gateway_app
                from sqe.foundation.http_server import HttpServer

                app = gateway_app(self.bindings, self._secret)
                try:
                    self._server = HttpServer(app, self._host, self._port, name="sqe-gateway", tls=self._tls)
                except OSError as error:
                    raise Unavailable(
                        f"the gateway cannot listen on {self._host}:{self._port}: {error.strerror or error}",
                        hint="check spark.gateway_host and spark.gateway_port",
                    ) from None
                self._server.start()
            return self._server

    def close(self) -> None:
        with self._lock:
            self._closed = True
            server, self._server = self._server, None
        if server is not None:
            server.close()


def from_config(config: Config) -> Gateway:
    """For a Spark of our own, or for one that others run, which may be on another machine."""
    spark, tls = config.spark, config.server.tls
    if spark.remote is None:
        return Gateway()
    from sqe.foundation.http_server import Tls
    from sqe.foundation.loopback import is_loopback

    # Behind a proxy of this machine it is the proxy's.
    own = None if tls is None or is_loopback(spark.gateway_host) else Tls(tls.cert_file, tls.key_file)
    return Gateway(host=spark.gateway_host, port=spark.gateway_port, url=spark.gateway_url, tls=own)
