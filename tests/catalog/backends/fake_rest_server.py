"""A fake of an Iceberg REST server, for tests on machines with Python alone: it keeps names in memory and
metadata in files, checks requirements, and applies updates as they come. It makes no parents, pages its
lists, has a prefix, and gives schemas, specs and orders numbers of its own, so that a client learns
nothing from it that real servers would not allow."""

from __future__ import annotations

import contextlib
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

Raw = dict[str, Any]
PREFIX = "some/where"
PAGE = 2
# (name of the list, field of an entry with its number, field with the current number)
NUMBERED = {
    "schema": ("schemas", "schema-id", "current-schema-id"),
    "spec": ("partition-specs", "spec-id", "default-spec-id"),
    "sort-order": ("sort-orders", "order-id", "default-sort-order-id"),
}


class Failure(Exception):
    def __init__(self, status: int, kind: str) -> None:
        super().__init__(kind)
        self.status = status
        self.kind = kind


class FakeRestServer:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.namespaces: dict[tuple[str, ...], dict[str, str]] = {}
        self.entries: dict[str, dict[tuple[tuple[str, ...], str], tuple[Raw, str]]] = {
            "tables": {},
            "views": {},
        }
        self.lock = threading.Lock()
        # Requests to answer with a status, before they are looked at: (method, end of the path, status).
        self.failures: list[tuple[str, str, int]] = []
        self.requests: list[str] = []
        # Beside each request, the token that came with it. If it is not None, those that are accepted.
        self.tokens: list[str | None] = []
        self.accepted: set[str] | None = None
        # What it answers to tokens that it knows and whose owners may do nothing: Nessie's is (500, its own).
        self.denied: dict[str, tuple[int, str]] = {}
        # Schemas of which the owner of a token may know nothing: what is there is denied, what is not is 404,
        # which is how servers tell who guesses. Those who may change nothing are in `readers`.
        self.hidden: dict[str, set[tuple[str, ...]]] = {}
        self.readers: set[str] = set()
        self.denial = (403, "ForbiddenException")
        # What it hands out with a table, for a token.
        self.vend: Callable[[str | None], Raw] = lambda token: {}
        # Until it is set again, requests are taken and not answered.
        self.speaks = threading.Event()
        self.speaks.set()
        handler = type("Handler", (_Handler,), {"fake": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/api/catalog"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.speaks.set()
        self._http.shutdown()
        self._http.server_close()

    def answer_for(
        self, token: str | None, method: str, path: list[str], query: dict[str, str], body: Raw
    ) -> Raw | None:
        hidden = self.hidden.get(token or "", set())
        inside = path[2:]
        match inside:
            case ["namespaces", text, *rest] if tuple(text.split("\x1f")) in hidden:
                name = tuple(text.split("\x1f"))
                exists = name in self.namespaces
                if len(rest) > 1:
                    exists = (name, rest[1]) in self.entries[rest[0]]
                if exists:
                    raise Failure(*self.denial)
            case ["namespaces", _, "tables", _] if method == "GET" and token is not None:
                answer = self.answer(method, path, query, body)
                return None if answer is None else {**answer, **self.vend(token)}
        if token in self.readers and method in ("POST", "DELETE"):
            raise Failure(*self.denial)
        answer = self.answer(method, path, query, body)
        if answer is not None and "namespaces" in answer:
            answer["namespaces"] = [n for n in answer["namespaces"] if tuple(n) not in hidden]
        return answer

    def answer(self, method: str, path: list[str], query: dict[str, str], body: Raw) -> Raw | None:
        match (method, path):
            case ("GET", ["config"]):
                if query.get("warehouse") != "lake":
                    raise Failure(404, "NotFoundException")
                views = [f"GET /v1/{{prefix}}/namespaces/{{namespace}}/{kind}" for kind in self.entries]
                rest = [
                    "GET /v1/{prefix}/namespaces",
                    "POST /v1/{prefix}/namespaces",
                    "GET /v1/{prefix}/namespaces/{namespace}",
                    "DELETE /v1/{prefix}/namespaces/{namespace}",
                    "POST /v1/{prefix}/tables/rename",
                    "POST /v1/{prefix}/views/rename",
                ]
                for kind, name in (("tables", "table"), ("views", "view")):
                    base = f"/v1/{{prefix}}/namespaces/{{namespace}}/{kind}"
                    rest += [f"POST {base}"]
                    rest += [f"{verb} {base}/{{{name}}}" for verb in ("GET", "POST", "DELETE")]
                return {"defaults": {}, "overrides": {"prefix": PREFIX}, "endpoints": [*views, *rest]}
            case (_, ["some", "where", *rest]):
                return self._within(method, rest, query, body)
        raise Failure(404, "NotFoundException")

    def _within(self, method: str, path: list[str], query: dict[str, str], body: Raw) -> Raw | None:
        match (method, path):
            case ("GET", ["namespaces"]):
                parent = tuple(query["parent"].split("\x1f")) if query.get("parent") else ()
                self._require(parent)
                found = [list(n) for n in self.namespaces if n[:-1] == parent]
                return _page("namespaces", found, query)
            case ("POST", ["namespaces"]):
                name = tuple(body["namespace"])
                self._require(name[:-1])
                if name in self.namespaces:
                    raise Failure(409, "AlreadyExistsException")
                self.namespaces[name] = body.get("properties") or {}
                return {"namespace": list(name), "properties": self.namespaces[name]}
            case (_, ["namespaces", text]):
                name = tuple(text.split("\x1f"))
                self._require(name)
                if method == "GET":
                    return {"namespace": list(name), "properties": self.namespaces[name]}
                inside = [key for kind in self.entries.values() for key in kind if key[0] == name]
                if inside or any(n[: len(name)] == name and n != name for n in self.namespaces):
                    raise Failure(409, "NamespaceNotEmptyException")
                del self.namespaces[name]
                return None
            case ("POST", [kind, "rename"]):
                source, target = (
                    (tuple(body[k]["namespace"]), body[k]["name"]) for k in ("source", "destination")
                )
                self._require(target[0])
                if source not in self.entries[kind]:
                    raise Failure(404, "NoSuchTableException")
                if any(target in entries for entries in self.entries.values()):
                    raise Failure(409, "AlreadyExistsException")
                self.entries[kind][target] = self.entries[kind].pop(source)
                return None
            case (_, ["namespaces", text, kind, *rest]):
                name = tuple(text.split("\x1f"))
                self._require(name)
                return self._entries(method, name, kind, rest, query, body)
        raise Failure(404, "NotFoundException")

    def _entries(
        self,
        method: str,
        namespace: tuple[str, ...],
        kind: str,
        path: list[str],
        query: dict[str, str],
        body: Raw,
    ) -> Raw | None:
        entries = self.entries[kind]
        match (method, path):
            case ("GET", []):
                found = [{"namespace": list(n), "name": name} for n, name in entries if n == namespace]
                return _page("identifiers", found, query)
            case ("POST", []):
                return self._create(namespace, kind, body)
            case ("POST", [name]):
                return self._commit((namespace, name), kind, body)
            case ("POST", [_, "metrics"]):
                return None
            case ("GET", [name]) if (namespace, name) in entries:
                raw, location = entries[namespace, name]
                return {"metadata": raw, "metadata-location": location, "config": {}}
            case ("DELETE", [name]) if (namespace, name) in entries:
                del entries[namespace, name]
                return None
        raise Failure(404, f"NoSuch{kind[:-1].title()}Exception")

    def _create(self, namespace: tuple[str, ...], kind: str, body: Raw) -> Raw:
        key = (namespace, body["name"])
        if any(key in entries for entries in self.entries.values()):
            raise Failure(409, "AlreadyExistsException")
        location = body.get("location") or f"file://{self.directory}/{'/'.join(namespace)}/{uuid.uuid4().hex}"
        raw = _new_table(body, location) if kind == "tables" else _new_view(body, location)
        if body.get("stage-create"):
            return {"metadata": raw, "config": {}}
        return self._stored(key, kind, raw)

    def _commit(self, key: tuple[tuple[str, ...], str], kind: str, body: Raw) -> Raw:
        found = self.entries[kind].get(key)
        staged = any(r["type"] == "assert-create" for r in body["requirements"])
        if found is None and not staged:
            raise Failure(404, "NoSuchTableException")
        if any(key in entries for name, entries in self.entries.items() if name != kind):
            raise Failure(409, "AlreadyExistsException")
        base = {} if found is None else found[0]
        for requirement in body["requirements"]:
            if not _holds(requirement, base):
                raise Failure(409, "CommitFailedException")
        raw = _empty() | json.loads(json.dumps(base))
        added: dict[str, int] = {}
        for update in body["updates"]:
            _ACTIONS[update["action"]](raw, update, added)
        raw["last-updated-ms"] = time.time_ns() // 1_000_000
        return self._stored(key, kind, raw)

    def _stored(self, key: tuple[tuple[str, ...], str], kind: str, raw: Raw) -> Raw:
        place = (
            Path(raw["location"].removeprefix("file:").replace("//", "/", 1).replace("//", "/")) / "metadata"
        )
        place.mkdir(parents=True, exist_ok=True)
        file = place / f"{uuid.uuid4()}.metadata.json"
        file.write_text(json.dumps(raw))
        self.entries[kind][key] = (raw, f"file://{file}")
        return {"metadata": raw, "metadata-location": f"file://{file}", "config": {}}

    def _require(self, namespace: tuple[str, ...]) -> None:
        if namespace and namespace not in self.namespaces:
            raise Failure(404, "NoSuchNamespaceException")


class _Handler(BaseHTTPRequestHandler):
    fake: ClassVar[FakeRestServer]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_DELETE = do_HEAD = do_GET

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        path = [unquote(part) for part in parts.path.removeprefix("/api/catalog/v1/").split("/")]
        query = {k: v[0] for k, v in parse_qs(parts.query, keep_blank_values=True).items()}
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fake = self.fake
        with fake.lock:
            fake.requests.append(f"{self.command} {self.path}")
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None
            fake.tokens.append(token)
        fake.speaks.wait()
        with fake.lock:
            planned = next(
                (f for f in fake.failures if f[0] == self.command and parts.path.endswith(f[1])), None
            )
            try:
                if planned is not None:
                    fake.failures.remove(planned)
                    raise Failure(planned[2], "PlannedException")
                if fake.accepted is not None and token not in fake.accepted:
                    raise Failure(401, "NotAuthorizedException")
                if token in fake.denied and "config" not in path:
                    raise Failure(*fake.denied[token])
                method = "GET" if self.command == "HEAD" else self.command
                body = json.loads(content) if content else {}
                answer = fake.answer_for(token, method, path, query, body)
                status = 204 if answer is None else 200
            except Failure as failure:
                status = failure.status
                answer = {"error": {"message": "no", "type": failure.kind, "code": status}}
        written = b"" if answer is None or self.command == "HEAD" else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, *_: object) -> None:
        pass


def _page(key: str, found: list[Any], query: dict[str, str]) -> Raw:
    if "pageToken" not in query:
        return {key: found}
    start = int(query["pageToken"] or 0)
    more = start + PAGE < len(found)
    return {key: found[start : start + PAGE], "next-page-token": str(start + PAGE) if more else None}


def _empty() -> Raw:
    return {"properties": {}, "snapshots": [], "refs": {}, "snapshot-log": [], "metadata-log": []}


def _new_table(body: Raw, location: str) -> Raw:
    properties = {k: v for k, v in (body.get("properties") or {}).items() if k != "format-version"}
    spec = (body.get("partition-spec") or {}).get("fields") or []
    order = body.get("write-order") or {"order-id": 0, "fields": []}
    version = int((body.get("properties") or {}).get("format-version", 2))
    raw = {
        **_empty(),
        "format-version": version,
        "table-uuid": str(uuid.uuid4()),
        "location": location,
        "last-sequence-number": 0,
        "last-updated-ms": time.time_ns() // 1_000_000,
        "last-column-id": _last_id(body["schema"]),
        "current-schema-id": 0,
        "schemas": [{**body["schema"], "schema-id": 0}],
        "default-spec-id": 0,
        "partition-specs": [
            {"spec-id": 0, "fields": [{"field-id": 1000 + i, **f} for i, f in enumerate(spec)]}
        ],
        "last-partition-id": 999 + len(spec),
        "default-sort-order-id": order["order-id"],
        "sort-orders": [order],
        "properties": properties,
        "current-snapshot-id": None if version > 2 else -1,
    }
    return raw | ({"next-row-id": 0} if version > 2 else {})


def _new_view(body: Raw, location: str) -> Raw:
    version = body["view-version"]
    return {
        "view-uuid": str(uuid.uuid4()),
        "format-version": 1,
        "location": location,
        "schemas": [{**body["schema"], "schema-id": 0}],
        "current-version-id": 1,
        "versions": [{**version, "version-id": 1, "schema-id": 0}],
        "version-log": [{"timestamp-ms": version["timestamp-ms"], "version-id": 1}],
        "properties": body.get("properties") or {},
    }


def _last_id(part: Any) -> int:
    if isinstance(part, dict):
        own: list[int] = [v for k, v in part.items() if k in ("id", "element-id", "key-id", "value-id")]
        return max([0, *own, *map(_last_id, part.values())])
    return max(map(_last_id, part), default=0) if isinstance(part, list) else 0


def _holds(requirement: Raw, raw: Raw) -> bool:
    match requirement["type"]:
        case "assert-create":
            return not raw
        case "assert-table-uuid":
            return bool(raw["table-uuid"] == requirement["uuid"])
        case "assert-view-uuid":
            return bool(raw["view-uuid"] == requirement["uuid"])
        case "assert-ref-snapshot-id":
            ref = (raw.get("refs") or {}).get(requirement["ref"])
            return bool((ref and ref["snapshot-id"]) == requirement["snapshot-id"])
        case "assert-last-assigned-field-id":
            return bool(raw["last-column-id"] == requirement["last-assigned-field-id"])
        case "assert-last-assigned-partition-id":
            return bool(raw["last-partition-id"] == requirement["last-assigned-partition-id"])
        case kind:
            key = kind.removeprefix("assert-")
            return bool(raw[key] == requirement[key])


def _add(kind: str) -> Callable[[Raw, Raw, dict[str, int]], None]:
    entries, number, _ = NUMBERED[kind]

    def add(raw: Raw, update: Raw, added: dict[str, int]) -> None:
        known = raw.setdefault(entries, [])
        new = update[kind]
        same = [e for e in known if {**e, number: 0} == {**new, number: 0}]
        if not same:
            # Orders with fields count from 1, as 0 is the one without.
            first = 1 if kind == "sort-order" and new["fields"] else 0
            same = [{**new, number: 1 + max((e[number] for e in known), default=first - 1)}]
            if kind == "sort-order" and not new["fields"]:
                same[0][number] = 0
            known.append(same[0])
        added[kind] = same[0][number]
        if kind == "schema":
            raw["last-column-id"] = max(raw.get("last-column-id", 0), _last_id(new))
        if kind == "spec":
            fields = [f.get("field-id", 1000 + i) for i, f in enumerate(same[0]["fields"])]
            for field, field_id in zip(same[0]["fields"], fields, strict=True):
                field["field-id"] = field_id
            raw["last-partition-id"] = max([raw.get("last-partition-id", 999), *fields])

    return add


def _set(kind: str, argument: str) -> Callable[[Raw, Raw, dict[str, int]], None]:
    entries, number, current = NUMBERED[kind]

    def choose(raw: Raw, update: Raw, added: dict[str, int]) -> None:
        wanted = added[kind] if update[argument] == -1 else update[argument]
        assert any(e[number] == wanted for e in raw[entries])
        raw[current] = wanted

    return choose


def _upgrade(raw: Raw, update: Raw, added: dict[str, int]) -> None:
    raw["format-version"] = update["format-version"]
    if update["format-version"] > 2:
        raw.setdefault("next-row-id", 0)
        if raw.get("current-snapshot-id") == -1:
            raw["current-snapshot-id"] = None
    raw.setdefault("last-sequence-number", 0)


def _add_snapshot(raw: Raw, update: Raw, added: dict[str, int]) -> None:
    snapshot = update["snapshot"]
    raw["snapshots"].append(snapshot)
    raw["last-sequence-number"] = max(raw["last-sequence-number"], snapshot.get("sequence-number", 0))
    if "next-row-id" in raw:
        raw["next-row-id"] += snapshot.get("added-rows") or 0


def _set_ref(raw: Raw, update: Raw, added: dict[str, int]) -> None:
    ref = {k: v for k, v in update.items() if k not in ("action", "ref-name")}
    raw["refs"][update["ref-name"]] = ref
    if update["ref-name"] == "main":
        raw["current-snapshot-id"] = ref["snapshot-id"]
        at = next(s["timestamp-ms"] for s in raw["snapshots"] if s["snapshot-id"] == ref["snapshot-id"])
        raw["snapshot-log"].append({"timestamp-ms": at, "snapshot-id": ref["snapshot-id"]})


def _remove_ref(raw: Raw, update: Raw, added: dict[str, int]) -> None:
    raw["refs"].pop(update["ref-name"], None)
    if update["ref-name"] == "main":
        raw["current-snapshot-id"] = None if raw["format-version"] > 2 else -1
        raw["snapshot-log"] = []


def _add_version(raw: Raw, update: Raw, added: dict[str, int]) -> None:
    number = 1 + max((v["version-id"] for v in raw["versions"]), default=0)
    version = {**update["view-version"], "version-id": number}
    if version["schema-id"] == -1:
        version["schema-id"] = added["schema"]
    raw["versions"].append(version)
    added["version"] = number


def _set_version(raw: Raw, update: Raw, added: dict[str, int]) -> None:
    wanted = update["view-version-id"]
    raw["current-version-id"] = added["version"] if wanted == -1 else wanted
    now = time.time_ns() // 1_000_000
    raw["version-log"].append({"timestamp-ms": now, "version-id": raw["current-version-id"]})


def _remove_properties(raw: Raw, update: Raw, added: dict[str, int]) -> None:
    for key in update["removals"]:
        raw["properties"].pop(key, None)


_ACTIONS: dict[str, Callable[[Raw, Raw, dict[str, int]], Any]] = {
    "assign-uuid": lambda raw, update, _: raw.update(
        {"view-uuid" if "versions" in raw else "table-uuid": update["uuid"]}
    ),
    "upgrade-format-version": _upgrade,
    "add-schema": _add("schema"),
    "set-current-schema": _set("schema", "schema-id"),
    "add-spec": _add("spec"),
    "set-default-spec": _set("spec", "spec-id"),
    "add-sort-order": _add("sort-order"),
    "set-default-sort-order": _set("sort-order", "sort-order-id"),
    "set-location": lambda raw, update, _: raw.update(location=update["location"]),
    "set-properties": lambda raw, update, _: raw["properties"].update(update["updates"]),
    "remove-properties": _remove_properties,
    "add-snapshot": _add_snapshot,
    "set-snapshot-ref": _set_ref,
    "remove-snapshot-ref": _remove_ref,
    "add-view-version": _add_version,
    "set-current-view-version": _set_version,
}


@contextlib.contextmanager
def fake_rest_server(directory: Path) -> Iterator[FakeRestServer]:
    server = FakeRestServer(directory)
    try:
        yield server
    finally:
        server.close()
