"""gRPC's health check. It asks nobody who they are, so that it reads nothing of what is sent: all services of
the port are well or none is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2

SERVICE = str(health.SERVICE_NAME)


class Health:
    """Watch is not offered: whoever watches holds a call for as long as they like."""

    def __init__(self) -> None:
        self.serving = False

    def handlers(self) -> grpc.GenericRpcHandler:
        check = grpc.stream_unary_rpc_method_handler(self._check)
        return grpc.method_handlers_generic_handler(SERVICE, {"Check": check})

    def _check(self, unread: Iterator[bytes], context: Any) -> bytes:
        statuses = health_pb2.HealthCheckResponse
        status = statuses.SERVING if self.serving else statuses.NOT_SERVING
        return bytes(statuses(status=status).SerializeToString())
