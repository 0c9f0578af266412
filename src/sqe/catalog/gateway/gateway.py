"""The gateway while it runs: started with the first statement that Spark gets, on the loopback address."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING

from sqe.catalog.gateway.bindings import Bindings
from sqe.errors import Unavailable

if TYPE_CHECKING:
    from sqe.foundation.http_server import HttpServer

CATALOG = "sqe"
"""The name that Spark knows it by."""


class Gateway:
    def __init__(self) -> None:
        self.bindings = Bindings()
        self._secret = secrets.token_hex(32)
        self._lock = threading.Lock()
        self._server: HttpServer | None = None
        self._closed = False

    def spark_conf(self) -> dict[str, str]:
        """Spark's settings of its one catalog. Starts the gateway."""
        from sqe.catalog.gateway.app import SECRET_HEADER

        prefix = f"spark.sql.catalog.{CATALOG}"
        return {
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "rest",
            f"{prefix}.uri": f"http://127.0.0.1:{self._started().port}",
            f"{prefix}.header.{SECRET_HEADER}": self._secret,
            # A name is another table's in the next statement.
            f"{prefix}.cache-enabled": "false",
            # What failed here fails for good; 0 is not allowed.
            f"{prefix}.rest.client.max-retries": "1",
        }

    def _started(self) -> HttpServer:
        with self._lock:
            if self._closed:
                raise Unavailable("the gateway is closed")
            if self._server is None:
                from sqe.catalog.gateway.app import gateway_app
                from sqe.foundation.http_server import HttpServer

                app = gateway_app(self.bindings, self._secret)
                self._server = HttpServer(app, "127.0.0.1", 0, name="sqe-gateway")
                self._server.start()
            return self._server

    def close(self) -> None:
        with self._lock:
            self._closed = True
            server, self._server = self._server, None
        if server is not None:
            server.close()
