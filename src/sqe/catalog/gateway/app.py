"""The REST protocol of Iceberg as far as Spark needs it for a statement that was bound: load, stage, commit.

Whatever is not one of these is refused. An error before anything was changed is never a 5xx: Spark would take
the outcome for unknown, and leave its files.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sqe.catalog.gateway.bindings import Access, Binding, Bindings, Commit, Namespace
from sqe.catalog.gateway.gateway import SECRET_HEADER
from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.requests import read_object
from sqe.catalog.iceberg.strict import InvalidCommit
from sqe.catalog.iceberg.table import TableMetadata, tag_of
from sqe.catalog.io.location import scheme_of
from sqe.catalog.io.storage import (
    ACCESS_KEY,
    ALLOW_HTTP,
    EXPIRES_AT_MS,
    SECRET_KEY,
    SESSION_TOKEN,
    Storage,
    refuse_plain_http,
)
from sqe.errors import AlreadyExists, CommitConflict, NotFound, SqeError, Unavailable
from sqe.foundation.record import record

log = logging.getLogger(__name__)

MOST_BODY = 64 << 20
"""Bytes of a commit. One with thousands of snapshots or columns has some megabytes."""
# Where Iceberg's S3FileIO asks for the next keys, on the driver and on executors.
_REFRESH = "client.refresh-credentials-endpoint"
_KEYS = (ACCESS_KEY, SECRET_KEY, SESSION_TOKEN, EXPIRES_AT_MS)
_PROVIDER = "client.credentials-provider"
_ANONYMOUS = {_PROVIDER: "software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider"}
# By default Iceberg chooses one by the scheme of each file: a table in a store has no files elsewhere, and a
# local one none in a store.
_STORE_FILES = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}
_LOCAL_FILES = {"io-impl": "org.apache.iceberg.hadoop.HadoopFileIO"}
# A store that is silent fails a statement after a minute or so, and does not hold it for ten.
STORE_LIMITS = {
    "http-client.apache.connection-timeout-ms": "5000",
    "http-client.apache.socket-timeout-ms": "20000",
    "s3.retry.num-retries": "2",
}
# Of errors after which the catalog has certainly changed nothing.
_NOTHING_WAS_SENT = frozenset({"ICEBERG_FILESYSTEM_ERROR", "IDENTITY_PROVIDER_UNAVAILABLE"})
_JSON = "application/json"
_ENDPOINTS = [
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/namespaces/{namespace}/tables",
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics",
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials",
]
# Without a lifetime Spark sends no keys, and takes an answer that was lost for a failure.
_CONFIG = {"defaults": {}, "overrides": {}, "endpoints": _ENDPOINTS, "idempotency-key-lifetime": "PT30M"}


def gateway_app(bindings: Bindings, secret: str) -> Any:
    gateway = _Gateway(bindings)
    tables = "/v1/namespaces/{namespace}/tables"
    app = Starlette(
        routes=[
            Route("/v1/config", gateway.config, methods=["GET"]),
            Route(tables, gateway.stage, methods=["POST"]),
            Route(tables + "/{table}", gateway.load, methods=["GET"]),
            Route(tables + "/{table}", gateway.commit, methods=["POST"]),
            Route(tables + "/{table}/metrics", gateway.report, methods=["POST"]),
            Route(tables + "/{table}/credentials", gateway.credentials, methods=["GET"]),
        ],
        exception_handlers={404: _refuse, 405: _refuse},
    )
    app.router.redirect_slashes = False
    return _Guard(app, secret)


class _Guard:
    """Lets nobody in who does not know the secret, which only our Spark was told."""

    def __init__(self, app: Any, secret: str) -> None:
        self._app = app
        self._header = SECRET_HEADER.lower().encode()
        self._secret = secret.encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        given = next((value for name, value in scope["headers"] if name == self._header), b"")
        if not hmac.compare_digest(given, self._secret):
            await _error(401, "NotAuthorizedException", "not authorized")(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _Refusal(Exception):
    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind


def _answers(handler: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    """An error of ours as the protocol says it."""

    async def handle(self: _Gateway, request: Request) -> Response:
        try:
            answer = await handler(self, request)
            self.heard(request, None)
            return answer
        except ClientDisconnect:
            return Response(status_code=400)
        except _Refusal as refusal:
            return _error(refusal.status, refusal.kind, str(refusal))
        except NotFound as error:
            return _error(404, "NoSuchTableException", str(error))
        except AlreadyExists as error:
            return _error(409, "AlreadyExistsException", str(error))
        except CommitConflict as error:
            return _error(409, "CommitFailedException", str(error))
        except Unavailable as error:
            unknown = error.code not in _NOTHING_WAS_SENT and request.method == "POST"
            self.heard(request, None if unknown else error)
            return _error(503 if unknown else 400, "ServiceFailureException", str(error))
        except SqeError as error:
            self.heard(request, error)
            return _error(400, "BadRequestException", str(error))
        except Exception:
            log.exception("the gateway failed")
            return _error(500 if request.method == "POST" else 400, "InternalServerError", "internal error")

    return handle


class _Gateway:
    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings

    def heard(self, request: Request, error: SqeError | None) -> None:
        """Spark tells its errors in its own words: what the statement was refused is kept for its user."""
        namespace = self._bindings.find(request.path_params.get("namespace", ""))
        if namespace is not None:
            namespace.failures[request.path_params.get("table", "")] = error

    async def config(self, request: Request) -> Response:
        return _json(_CONFIG)

    @_answers
    async def load(self, request: Request) -> Response:
        namespace, binding = self._bound(request)
        # Spark loads a table to plan with it, and refreshes it, without this parameter, to commit.
        plans = "snapshots" in request.query_params
        if binding.access is Access.READ or (binding.access is Access.WRITE and plans):
            return await self._load_as_bound(request, namespace, binding)
        loaded = await run_in_threadpool(binding.catalog.load_text, binding.table)
        alias = request.path_params["table"]
        namespace.opened_with(alias, loaded.storage, loaded.place)
        renewal = _renewal(namespace, alias)
        files = await run_in_threadpool(spark_files, loaded.storage, loaded.place, renewal)
        return Response(_answer_of(loaded.text, loaded.location, files), media_type=_JSON)

    async def _load_as_bound(self, request: Request, namespace: Namespace, binding: Binding) -> Response:
        table = binding.bound
        assert table is not None
        tag = tag_of(table.uuid, table.metadata_location)
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        text = await run_in_threadpool(binding.catalog.metadata_as_bound, table)
        if table.uuid.encode() not in text:
            raise NotFound(f"table '{table.name}' was made anew since it was bound")
        renewal = _renewal(namespace, request.path_params["table"])
        files = await run_in_threadpool(spark_files, table.storage, table.location, renewal)
        answer = _answer_of(text, table.metadata_location, files)
        return Response(answer, media_type=_JSON, headers={"ETag": tag})

    @_answers
    async def stage(self, request: Request) -> Response:
        namespace = self._namespace(request)
        body = await _body(request)
        alias = body.get("name")
        binding = namespace.bindings.get(alias) if isinstance(alias, str) else None
        if binding is None or binding.access is not Access.DEFINE or not body.get("stage-create"):
            raise _Refusal(403, "ForbiddenException", "the statement makes no such table")
        staged = await run_in_threadpool(binding.catalog.stage, binding.table, body)
        namespace.opened_with(str(alias), staged.storage, str(staged.raw.get("location") or ""))
        answer = await run_in_threadpool(_body_of, staged, _renewal(namespace, str(alias)))
        return Response(answer, media_type=_JSON)

    @_answers
    async def commit(self, request: Request) -> Response:
        namespace, binding = self._bound(request)
        if binding.access is Access.READ:
            raise _Refusal(403, "ForbiddenException", "the statement only reads this table")
        body = await _body(request)
        requirements, updates = body.get("requirements"), body.get("updates")
        if not _are_objects(requirements) or not _are_objects(updates):
            raise InvalidCommit("a commit has requirements and updates")
        assert requirements is not None and updates is not None
        key = request.headers.get("idempotency-key")
        answer = await run_in_threadpool(_commit, namespace, binding, requirements, updates, key)
        return Response(answer, media_type=_JSON)

    @_answers
    async def report(self, request: Request) -> Response:
        namespace = self._bindings.find_ended(request.path_params["namespace"])
        alias = request.path_params["table"]
        if namespace is None or alias not in namespace.bindings:
            raise _no_table()
        namespace.hear(await _body(request))
        return Response(status_code=204)

    @_answers
    async def credentials(self, request: Request) -> Response:
        """As they are now: renewed, if the former end. Local files need none."""
        namespace, binding = self._bound(request)
        storage, place = namespace.files_of(request.path_params["table"], binding)
        if storage is None:
            return _json({"storage-credentials": []})
        files = await run_in_threadpool(spark_files, storage, place)
        return _json({"storage-credentials": [{"prefix": _bucket(place), "config": files.config}]})

    def _namespace(self, request: Request) -> Namespace:
        namespace = self._bindings.find(request.path_params["namespace"])
        if namespace is None:
            raise _no_table()
        return namespace

    def _bound(self, request: Request) -> tuple[Namespace, Binding]:
        namespace = self._namespace(request)
        binding = namespace.bindings.get(request.path_params["table"])
        if binding is None:
            raise _no_table()
        return namespace, binding


def _commit(
    namespace: Namespace, binding: Binding, requirements: list[Any], updates: list[Any], key: str | None
) -> bytes:
    # One at a time, so that a commit that is sent again while the first is applied waits for its answer.
    with namespace.lock:
        if namespace.ended:
            raise _no_table()
        digest = hashlib.sha256(json.dumps([requirements, updates]).encode()).hexdigest()
        known = namespace.answers.get(key) if key else None
        if known is not None:
            if known[0] != digest:
                raise _Refusal(422, "UnprocessableEntityException", "the key is of another commit")
            return known[1]
        committed = binding.catalog.commit(binding.table, requirements, updates)
        added = (u["snapshot"] for u in updates if u.get("action") == "add-snapshot")
        namespace.commits.append(Commit(binding.table, tuple(added)))
        answer = _body_of(committed, "")
        if key:
            namespace.answers[key] = (digest, answer)
        return answer


@record
class SparkFiles:
    """What Spark opens the files of a table with: for all of them, and for those of a prefix."""

    config: Mapping[str, str] = field(default_factory=dict)
    by_prefix: tuple[tuple[str, Mapping[str, str]], ...] = ()

    @property
    def credentials(self) -> list[dict[str, object]]:
        return [{"prefix": prefix, "config": config} for prefix, config in self.by_prefix]


def spark_files(storage: Storage | None, place: str, renewal: str = "") -> SparkFiles:
    """For a table at `place`; at `renewal` Spark asks for the next keys where these end. Nothing else that a
    catalog says of a table is passed on: it may name classes, and a token."""
    if storage is None:
        return SparkFiles()
    if scheme_of(place) == "file":
        return SparkFiles(_LOCAL_FILES)
    properties = storage.properties(place)
    refuse_plain_http(properties)
    keys = {key: value for key, value in properties.items() if key in _KEYS}
    common = {key: value for key, value in properties.items() if key not in (*_KEYS, ALLOW_HTTP)}
    config = {**STORE_LIMITS, **_STORE_FILES, **common}
    if ACCESS_KEY not in keys:
        # Else Spark would look for some in its environment.
        return SparkFiles({**config, **_ANONYMOUS})
    scope = storage.scope(place)
    if scope is None:
        further = {_REFRESH: renewal} if renewal and SESSION_TOKEN in keys else {}
        return SparkFiles({**config, **keys, **further})
    rest = scope.partition("://")[2].rstrip("/")
    prefixes = [f"{scheme}://{rest}/" for scheme in ("s3", "s3a")]
    # Empty, or the provider of the others would go before the keys.
    scoped = {**keys, _PROVIDER: ""}
    return SparkFiles({**config, **_ANONYMOUS}, tuple((prefix, scoped) for prefix in prefixes))


def _renewal(namespace: Namespace, alias: str) -> str:
    """Below the address that Spark knows the gateway by."""
    return f"v1/namespaces/{namespace.name}/tables/{alias}/credentials"


def _bucket(location: str) -> str:
    scheme, _, rest = location.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


async def _body(request: Request) -> dict[str, Any]:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_BODY:
            raise _Refusal(413, "BadRequestException", "the request is too large")
    return read_object(bytes(content))


def _are_objects(items: object) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) for item in items)


def _body_of(loaded: TableMetadata, renewal: str) -> bytes:
    files = spark_files(loaded.storage, str(loaded.raw.get("location") or ""), renewal)
    return _answer_of(loaded.text or metadata.encode(loaded.raw), loaded.location, files)


def _answer_of(text: bytes, location: str, files: SparkFiles) -> bytes:
    """Of metadata as it stands in its file, which has its history and may be large."""
    place = b'"metadata-location":%b,' % json.dumps(location).encode() if location else b""
    config = b'"config":%b' % json.dumps(dict(files.config)).encode()
    if files.by_prefix:
        config += b',"storage-credentials":%b' % json.dumps(files.credentials).encode()
    return b'{%b"metadata":%b,%b}' % (place, text, config)


def _no_table() -> _Refusal:
    return _Refusal(404, "NoSuchTableException", "there is no such table")


async def _refuse(request: Request, error: Exception) -> Response:
    return _error(404, "NoSuchTableException", "there is nothing here")


def _json(content: object) -> Response:
    return Response(json.dumps(content).encode(), media_type=_JSON)


def _error(status: int, kind: str, message: str) -> Response:
    content = {"error": {"message": message, "type": kind, "code": status}}
    return Response(json.dumps(content).encode(), status_code=status, media_type=_JSON)
