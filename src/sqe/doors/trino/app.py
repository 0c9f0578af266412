"""The requests of statements: which there are, and what they are answered."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from sqe.doors.trino.browser_log_ins import BrowserLogIns
from sqe.doors.trino.endpoints import JSON, NO_SCRIPTS, SAFE, Endpoints, body, json_answer, route
from sqe.doors.trino.http_client import TrinoClient
from sqe.doors.trino.log_in_pages import LogInPages
from sqe.doors.trino.pages import query_document, query_page
from sqe.doors.trino.queries import EXECUTING, POLL_SECONDS, QUEUED, Page, Queries, Query
from sqe.doors.trino.request_headers import BadRequest, Requested, read
from sqe.doors.trino.sessions import session_for
from sqe.doors.trino.transactions import Transactions
from sqe.errors import NotFound, SqeError, Unavailable, UserError
from sqe.foundation.version import __version__
from sqe.server.calls import Call
from sqe.server.clients import Clients

ENCODERS = 4
"""Pages that are made ahead at once."""
ENVIRONMENT = "sqe"
_BODY_SECONDS = 30.0
_TOKEN = re.compile(r"[0-9]{1,18}")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
_CHALLENGES = ('Basic realm="Trino"', 'Bearer realm="Trino"')


class TrinoApp:
    """The door's state, and its endpoints."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        config = clients.coordinator.config
        self._longest = config.query.max_sql_bytes
        self._endpoints = Endpoints(config.security.trusted_proxies, self._challenges)
        self._encoders = ThreadPoolExecutor(ENCODERS, thread_name_prefix="sqe-trino-rows")
        self._began = time.time()
        self.queries = Queries()
        self._log_ins = _log_in_pages(clients)
        self.transactions = Transactions()
        self.draining = False

    def asgi(self) -> Any:
        page = "/{id}/{slug}/{token}"
        cut_short = "/v1/statement/executing/partialCancel/{id}/{stage}/{slug}/{token}"
        routes = [
            route("POST", "/v1/statement", self._post),
            route("HEAD", "/v1/statement", self._called(lambda call, request: Response())),
            route("DELETE", cut_short, self._called(self._cut_short)),
            route("GET", "/v1/info", self._info),
            route("GET", "/v1/info/state", self._state),
            route("GET", "/v1/status", self._called(self._status)),
            route("GET", "/v1/node", self._called(lambda call, request: json_answer([]))),
            route("GET", "/v1/query/{id}", self._called(self._query)),
            route("GET", "/ui/query.html", self._called(self._query_page)),
        ]
        for phase in (QUEUED, EXECUTING):
            path = f"/v1/statement/{phase}{page}"
            routes += [
                route("GET", path, self._called(partial(self._page, phase))),
                route("HEAD", path, self._called(partial(self._heartbeat, phase))),
                route("DELETE", path, self._called(partial(self._cancel, phase))),
            ]
        if self._log_ins is not None:
            routes += self._log_ins.routes(self._endpoints)
        app = Starlette(routes=routes)
        app.router.redirect_slashes = False
        return app

    def close(self) -> None:
        self.queries.close()
        self._endpoints.close()
        self._encoders.shutdown(wait=False, cancel_futures=True)

    def _called(self, answer: Callable[[Call, Request], Response]) -> Any:
        """An endpoint of clients who have logged in; it may wait."""

        async def work(request: Request, client: TrinoClient) -> Response:
            def with_call() -> Response:
                with self._clients.calls.begin(client) as call:
                    return answer(call, request)

            return await self._endpoints.in_thread(with_call)

        return self._endpoints.answered(work)

    def _challenges(self, client: TrinoClient) -> list[str]:
        in_browser = None if self._log_ins is None else self._log_ins.challenge(client)
        return [*([] if in_browser is None else [in_browser]), *_CHALLENGES]

    @property
    def log_ins(self) -> BrowserLogIns | None:
        return None if self._log_ins is None else self._log_ins.log_ins

    @property
    def _post(self) -> Any:
        async def work(request: Request, client: TrinoClient) -> Response:
            # Nothing of its body is read before it is known who sends it.
            begun: AbstractContextManager[Call] = self._clients.calls.begin(client)
            call = await self._endpoints.in_thread(begun.__enter__)

            def ended() -> None:
                begun.__exit__(None, None, None)

            try:
                content = await body(
                    request, self._longest, seconds=_BODY_SECONDS, limit="query.max_sql_bytes"
                )
                asked = read(request.headers, longest_statement=self._longest)
            except BaseException:
                await self._endpoints.in_thread(ended)
                raise

            def submitted() -> Response:
                try:
                    return self._submit(call, client, asked, content)
                finally:
                    ended()

            return await self._endpoints.in_thread(submitted)

        return self._endpoints.answered(work)

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
        return json_answer({**self._node(), "starting": False, "uptime": self._uptime()})

    async def _state(self, request: Request) -> Response:
        return json_answer("SHUTTING_DOWN" if self.draining else "ACTIVE")

    def _status(self, call: Call, request: Request) -> Response:
        return json_answer({"nodeId": ENVIRONMENT, **self._node(), "uptime": self._uptime()})

    def _query(self, call: Call, request: Request) -> Response:
        query = self._of_caller(call, request, request.path_params["id"])
        return json_answer(query_document(query, _base(call)))

    def _query_page(self, call: Call, request: Request) -> Response:
        query = self._of_caller(call, request, request.url.query)
        return Response(query_page(query), headers=SAFE | NO_SCRIPTS, media_type="text/html")

    def _node(self) -> dict[str, Any]:
        return {"nodeVersion": {"version": __version__}, "environment": ENVIRONMENT, "coordinator": True}

    def _uptime(self) -> str:
        return f"{time.time() - self._began:.2f}s"


def _log_in_pages(clients: Clients) -> LogInPages | None:
    """Where an identity provider is configured that people log in with."""
    settings = clients.coordinator.config.auth.external
    if settings.issuer is None or settings.client_id is None:
        return None
    from sqe.auth.logins.external import external_of

    return LogInPages(BrowserLogIns(external_of(settings, device=False)), settings.server_url)


def _base(call: Call) -> str:
    client = call.client
    assert isinstance(client, TrinoClient)
    return client.base


def _wait(asked: str | None) -> float:
    match = _DURATION.fullmatch(asked or "")
    if match is None:
        return POLL_SECONDS
    return min(POLL_SECONDS, float(match[1]) * (0.001 if match[2] == "ms" else 1.0))


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
    response = Response(b"".join(pieces), headers=SAFE, media_type=JSON)
    for name, value in page.headers:
        response.headers.append(name, value)
    if query.encoding is not None and page.columns is not None:
        response.headers.append(f"{query.asked.prefix}Query-Data-Encoding", query.encoding)
    return response
