"""Calls over gRPC: what is read of them and when, and what a client is told when something goes wrong."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from sqe.doors.flight.client import GrpcClient
from sqe.doors.flight.flight_pb2 import Action
from sqe.doors.flight.messages import read
from sqe.doors.flight.status import status_of, text_of, trailers_of
from sqe.errors import Cancelled, InternalError, InvalidArgument, LimitExceeded, SqeError
from sqe.observe.request_ids import request_ids
from sqe.server.calls import Call
from sqe.server.clients import Clients

log = logging.getLogger(__name__)

# Clients that have not said yet who they are, and what may be read of all of them at once.
MOST_GREETING = 64
GREETING_BYTES = 64 << 20
# What a request has besides the text of a statement. Actions hand a FlightInfo back, with its schema.
REQUEST_BYTES = 64 << 10
ACTION_BYTES = 4 << 20


class GrpcCalls:
    """Every RPC goes through here. To gRPC all requests are streams of bytes: what somebody sends is neither
    kept nor read before it is known who they are, and what cannot be read is theirs to mend."""

    def __init__(self, clients: Clients) -> None:
        """gRPC receives no message over `coordinator.max_message_size`."""
        config = clients.coordinator.config
        self._begin = clients.calls.begin
        self._silent = clients.silent
        self._first_seconds = config.server.handshake_timeout_secs
        self._largest_text = config.query.max_sql_bytes
        self._greeting = threading.BoundedSemaphore(MOST_GREETING)
        self._reading = threading.BoundedSemaphore(max(GREETING_BYTES // config.server.max_message_size, 1))

    def unary(self, handler: Callable[[Call, Any], Any], kind: Any) -> Callable[[Any, Any], Any]:
        def answer(requests: Iterator[bytes], context: Any) -> Any:
            client = GrpcClient(context)
            try:
                with self._begin(client) as call:
                    return handler(call, self._request(kind, requests, client))
            except Exception as error:
                failure = _as_ours(error, client)
            return _abort(client, failure)

        return answer

    def stream(
        self, handler: Callable[[Call, Any], Iterator[Any]], kind: Any, *, many: bool = False
    ) -> Callable[[Any, Any], Iterator[Any]]:
        """With `many` the handler gets all that the client sends, as it comes."""

        def answer(requests: Iterator[bytes], context: Any) -> Iterator[Any]:
            client = GrpcClient(context)
            try:
                with self._begin(client) as call:
                    if many:
                        messages = self._silent.messages(client, requests)
                        request: Any = (read(kind, message) for message in messages)
                    else:
                        request = self._request(kind, requests, client)
                    for message in handler(call, request):
                        with self._silent.waiting(client):
                            yield message
                return
            except Exception as error:
                failure = _as_ours(error, client)
            _abort(client, failure)

        return answer

    def before_log_in(
        self, handler: Callable[[GrpcClient, Any], Iterator[Any]]
    ) -> Callable[[Any, Any], Iterator[Any]]:
        """For the one call that is made before the caller is known."""

        def answer(requests: Iterator[bytes], context: Any) -> Iterator[Any]:
            client = GrpcClient(context)
            try:
                yield from handler(client, requests)
                return
            except Exception as error:
                failure = _as_ours(error, client)
            _abort(client, failure)

        return answer

    def greeting(self, client: GrpcClient, requests: Iterator[bytes]) -> bytes | None:
        """The first message of somebody who is not known yet. Few wait for it at once, and not for long;
        fewer are heard at once, since gRPC may hold the largest message for each of them."""
        if not self._greeting.acquire(blocking=False):
            raise _too_many_greet()
        try:
            if not self._reading.acquire(timeout=self._first_seconds or None):
                raise _too_many_greet()
            try:
                message = next(self._silent.messages(client, requests, self._first_seconds), None)
                return None if message is None else _within(REQUEST_BYTES, message)
            finally:
                self._reading.release()
        finally:
            self._greeting.release()

    def _request(self, kind: Any, requests: Iterator[bytes], client: GrpcClient) -> Any:
        message = next(self._silent.messages(client, requests, self._first_seconds), None)
        if message is None:
            raise InvalidArgument("nothing was asked", code="INVALID_COMMAND")
        return read(kind, _within(self._largest(kind), message))

    def _largest(self, kind: Any) -> int:
        return self._largest_text + (ACTION_BYTES if kind is Action else REQUEST_BYTES)


def _within(largest: int, message: bytes) -> bytes:
    if len(message) > largest:
        raise LimitExceeded(
            f"the request has {len(message)} bytes, more than the {largest} that it can need",
            code="EXCEEDED_REQUEST_SIZE",
            hint="a statement's text has at most query.max_sql_bytes",
        )
    return message


def _too_many_greet() -> LimitExceeded:
    return LimitExceeded("too many clients are logging in", code="TOO_MANY_HANDSHAKES")


def _as_ours(error: Exception, client: GrpcClient) -> SqeError:
    if isinstance(error, SqeError):
        return error
    if not client.context.is_active():
        return Cancelled("the client went away")
    # The caller is told that it was us, and nothing else; the log has the rest.
    log.error("a call failed", exc_info=error, extra=request_ids(client.headers).shown())
    return InternalError(f"a bug of ours: {type(error).__name__}")


def _abort(client: GrpcClient, error: SqeError) -> Any:
    if status_of(error) is grpc.StatusCode.INTERNAL and error.__cause__ is not None:
        about = {"statement_id": error.query_id, **request_ids(client.headers).shown()}
        log.error("a statement failed by a bug of ours", exc_info=error.__cause__, extra=about)
    client.context.set_trailing_metadata(trailers_of(error))
    client.context.abort(status_of(error), text_of(error))
