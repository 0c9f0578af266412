"""The requests of the protocol: which there are, who makes them, and what is read of them."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote_plus

import anyio
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sqe.auth.authorization_header import credentials_of
from sqe.auth.credentials import Bearer, Credentials, Password
from sqe.bind.binder import Binder
from sqe.bind.views.reader import ViewReader
from sqe.catalog.iceberg.requests import read_object
from sqe.catalog.iceberg.view import View
from sqe.commands.owners import Owners
from sqe.doors.iceberg.answers import TOO_LARGE, Answer, error_answer, failure, json_answer
from sqe.doors.iceberg.http_client import HttpClient
from sqe.doors.iceberg.replays import LIFETIME_SECONDS, Replays
from sqe.doors.iceberg.served_catalog import ServedCatalog, split_namespace
from sqe.errors import AuthenticationFailed, InvalidArgument, LimitExceeded, SessionExpired, SqeError
from sqe.foundation.record import record
from sqe.observe.request_ids import request_ids
from sqe.policy.secure import Guard
from sqe.server.calls import Call
from sqe.server.clients import Clients
from sqe.statement import Statement

log = logging.getLogger(__name__)

LABEL = "icebergrest"
MOST_BODY = 64 << 20
"""Bytes of a commit. One with thousands of snapshots or columns has some megabytes."""
LARGE_BODY = 1 << 20
MOST_LARGE = 2
"""Such requests at once: as objects they take many times their bytes."""
MOST_CREDENTIALS = 64 << 10
MOST_KEY = 200
_BODY_SECONDS = 30.0
_CREDENTIALS_SECONDS = 5.0
_THREADS = 128
_JSON = "application/json"
_TOKEN = "urn:ietf:params:oauth:token-type:access_token"


@record
class Asked:
    """A request: names from its path, the query's parameters, its body, and what a client knows already."""

    names: Mapping[str, str]
    query: Mapping[str, str]
    body: dict[str, Any]
    if_none_match: str | None

    @property
    def namespace(self) -> tuple[str, ...]:
        return split_namespace(self.names["namespace"])


@record
class Endpoint:
    method: str
    path: str
    answer: Callable[[ServedCatalog, Asked], Answer]

    @property
    def changes(self) -> bool:
        return self.method in ("POST", "DELETE") and not self.path.endswith("/metrics")


_NAMESPACE = "/namespaces/{namespace}"
_TABLE = _NAMESPACE + "/tables/{table}"
_VIEW = _NAMESPACE + "/views/{view}"
ENDPOINTS = (
    Endpoint("GET", "/namespaces", lambda c, a: c.list_namespaces(a.query)),
    Endpoint("POST", "/namespaces", lambda c, a: c.create_namespace(a.body)),
    Endpoint("GET", _NAMESPACE, lambda c, a: c.load_namespace(a.namespace)),
    Endpoint("HEAD", _NAMESPACE, lambda c, a: c.namespace_exists(a.namespace)),
    Endpoint("DELETE", _NAMESPACE, lambda c, a: c.drop_namespace(a.namespace)),
    Endpoint("POST", _NAMESPACE + "/properties", lambda c, a: c.change_namespace(a.namespace, a.body)),
    Endpoint("GET", _NAMESPACE + "/tables", lambda c, a: c.list_tables(a.namespace, a.query)),
    Endpoint("POST", _NAMESPACE + "/tables", lambda c, a: c.create_table(a.namespace, a.body)),
    Endpoint("POST", _NAMESPACE + "/register", lambda c, a: c.register_table(a.namespace, a.body)),
    Endpoint(
        "GET", _TABLE, lambda c, a: c.load_table(a.namespace, a.names["table"], a.query, a.if_none_match)
    ),
    Endpoint("HEAD", _TABLE, lambda c, a: c.table_exists(a.namespace, a.names["table"])),
    Endpoint("POST", _TABLE, lambda c, a: c.commit_table(a.namespace, a.names["table"], a.body)),
    Endpoint("DELETE", _TABLE, lambda c, a: c.drop_table(a.namespace, a.names["table"], a.query)),
    Endpoint("GET", _TABLE + "/credentials", lambda c, a: c.credentials(a.namespace, a.names["table"])),
    Endpoint("POST", _TABLE + "/metrics", lambda c, a: c.report(a.namespace, a.names["table"])),
    Endpoint("POST", "/tables/rename", lambda c, a: c.rename_table(a.body)),
    Endpoint("POST", "/transactions/commit", lambda c, a: c.commit_all(a.body)),
    Endpoint("GET", _NAMESPACE + "/views", lambda c, a: c.list_views(a.namespace, a.query)),
    Endpoint("POST", _NAMESPACE + "/views", lambda c, a: c.create_view(a.namespace, a.body)),
    Endpoint("POST", _NAMESPACE + "/register-view", lambda c, a: c.register_view(a.namespace, a.body)),
    Endpoint("GET", _VIEW, lambda c, a: c.load_view(a.namespace, a.names["view"])),
    Endpoint("HEAD", _VIEW, lambda c, a: c.view_exists(a.namespace, a.names["view"])),
    Endpoint("POST", _VIEW, lambda c, a: c.commit_view(a.namespace, a.names["view"], a.body)),
    Endpoint("DELETE", _VIEW, lambda c, a: c.drop_view(a.namespace, a.names["view"])),
    Endpoint("POST", "/views/rename", lambda c, a: c.rename_view(a.body)),
)


def iceberg_app(clients: Clients) -> Any:
    calls = _HttpCalls(clients)
    routes = [
        Route("/v1/config", calls.handler(calls.config), methods=["GET"]),
        Route("/v1/oauth/tokens", calls.handler_before_log_in(calls.token), methods=["POST"]),
    ]
    # HEAD before GET, which would answer it too.
    for endpoint in sorted(ENDPOINTS, key=lambda e: e.method != "HEAD"):
        handler = calls.handler(calls.of_catalog(endpoint), changes=endpoint.changes)
        routes.append(_route("/v1/{prefix}" + endpoint.path, handler, endpoint.method))
    app = Starlette(routes=routes, exception_handlers={404: _refuse, 405: _refuse})
    app.router.redirect_slashes = False
    return _RawPaths(app)


def _route(path: str, handler: Any, method: str) -> Route:
    route = Route(path, handler, methods=[method])
    route.methods = {method}
    return route


class _RawPaths:
    """Routes by the path as it was sent: a name may hold an encoded slash."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "path": scope["raw_path"].decode("ascii", "replace")}
            await self._app(scope, receive, send)


class _HttpCalls:
    """Every request goes through here. Nothing of its body is read before it is known who sends it, and no
    thread waits for it."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._replays = Replays()
        self._large = anyio.Semaphore(MOST_LARGE)
        self._threads: anyio.CapacityLimiter | None = None

    def handler(self, answer: Callable[[Call, Request, bytes], Answer], *, changes: bool = False) -> Any:
        async def work(request: Request, client: HttpClient) -> Answer:
            async with contextlib.AsyncExitStack() as stack:
                begun = self._clients.calls.begin(client)
                call = await self._in_thread(begun.__enter__)
                stack.push_async_callback(self._in_thread, begun.__exit__, None, None, None)
                content = b""
                if request.method == "POST":
                    content = await self._body(request, stack)
                answered: Answer = await self._in_thread(answer, call, request, content)
                return answered

        return self._handler(work, changes=changes)

    def handler_before_log_in(self, answer: Callable[[HttpClient, bytes], Answer]) -> Any:
        async def work(request: Request, client: HttpClient) -> Answer:
            content = await _read(request, MOST_CREDENTIALS, _CREDENTIALS_SECONDS)
            answered: Answer = await self._in_thread(answer, client, content)
            return answered

        return self._handler(work, changes=False)

    def _handler(self, work: Callable[[Request, HttpClient], Awaitable[Answer]], *, changes: bool) -> Any:
        async def handle(request: Request) -> Response:
            client = HttpClient(request)
            try:
                return _response(await work(request, client))
            except (ClientDisconnect, TimeoutError):
                return Response(status_code=400)
            except Exception as error:
                return _response(_failed(error, client, changes=changes))

        return handle

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(_THREADS)
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._threads)

    async def _body(self, request: Request, stack: contextlib.AsyncExitStack) -> bytes:
        """Of those that are large, few are there at once, from their first byte to their answer."""
        announced = request.headers.get("content-length", "")
        if not announced.isdecimal() or int(announced[:20]) > LARGE_BODY:
            with anyio.fail_after(_BODY_SECONDS):
                await self._large.acquire()
            stack.callback(self._large.release)
        return await _read(request, MOST_BODY, _BODY_SECONDS)

    def config(self, call: Call, request: Request, content: bytes) -> Answer:
        """Which catalog a client means by its `warehouse`, and what it may ask."""
        catalogs = self._clients.coordinator.catalogs_of(call.session.session)
        name = catalogs.get(request.query_params.get("warehouse") or catalogs.default).name
        return json_answer(
            {
                "defaults": {},
                "overrides": {"prefix": name},
                "endpoints": [f"{e.method} /v1/{{prefix}}{e.path}" for e in ENDPOINTS],
                # Clients that see it send keys with what they change.
                "idempotency-key-lifetime": f"PT{int(LIFETIME_SECONDS) // 60}M",
            }
        )

    def of_catalog(self, endpoint: Endpoint) -> Callable[[Call, Request, bytes], Answer]:
        def answer(call: Call, request: Request, content: bytes) -> Answer:
            names = {key: unquote_plus(value) for key, value in request.path_params.items()}
            body = read_object(content) if endpoint.method == "POST" else {}
            asked = Asked(names, request.query_params, body, request.headers.get("if-none-match"))

            def work() -> Answer:
                return self._clients.questions.answer(
                    call.session,
                    f"Iceberg REST: {endpoint.method} {request.url.path}",
                    client=call.client,
                    label=LABEL,
                    work=lambda statement: endpoint.answer(self._served(names["prefix"], statement), asked),
                )

            key = request.headers.get("idempotency-key") if endpoint.changes else None
            if key is None:
                return work()
            if len(key) > MOST_KEY:
                raise InvalidArgument("an idempotency key is a UUID")
            digest = hashlib.sha256(content).hexdigest()
            what = (call.identity.who, endpoint.method, request.url.path, request.url.query, key)
            return self._replays.once(what, digest, work)

        return answer

    def _served(self, name: str, statement: Statement) -> ServedCatalog:
        coordinator = self._clients.coordinator
        catalogs = coordinator.catalogs_of(statement.session)
        guard = Guard(coordinator.policy, statement.session.identity)
        owners = Owners(coordinator, statement.session.identity)

        def shows_text(view: View) -> bool:
            return ViewReader(Binder("", statement.session, catalogs, guard)).shows_text(view)

        return ServedCatalog(catalogs.get(name), guard, statement.check, owners, shows_text)

    def token(self, client: HttpClient, content: bytes) -> Answer:
        """Log-in by user and password, or by a key, for clients that ask for a token first; and a token that
        is still good, again."""
        form = parse_qs(content.decode("utf-8", "replace"))
        fields = {key: values[0] for key, values in form.items()}
        try:
            bearer = self._clients.calls.bearer(client, _credentials(fields, client))
        except (AuthenticationFailed, SessionExpired) as error:
            return json_answer({"error": "invalid_client", "error_description": str(error)}, 401)
        return json_answer(
            {
                "access_token": bearer,
                "token_type": "bearer",
                "issued_token_type": _TOKEN,
                "expires_in": self._clients.coordinator.config.sessions.idle_timeout,
            }
        )


def _credentials(fields: Mapping[str, str], client: HttpClient) -> Credentials:
    if "subject_token" in fields:
        return Bearer(fields["subject_token"])
    if "client_secret" in fields:
        user, secret = fields.get("client_id"), fields["client_secret"]
        return Password(user, secret) if user else Bearer(secret)
    return credentials_of(client.headers.get("authorization"))


async def _read(request: Request, most: int, seconds: float) -> bytes:
    content = bytearray()
    with anyio.fail_after(seconds):
        async for chunk in request.stream():
            content += chunk
            if len(content) > most:
                raise LimitExceeded("the request is too large", code=TOO_LARGE)
    return bytes(content)


def _failed(error: Exception, client: HttpClient, *, changes: bool) -> Answer:
    answer = failure(error, changes=changes)
    if answer.status == 500:
        cause = error.__cause__ if isinstance(error, SqeError) and error.__cause__ is not None else error
        log.error(
            "a request failed by a bug of ours", exc_info=cause, extra=request_ids(client.headers).shown()
        )
    return answer


def _response(answer: Answer) -> Response:
    media_type = None if answer.content is None else _JSON
    return Response(answer.content, answer.status, dict(answer.headers), media_type)


async def _refuse(request: Request, error: Exception) -> Response:
    return _response(error_answer(404, "NotFoundException", "there is nothing here"))
