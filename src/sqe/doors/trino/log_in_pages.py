"""The pages of a log-in in a browser, and where its client waits for the token."""

from __future__ import annotations

import asyncio
import secrets
import time
from functools import partial
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sqe.doors.trino.browser_log_ins import CALLBACK, INITIATE, TOKEN, Asked, BrowserLogIns
from sqe.doors.trino.endpoints import NO_SCRIPTS, SAFE, Endpoints, body, json_answer, route
from sqe.foundation.loopback import is_loopback

if TYPE_CHECKING:
    from sqe.doors.trino.http_client import TrinoClient

HOLD_SECONDS = 30.0
"""How long a client waits for a person to log in, before it has to ask again."""
_LOOK_SECONDS = 0.1
_COOKIE, _CONFIRMATION = "sqe_log_in", "sqe_confirm"
_FORM_BYTES, _FORM_SECONDS = 4096, 10.0
_PAGE = "<!doctype html><meta charset=utf-8><title>SQE</title>"


class LogInPages:
    """The endpoints. `server_url` is the address by which browsers reach this port, if it is configured."""

    def __init__(self, log_ins: BrowserLogIns, server_url: str | None) -> None:
        self.log_ins = log_ins
        self._server_url = server_url

    def challenge(self, client: TrinoClient) -> str | None:
        """What a client without credentials is told; None where nothing says by which address its user's
        browser would come back: a `Host` header alone is what anybody chooses."""
        base = self._base(client)
        if base is None:
            return None
        return self.log_ins.challenge(base, client.host, client.headers.get("user-agent", ""))

    def routes(self, endpoints: Endpoints) -> list[Route]:
        self._endpoints = endpoints
        answered = endpoints.answered
        return [
            route("GET", INITIATE + "/{hash}", answered(self._ask)),
            route("POST", INITIATE + "/{hash}", answered(self._begin)),
            route("GET", CALLBACK, answered(self._come_back)),
            route("GET", TOKEN + "/{secret}", answered(self._token)),
            route("DELETE", TOKEN + "/{secret}", answered(self._forget)),
        ]

    async def _ask(self, request: Request, client: TrinoClient) -> Response:
        """A link can come from anybody. Whoever follows it is shown which program waits for their log-in, and
        begins it themselves."""
        asked = self.log_ins.asked(request.path_params["hash"], request.query_params.get("from", ""))
        confirmation = secrets.token_urlsafe(32)
        page = _question(asked, client.host, confirmation)
        response = Response(page, headers=SAFE | NO_SCRIPTS, media_type="text/html")
        self._set_cookie(response, client, _CONFIRMATION, confirmation, INITIATE, "strict")
        return response

    async def _begin(self, request: Request, client: TrinoClient) -> Response:
        content = await body(request, _FORM_BYTES, seconds=_FORM_SECONDS, limit="a form of ours is smaller")
        form = parse_qs(content.decode("ascii", "replace"))
        log_ins, hash_ = self.log_ins, request.path_params["hash"]
        log_ins.asked(hash_, request.query_params.get("from", ""))
        # The form came from our page in this browser: another site knows neither, and sends no such cookie.
        confirmation = request.cookies.get(_CONFIRMATION, "")
        log_ins.check_same(confirmation, form.get("confirm", [""])[0])
        base = self._base(client)
        begin = partial(log_ins.begin, hash_, base, address=client.host, browser=confirmation)
        redirect = await self._endpoints.in_thread(begin)
        response = Response(status_code=303, headers={"Location": redirect.url, **SAFE})
        self._set_cookie(response, client, _COOKIE, redirect.cookie, CALLBACK, "lax")
        return response

    async def _come_back(self, request: Request, client: TrinoClient) -> Response:
        query, cookie = request.query_params, request.cookies.get(_COOKIE)
        arguments = (query.get("state", ""), query.get("code"), query.get("iss"), cookie)
        logged_in = await self._endpoints.in_thread(partial(self.log_ins.come_back, *arguments))
        text = "You are logged in." if logged_in else "You are not logged in."
        page = f"{_PAGE}<p>{text} You may close this window."
        return Response(page, 200 if logged_in else 400, SAFE | NO_SCRIPTS, "text/html")

    async def _token(self, request: Request, client: TrinoClient) -> Response:
        """Some clients ask five times only: each time has to be long enough for a person."""
        secret = request.path_params["secret"]
        deadline = time.monotonic() + HOLD_SECONDS
        while (outcome := self.log_ins.outcome(secret)) is None:
            if time.monotonic() > deadline or await request.is_disconnected():
                return json_answer({"nextUri": f"{client.base}{TOKEN}/{secret}"})
            await asyncio.sleep(_LOOK_SECONDS)
        return json_answer(dict([outcome]))

    async def _forget(self, request: Request, client: TrinoClient) -> Response:
        self.log_ins.forget(request.path_params["secret"])
        return Response(status_code=204)

    def _base(self, client: TrinoClient) -> str | None:
        if self._server_url is not None:
            return self._server_url.rstrip("/")
        if client.is_forwarded or (is_loopback(client.host) and client.names_loopback):
            return client.base
        return None

    def _set_cookie(
        self, response: Response, client: TrinoClient, name: str, value: str, path: str, same_site: str
    ) -> None:
        secure = (self._base(client) or client.base).startswith("https")
        response.set_cookie(
            name,
            value,
            path=path,
            httponly=True,
            samesite="strict" if same_site == "strict" else "lax",
            secure=secure,
        )


def _question(asked: Asked, address: str, confirmation: str) -> str:
    elsewhere = (
        ""
        if asked.address == address
        else f"<p><b>That is another machine than this browser's ({escape(address)}).</b>"
    )
    program = escape(asked.program) or "which does not say what it is"
    return (
        f"{_PAGE}<h1>Log in?</h1>"
        f"<p>A program at <b>{escape(asked.address)}</b> ({program}) asks to work under your name. "
        f"It began {asked.seconds} seconds ago.{elsewhere}"
        "<p>Go on only if you have started it yourself just now. If somebody has sent you this link, close"
        " the window: whoever did so would work as you."
        f'<form method="post"><input type="hidden" name="confirm" value="{confirmation}">'
        "<button>It is mine: log in</button></form>"
    )
