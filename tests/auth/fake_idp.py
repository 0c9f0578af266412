"""A fake identity provider: a real HTTP server that signs with real keys. It can rotate its keys, be slow, be
down, and answer garbage, which a real one does not on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections import Counter
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

# A fake that takes minutes to make keys is no use: they are made once.
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@cache
def rsa_key(number: int) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public_jwk(key: rsa.RSAPrivateKey, key_id: str) -> dict[str, Any]:
    row: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**row, "kid": key_id, "use": "sig", "alg": "RS256"}


class FakeIdp:
    """Users alice (analyst) and bob (admin), as in the realm of `stack/keycloak.py`. Its state is there for
    tests to change."""

    def __init__(self) -> None:
        self.passwords = {"alice": "alice-secret", "bob": "bob-secret"}
        self.roles = {"alice": ["analyst"], "bob": ["admin"], "service-account-etl": ["writer"]}
        self.clients: dict[str, str | None] = {
            "sqe": "sqe-secret",
            "etl": "etl-secret",
            "exchange": "exchange-secret",
            "cli": None,
        }
        self.audience = ["catalog"]
        self.lifetime = 300
        # Who may be whom, by a parameter that it else leaves out, as some do.
        self.impersonators: dict[str, set[str]] | None = None
        self.keys = {"key-1": rsa_key(1)}
        self.signing = "key-1"
        self.requests: Counter[str] = Counter()
        self.revoked: list[str] = []
        self.garbage: bytes | None = None
        self.status: int | None = None
        self.delay = 0.0
        self.drip = False
        self.closed = False
        self.document: dict[str, Any] = {}
        self.refresh_tokens: dict[str, str] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.devices: dict[str, str | None] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._server.server_port}/realms/lake"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Also for who is connected already."""
        self.closed = True
        self._server.shutdown()
        self._server.server_close()

    def rotate(self, number: int) -> None:
        """The former key is gone at once."""
        self.signing = f"key-{number}"
        self.keys = {self.signing: rsa_key(number)}

    def claims(self, user: str, **more: Any) -> dict[str, Any]:
        now = int(time.time())
        return {
            "iss": self.issuer,
            "sub": f"subject-of-{user}",
            "aud": self.audience,
            "azp": "sqe",
            "iat": now,
            "nbf": now,
            "exp": now + self.lifetime,
            "jti": secrets.token_hex(8),
            "preferred_username": user,
            "realm_access": {"roles": self.roles.get(user, [])},
            "groups": ["staff"],
        } | more

    def token(self, user: str = "alice", **more: Any) -> str:
        return self.sign(self.claims(user, **more))

    def sign(self, claims: dict[str, Any], *, key: Any = None, kid: str | None = "", **header: Any) -> str:
        key_id = self.signing if kid == "" else kid
        names = {"kid": key_id, **header} if key_id is not None else header
        return jwt.encode(claims, key or self.keys[self.signing], algorithm="RS256", headers=names)

    def answer(self, path: str, form: dict[str, str], client: str | None) -> tuple[int, dict[str, Any]]:
        base = self.issuer
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": base,
                "jwks_uri": f"{base}/keys",
                "token_endpoint": f"{base}/token",
                "authorization_endpoint": f"{base}/authorize",
                "device_authorization_endpoint": f"{base}/device",
                "revocation_endpoint": f"{base}/revoke",
            } | self.document
        if path == "/keys":
            return 200, {"keys": [public_jwk(key, key_id) for key_id, key in self.keys.items()]}
        if client is None:
            return 401, {"error": "invalid_client"}
        if path == "/revoke":
            self.revoked.append(form["token"])
            self.refresh_tokens.pop(form["token"], None)
            return 200, {}
        if path == "/device":
            code = secrets.token_hex(8)
            self.devices[code] = None
            return 200, {
                "device_code": code,
                "user_code": "ABCD-EFGH",
                "verification_uri": f"{base}/activate",
                "verification_uri_complete": f"{base}/activate?code={code}",
                "expires_in": 60,
                "interval": 1,
            }
        return self._token(form, client) if path == "/token" else (404, {})

    def _token(self, form: dict[str, str], client: str) -> tuple[int, dict[str, Any]]:
        refused = 400, {"error": "invalid_grant", "error_description": f"no: {form}"}
        match form.get("grant_type"):
            case "password":
                user = form["username"]
                if self.passwords.get(user) != form["password"]:
                    return refused
                return self._issue(user)
            case "refresh_token":
                former = self.refresh_tokens.pop(form["refresh_token"], None)
                return self._issue(former) if former is not None else refused
            case "client_credentials":
                status, answer = self._issue(f"service-account-{client}")
                answer.pop("refresh_token")
                return status, answer
            case grant if grant == EXCHANGE:
                try:
                    subject = jwt.decode(
                        form["subject_token"],
                        self.keys[self.signing].public_key(),
                        algorithms=["RS256"],
                        options={"verify_aud": False},
                    )
                except jwt.PyJWTError:
                    return refused
                user = subject["preferred_username"]
                wanted = form.get("requested_subject", user)
                if self.impersonators is not None and wanted != user:
                    if wanted not in self.impersonators.get(user, ()):
                        return 403, {"error": "access_denied"}
                    user = wanted
                status, answer = self._issue(user, aud=form["audience"])
                answer.pop("refresh_token")
                return status, answer
            case grant if grant == DEVICE:
                if form["device_code"] not in self.devices:
                    return 400, {"error": "expired_token"}
                approved = self.devices[form["device_code"]]
                return self._issue(approved) if approved else (400, {"error": "authorization_pending"})
            case "authorization_code":
                known = self.codes.pop(form["code"], None)
                digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
                challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
                if known is None or known["code_challenge"] != challenge:
                    return refused
                if known["redirect_uri"] != form["redirect_uri"]:
                    return refused
                return self._issue(known["user"])
        return 400, {"error": "unsupported_grant_type"}

    def _issue(self, user: str, **more: Any) -> tuple[int, dict[str, Any]]:
        refresh_token = "refresh-" + secrets.token_hex(16)
        self.refresh_tokens[refresh_token] = user
        return 200, {
            "id_token": self.token(user, aud="cli", at_hash="x"),
            "access_token": self.token(user, **more),
            "token_type": "Bearer",
            "expires_in": self.lifetime,
            "refresh_token": refresh_token,
        }

    def authorize(self, query: dict[str, str], user: str = "alice") -> str:
        """As a browser in which somebody has logged in: where it is sent to."""
        code = secrets.token_hex(8)
        self.codes[code] = {**query, "user": user}
        answer = {"code": code, "state": query["state"], "iss": self.issuer}
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def client_of(self, header: str | None, form: dict[str, str]) -> str | None:
        if header is None:
            public = form.get("client_id")
            return public if public in self.clients and self.clients[public] is None else None
        pair = base64.b64decode(header.removeprefix("Basic ")).decode()
        name, _, secret = pair.partition(":")
        name, secret = unquote_plus(name), unquote_plus(secret)
        return name if self.clients.get(name) == secret else None


def _handler(idp: FakeIdp) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path.endswith("/authorize"):
                self.send_response(302)
                self.send_header("Location", idp.authorize(dict(parse_qsl(parts.query))))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self._answer({})

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            self._answer({key: values[0] for key, values in parse_qs(content).items()})

        def _answer(self, form: dict[str, str]) -> None:
            path = urlsplit(self.path).path.removeprefix(urlsplit(idp.issuer).path)
            if idp.closed:
                self.close_connection = True
                return
            idp.requests[path] += 1
            time.sleep(idp.delay)
            client = idp.client_of(self.headers.get("Authorization"), form)
            status, answer = idp.answer(path, form, client)
            content = json.dumps(answer).encode() if idp.garbage is None else idp.garbage
            self.send_response(idp.status or status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if not idp.drip:
                self.wfile.write(content)
                return
            for byte in content:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(0.2)

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    return Handler


@cache
def shared_idp() -> FakeIdp:
    """One for tests that change nothing about it."""
    return FakeIdp()
