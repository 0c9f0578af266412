"""The requests of the protocol: which there are, who makes them, and what they are answered."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sqe.doors.trino.browser_log_ins import CALLBACK, INITIATE, TOKEN, BrowserLogIns
from sqe.doors.trino.errors import text_of
from sqe.doors.trino.http_client import TrinoClient
from sqe.doors.trino.pages import query_document, query_page
from sqe.doors.trino.queries import EXECUTING, POLL_SECONDS, QUEUED, Gone, Page, Queries, Query
from sqe.doors.trino.request_headers import BadRequest, Requested, read
from sqe.doors.trino.sessions import session_for
from sqe.doors.trino.transactions import Transactions
from sqe.errors import (
    AccessDenied,
    AuthenticationFailed,
    LimitExceeded,
    NotFound,
    SessionExpired,
    SqeError,
    Unavailable,
    UserError,
)
from sqe.foundation.version import __version__
from sqe.observe.request_ids import request_ids
from sqe.server.calls import Call
from sqe.server.clients import Clients

log = logging.getLogger(__name__)

T = TypeVar("T")
THREADS = 512
"""Calls at once, and more than one user may have; each waits for a second at most."""
ENCODERS = 4
"""Pages that are made ahead at once."""
ENVIRONMENT = "sqe"
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"
_BODY_SECONDS = 30.0
_SAFE = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
# Nothing of a statement's text can run in a page.
_NO_SCRIPTS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
_COOKIE = "sqe_log_in"
HOLD_SECONDS = 30.0
"""How long a client waits for a person to log in, before it has to ask again."""
_LOOK_SECONDS = 0.1
_TOKEN = re.compile(r"[0-9]{1,18}")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
# What a client is told to try again later for, and what it is not let in for.
_STATUS: tuple[tuple[type[SqeError], int], ...] = (
    (BadRequest, 400),
    (AuthenticationFailed, 401),
    (SessionExpired, 401),
    (AccessDenied, 403),
    (Gone, 410),
    (NotFound, 404),
    (LimitExceeded, 429),
    (Unavailable, 503),
    (UserError, 400),
)
_CHALLENGES = ('Basic realm="Trino"', 'Bearer realm="Trino"')


class TrinoApp:
    """The door's state, and its endpoints."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        config = clients.coordinator.config
        self._longest = config.query.max_sql_bytes
        self._trusted = [ipaddress.ip_network(network) for network in config.security.trusted_proxies]
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sqe-trino")
        self._encoders = ThreadPoolExecutor(ENCODERS, thread_name_prefix="sqe-trino-rows")
        self._began = time.time()
        self.queries = Queries()
        self.log_ins = _browser_log_ins(clients)
        self.transactions = Transactions()
        self.draining = False

    def asgi(self) -> Any:
        page = "/{id}/{slug}/{token}"
        cut_short = "/v1/statement/executing/partialCancel/{id}/{stage}/{slug}/{token}"
        routes = [
            _route("POST", "/v1/statement", self._post),
            _route("HEAD", "/v1/statement", self._called(lambda call, request: Response())),
            _route("DELETE", cut_short, self._called(self._cut_short)),
            _route("GET", "/v1/info", self._info),
            _route("GET", "/v1/info/state", self._state),
            _route("GET", "/v1/status", self._called(self._status)),
            _route("GET", "/v1/node", self._called(lambda call, request: _json([]))),
            _route("GET", "/v1/query/{id}", self._called(self._query)),
            _route("GET", "/ui/query.html", self._called(self._query_page)),
        ]
        for phase in (QUEUED, EXECUTING):
            path = f"/v1/statement/{phase}{page}"
            routes += [
                _route("GET", path, self._called(partial(self._page, phase))),
                _route("HEAD", path, self._called(partial(self._heartbeat, phase))),
                _route("DELETE", path, self._called(partial(self._cancel, phase))),
            ]
        if self.log_ins is not None:
            routes += [
                _route("GET", INITIATE + "/{hash}", self._answered(self._log_in)),
                _route("GET", CALLBACK, self._answered(self._come_back)),
                _route("GET", TOKEN + "/{secret}", self._answered(self._token)),
                _route("DELETE", TOKEN + "/{secret}", self._answered(self._forget)),
            ]
        app = Starlette(routes=routes)
        app.router.redirect_slashes = False
        return app

    def close(self) -> None:
        self.queries.close()
        for pool in (self._threads, self._encoders):
            pool.shutdown(wait=False, cancel_futures=True)

    def _called(self, answer: Callable[[Call, Request], Response]) -> Any:
        """An endpoint of clients who have logged in; it may wait."""

        async def work(request: Request, client: TrinoClient) -> Response:
            def with_call() -> Response:
                with self._clients.calls.begin(client) as call:
                    return answer(call, request)

            return await self._in_thread(with_call)

        return self._answered(work)

    def _answered(self, work: Callable[[Request, TrinoClient], Awaitable[Response]]) -> Any:
        async def handle(request: Request) -> Response:
            try:
                client = TrinoClient(request, self._trusted)
            except BadRequest as error:
                return _plain(error.message, 400)
            try:
                return await work(request, client)
            except (ClientDisconnect, TimeoutError):
                return Response(status_code=400)
            except SqeError as error:
                return self._refusal(error, client)
            except Exception as bug:
                log.error(
                    "a request failed by a bug of ours",
                    exc_info=bug,
                    extra=request_ids(client.headers).shown(),
                )
                return _plain("a bug of ours", 500)

        return handle

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _refusal(self, error: SqeError, client: TrinoClient) -> Response:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        response = _plain(text_of(error), status)
        if status == 401:
            challenges = list(_CHALLENGES)
            if self.log_ins is not None:
                challenges.insert(0, self.log_ins.challenge(client.base))
            for challenge in challenges:
                response.headers.append("WWW-Authenticate", challenge)
        if status in (429, 503):
            response.headers["Retry-After"] = "1"
        return response

    async def _log_in(self, request: Request, client: TrinoClient) -> Response:
        log_ins, hash_ = self._known_log_ins, request.path_params["hash"]
        redirect = await self._in_thread(partial(log_ins.begin, hash_, client.base))
        response = Response(status_code=303, headers={"Location": redirect.url, **_SAFE})
        response.set_cookie(
            _COOKIE,
            redirect.cookie,
            path=CALLBACK,
            httponly=True,
            samesite="lax",
            secure=client.base.startswith("https"),
        )
        return response

    async def _come_back(self, request: Request, client: TrinoClient) -> Response:
        query, cookie = request.query_params, request.cookies.get(_COOKIE)
        arguments = (query.get("state", ""), query.get("code"), query.get("iss"), cookie)
        logged_in = await self._in_thread(partial(self._known_log_ins.come_back, *arguments))
        text = "You are logged in." if logged_in else "You are not logged in."
        page = f"<!doctype html><title>SQE</title><p>{text} You may close this window."
        return Response(page, 200 if logged_in else 400, _SAFE | _NO_SCRIPTS, "text/html")

    async def _token(self, request: Request, client: TrinoClient) -> Response:
        """Some clients ask five times only: each time has to be long enough for a person."""
        log_ins, secret = self._known_log_ins, request.path_params["secret"]
        deadline = time.monotonic() + HOLD_SECONDS
        while (outcome := log_ins.outcome(secret)) is None:
            if time.monotonic() > deadline or await request.is_disconnected():
                return _json({"nextUri": f"{client.base}{TOKEN}/{secret}"})
            await asyncio.sleep(_LOOK_SECONDS)
        return _json(dict([outcome]))

    async def _forget(self, request: Request, client: TrinoClient) -> Response:
        self._known_log_ins.forget(request.path_params["secret"])
        return Response(status_code=204)

    @property
    def _known_log_ins(self) -> BrowserLogIns:
        assert self.log_ins is not None
        return self.log_ins

    @property
    def _post(self) -> Any:
        async def work(request: Request, client: TrinoClient) -> Response:
            # Nothing of its body is read before it is known who sends it.
            begun: AbstractContextManager[Call] = self._clients.calls.begin(client)
            call = await self._in_thread(begun.__enter__)

            def ended() -> None:
                begun.__exit__(None, None, None)

            try:
                content = await _body(request, self._longest)
                asked = read(request.headers, longest_statement=self._longest)
            except BaseException:
                await self._in_thread(ended)
                raise

            def submitted() -> Response:
                try:
                    return self._submit(call, client, asked, content)
                finally:
                    ended()

            return await self._in_thread(submitted)

        return self._answered(work)

    def _submit(self, call: Call, client: TrinoClient, asked: Requested, content: bytes) -> Response:
        if self.draining:
            raise Unavailable("the server is shutting down", code="SERVER_SHUTTING_DOWN")
        text = content.decode("utf-8", "replace")
        if not text.strip():
            raise BadRequest("SQL statement is empty")
        failure: SqeError | None = None
        try:
            session = session_for(call, asked, self.transactions)
        except UserError as error:
            failure, session = error, self._clients.coordinator.session(call.identity)
        held = call.session
        running = self._clients.running.announce(held, text, client=client, settings=session)
        query = Query(
            running,
            asked,
            session,
            statements=self._clients.running,
            transactions=self.transactions,
            threads=self._encoders,
        )
        if failure is not None:
            query.fail(failure)
        # The session lasts as long as the statement, however long its client thinks about the rows.
        if self._clients.sessions.enter(held):
            self.queries.add(query, lambda: self._clients.sessions.leave(held))
        else:
            self.queries.add(query)
            self._clients.running.cancel(running)
        return _answer(query, query.first_page, client.base)

    def _page(self, phase: str, call: Call, request: Request) -> Response:
        query, token = self._found(call, request, phase)
        seconds = _wait(request.query_params.get("maxWait"))
        return _answer(query, query.page(phase, token, seconds), _base(call))

    def _heartbeat(self, phase: str, call: Call, request: Request) -> Response:
        self._found(call, request, phase)
        return Response()

    def _cancel(self, phase: str, call: Call, request: Request) -> Response:
        query, _ = self._found(call, request, phase)
        query.cancel()
        return Response(status_code=204)

    def _cut_short(self, call: Call, request: Request) -> Response:
        query, _ = self._found(call, request, EXECUTING)
        query.cut_short()
        return Response(status_code=204)

    def _found(self, call: Call, request: Request, phase: str) -> tuple[Query, int]:
        names = request.path_params
        query = self._of_caller(call, request, names["id"])
        token = int(names["token"]) if _TOKEN.fullmatch(names["token"]) else -1
        if not query.opens(phase, names["slug"], token):
            raise NotFound("there is no such query", code="NOT_FOUND")
        return query, token

    def _of_caller(self, call: Call, request: Request, id_: str) -> Query:
        name = None
        if not call.is_proven:
            headers = request.headers
            name = headers.get("x-trino-user") or headers.get("x-presto-user")
        return self.queries.find(id_, call.identity, name)

    async def _info(self, request: Request) -> Response:
        return _json({**self._node(), "starting": False, "uptime": self._uptime()})

    async def _state(self, request: Request) -> Response:
        return _json("SHUTTING_DOWN" if self.draining else "ACTIVE")

    def _status(self, call: Call, request: Request) -> Response:
        return _json({"nodeId": ENVIRONMENT, **self._node(), "uptime": self._uptime()})

    def _query(self, call: Call, request: Request) -> Response:
        query = self._of_caller(call, request, request.path_params["id"])
        return _json(query_document(query, _base(call)))

    def _query_page(self, call: Call, request: Request) -> Response:
        query = self._of_caller(call, request, request.url.query)
        return Response(query_page(query), headers=_SAFE | _NO_SCRIPTS, media_type="text/html")

    def _node(self) -> dict[str, Any]:
        return {"nodeVersion": {"version": __version__}, "environment": ENVIRONMENT, "coordinator": True}

    def _uptime(self) -> str:
        return f"{time.time() - self._began:.2f}s"


def _browser_log_ins(clients: Clients) -> BrowserLogIns | None:
    """Where an identity provider is configured that people log in with."""
    settings = clients.coordinator.config.auth.external
    if settings.issuer is None or settings.client_id is None:
        return None
    from sqe.auth.logins.external import external_of

    return BrowserLogIns(external_of(settings, device=False))


def _route(method: str, path: str, endpoint: Any) -> Route:
    route = Route(path, endpoint, methods=[method])
    # Else HEAD would be answered by GET.
    route.methods = {method}
    return route


def _base(call: Call) -> str:
    client = call.client
    assert isinstance(client, TrinoClient)
    return client.base


def _wait(asked: str | None) -> float:
    match = _DURATION.fullmatch(asked or "")
    if match is None:
        return POLL_SECONDS
    return min(POLL_SECONDS, float(match[1]) * (0.001 if match[2] == "ms" else 1.0))


async def _body(request: Request, most: int) -> bytes:
    content = bytearray()
    async with asyncio.timeout(_BODY_SECONDS):
        async for chunk in request.stream():
            content += chunk
            if len(content) > most:
                raise BadRequest(f"the statement has more than {most} bytes (query.max_sql_bytes)")
    return bytes(content)


def _answer(query: Query, page: Page, base: str) -> Response:
    document = dict(page.document)
    head: dict[str, Any] = {"id": document.pop("id"), "infoUri": f"{base}/ui/query.html?{query.id}"}
    if page.next is not None:
        phase, token = page.next
        place = f"{query.id}/{query.slug(phase, token)}/{token}"
        if phase == EXECUTING and page.columns is not None:
            stage = f"{query.id}/0/{query.slug(phase, token)}/{token}"
            head["partialCancelUri"] = f"{base}/v1/statement/{phase}/partialCancel/{stage}"
        head["nextUri"] = f"{base}/v1/statement/{phase}/{place}"
    pieces = [json.dumps(head).encode()[:-1]]
    if page.columns is not None:
        pieces += [b', "columns": ', page.columns]
    if page.rows is not None:
        pieces += [b', "data": ', page.rows]
    pieces += [b", ", json.dumps(document).encode()[1:]]
    response = Response(b"".join(pieces), headers=_SAFE, media_type=_JSON)
    for name, value in page.headers:
        response.headers.append(name, value)
    if query.encoding is not None and page.columns is not None:
        response.headers.append(f"{query.asked.prefix}Query-Data-Encoding", query.encoding)
    return response


def _json(content: object) -> Response:
    return Response(json.dumps(content), headers=_SAFE, media_type=_JSON)


def _plain(text: str, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(text, status, _SAFE | (headers or {}), _TEXT)
