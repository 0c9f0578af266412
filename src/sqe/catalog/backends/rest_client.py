"""An Iceberg REST catalog: JSON there and back, and its errors as ours."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from sqe.catalog.backends.rest_answers import Answer, Answers, Changes
from sqe.errors import AccessDenied, ConfigError, SqeError, Unavailable, UserError
from sqe.foundation.record import record
from sqe.session import TokenSource

if TYPE_CHECKING:
    from sqe.catalog.backends.rest_connections import Connections

# Catalogs answer within a second, and statements wait for them: one that has said nothing for this long will
# not, and one that can be reached at all is reached by the second or third packet.
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 20.0
# The token is no longer good, or never was.
_NOT_KNOWN = (401, 419)
# What Nessie says with status 500 to somebody who may not.
_DENIALS = ("AccessCheckException",)
# Keys for the files of a table, please, and no signing of requests.
_DELEGATION = {"X-Iceberg-Access-Delegation": "vended-credentials"}
# More than any catalog has: a server that sends on is not one.
MOST_PAGES = 10_000
MOST_ITEMS = 1_000_000
_VIEWS = "GET /v1/{prefix}/namespaces/{namespace}/views"
_TRANSACTIONS = "POST /v1/{prefix}/transactions/commit"


class RestError(Exception):
    """An answer that the caller may expect: a name that is not there (404), or is already (409)."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class Denied(AccessDenied):
    """The server knows who asks, and that they may not."""


@record
class ServerConfig:
    """What the server says about itself: where its paths begin, and what it can do."""

    prefix: str
    separator: str
    views: bool
    transactions: bool


@dataclass(slots=True)
class Learnt:
    """What the server has said of itself to somebody, and for a time what else it has answered; nothing of
    that without `answers`."""

    config: ServerConfig | None = None
    answers: Answers | None = None


class RestServer:
    """Where it is, the connections to it, which all who ask share, and what was changed through them."""

    def __init__(self, catalog: str, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ConfigError(
                f"catalog '{catalog}': its catalog_url is not an address",
                hint='write "https://host:8181/path"',
            )
        self.base = parts.path.rstrip("/")
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._connections: Connections | None = None
        self.changes = Changes()

    def connections(self) -> Connections:
        from sqe.catalog.backends.rest_connections import Connections

        connections = self._connections
        if connections is None:
            connections = self._connections = Connections(self._host, self._port, secure=self._secure)
        return connections

    def close(self) -> None:
        connections, self._connections = self._connections, None
        if connections is not None:
            connections.close()


class RestClient:
    """A server on behalf of the catalog `catalog`, for the one whose `tokens` they are."""

    def __init__(
        self,
        catalog: str,
        server: RestServer,
        *,
        warehouse: str,
        tokens: TokenSource | None = None,
        learnt: Learnt | None = None,
    ) -> None:
        self._catalog = catalog
        self._server = server
        self._warehouse = warehouse
        self._tokens = tokens
        self._learnt = learnt or Learnt()
        self._answers = self._learnt.answers

    def acting_with(self, tokens: TokenSource | None, learnt: Learnt) -> RestClient:
        return RestClient(
            self._catalog, self._server, warehouse=self._warehouse, tokens=tokens, learnt=learnt
        )

    def asking_anew(self) -> RestClient:
        """The same, without what was answered before."""
        client = copy.copy(self)
        client._answers = None
        return client

    @property
    def has_views(self) -> bool:
        return self._server_config().views

    @property
    def has_transactions(self) -> bool:
        """Commits of several tables, which belong to every server that does not say what it has."""
        return self._server_config().transactions

    def get(self, *path: str | tuple[str, ...], query: Mapping[str, str] | None = None) -> dict[str, Any]:
        return self.read(*path, query=query).content

    def read(self, *path: str | tuple[str, ...], query: Mapping[str, str] | None = None) -> Answer:
        """As it is now, or as it was answered a while ago to the same token."""
        target, answers = self._path(path, query), self._answers
        if answers is None:
            return self._call("GET", target)[0]
        # Whose session has ended learns so here, also where the answer is known.
        token = self._token()
        answer = answers.find(token, target)
        if answer is None:
            change = self._server.changes.last
            answer, token = self._call("GET", target, token=token)
            answers.keep(token, target, answer, schema=self._schema(path), change=change)
        return answer

    def post(self, *path: str | tuple[str, ...], body: Mapping[str, Any]) -> dict[str, Any]:
        return self._change("POST", path, None, body)

    def delete(self, *path: str | tuple[str, ...], query: Mapping[str, str] | None = None) -> None:
        self._change("DELETE", path, query)

    def _change(
        self,
        method: str,
        path: tuple[str | tuple[str, ...], ...],
        query: Mapping[str, str] | None,
        body: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        try:
            return self._call(method, self._path(path, query), body)[0].content
        finally:
            # Whatever came of it. What only makes or drops a schema may be seen in the lists of others.
            self._server.changes.add(self._schema(path) if len(path) > 2 else None)

    def _schema(self, path: tuple[str | tuple[str, ...], ...]) -> str:
        """The schema that a path leads into; none for lists of schemas."""
        namespace = path[1] if path[0] == "namespaces" and len(path) > 1 else ()
        return self.namespace_text(namespace) if isinstance(namespace, tuple) else ""

    def listed(
        self, *path: str | tuple[str, ...], key: str, query: Mapping[str, str] | None = None
    ) -> list[Any]:
        """All pages of a list."""
        items: list[Any] = []
        token = ""
        seen: set[str] = set()
        while len(seen) < MOST_PAGES and len(items) <= MOST_ITEMS:
            answer = self.get(*path, query={**(query or {}), "pageToken": token})
            page = answer.get(key) or []
            if not isinstance(page, list):
                raise self.no_catalog()
            items += page
            following = answer.get("next-page-token")
            if not following or following == token:
                return items
            token = str(following)
            if token in seen:
                break
            seen.add(token)
        raise self._fault(f"lists its {key} without end", "check that it is well")

    def namespace_text(self, namespace: tuple[str, ...]) -> str:
        return self._server_config().separator.join(namespace)

    def close(self) -> None:
        self._server.close()

    def _server_config(self) -> ServerConfig:
        # Concurrent callers each ask: one after the other, the last would wait for the timeouts of all.
        config = self._learnt.config
        if config is None:
            config = self._learnt.config = self._fetch_config()
        return config

    def _fetch_config(self) -> ServerConfig:
        query = urlencode({"warehouse": self._warehouse})
        try:
            answer = self._call("GET", f"{self._server.base}/v1/config?{query}")[0].content
        except RestError as error:
            raise Unavailable(
                f"catalog '{self._catalog}' does not know its warehouse, or is no Iceberg REST catalog",
                code="ICEBERG_CATALOG_ERROR",
                hint="check catalog_url and warehouse of the catalog",
            ) from error
        defaults, overrides = answer.get("defaults") or {}, answer.get("overrides") or {}
        endpoints = answer.get("endpoints") or []
        if not (isinstance(defaults, dict) and isinstance(overrides, dict) and isinstance(endpoints, list)):
            raise self.no_catalog()
        properties = {**defaults, **overrides}
        views = _VIEWS in endpoints if endpoints else properties.get("view-endpoints-supported") == "true"
        return ServerConfig(
            str(properties.get("prefix") or ""),
            str(properties.get("namespace-separator") or "\x1f"),
            views,
            _TRANSACTIONS in endpoints if endpoints else True,
        )

    def _path(self, parts: tuple[str | tuple[str, ...], ...], query: Mapping[str, str] | None) -> str:
        """Of words as they are, and of names: a schema's is a tuple, a table's a tuple of one."""
        prefix = self._server_config().prefix
        words = [
            part if isinstance(part, str) else quote(self.namespace_text(part), safe="") for part in parts
        ]
        path = "/".join((self._server.base, "v1", *([prefix] if prefix else []), *words))
        return f"{path}?{urlencode(query)}" if query else path

    def _token(self) -> str | None:
        return None if self._tokens is None else self._tokens.current()

    def _call(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, token: str | None = None
    ) -> tuple[Answer, str | None]:
        """The answer, and the token that it was given for: the newest, or another one, once more, if the
        server refuses that."""
        token = self._token() if token is None else token
        status, content = self._exchange(method, path, body, token)
        if status in _NOT_KNOWN and token is not None and self._tokens is not None:
            renewed = self._tokens.renewed_after(token)
            if renewed is not None:
                token = renewed
                status, content = self._exchange(method, path, body, token)
        return Answer(self._answer(method, status, content), time.time(), len(content)), token

    def _exchange(
        self, method: str, path: str, body: Mapping[str, Any] | None, token: str | None
    ) -> tuple[int, bytes]:
        from sqe.catalog.backends.rest_connections import Broken, NotSent, Silent, TooLarge, timeout

        headers = {"Accept": "application/json", "User-Agent": "sqe", **_DELEGATION}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        seconds = timeout(connect=CONNECT_SECONDS, answer=ANSWER_SECONDS)
        try:
            return self._server.connections().exchange(method, path, content, headers, seconds)
        except NotSent as error:
            raise self._unreachable() from error
        except Silent as error:
            raise (self._silent() if method == "GET" else self._unknown()) from error
        except TooLarge as error:
            raise self._fault("answers with more than 256 MiB", "check that it is well") from error
        except Broken as error:
            raise (self._unreachable() if method == "GET" else self._unknown()) from error

    def _answer(self, method: str, status: int, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content) if content.strip() else {}
        except (ValueError, RecursionError):
            answer = None
        if status < 300:
            if not isinstance(answer, dict):
                raise self.no_catalog()
            return answer
        error = answer.get("error") if isinstance(answer, dict) else None
        error = error if isinstance(error, dict) else {}
        kind, message = str(error.get("type") or ""), str(error.get("message") or "")
        if status in (404, 409):
            raise RestError(status, kind, message)
        if status in _NOT_KNOWN:
            raise self._not_known()
        if status == 403 or (status == 500 and kind in _DENIALS):
            raise Denied(
                f"catalog '{self._catalog}' does not allow this",
                hint="whoever grants rights in that catalog can allow it",
            )
        if status in (400, 406, 422, 501):
            raise UserError(
                f"catalog '{self._catalog}' refuses this: {message or kind or status}",
                code="NOT_SUPPORTED" if status in (406, 501) else "ICEBERG_CATALOG_ERROR",
            )
        if method != "GET" and status in (500, 502, 504):
            # A proxy that says this does not know what the server has done.
            raise self._unknown()
        raise self._fault(f"cannot answer: HTTP status {status}")

    def no_catalog(self) -> SqeError:
        return self._fault("does not answer as an Iceberg REST catalog")

    def _not_known(self) -> SqeError:
        if self._tokens is None:
            return AccessDenied(
                f"catalog '{self._catalog}' asks for a token, and there is none",
                hint="log in with a token or through an identity provider, or set the catalog's auth",
            )
        return AccessDenied(
            f"catalog '{self._catalog}' does not accept the token that it is asked with", hint="log in again"
        )

    def _unreachable(self) -> SqeError:
        return self._fault("cannot be reached", "check that it runs, and its catalog_url")

    def _silent(self) -> SqeError:
        return self._fault(f"does not answer within {ANSWER_SECONDS:g} s", "check that it is well")

    def _unknown(self) -> SqeError:
        return self._fault("did not say whether the change was made", "look before you try again")

    def _fault(self, what: str, hint: str | None = None) -> SqeError:
        return Unavailable(f"catalog '{self._catalog}' {what}", code="ICEBERG_CATALOG_ERROR", hint=hint)
