"""What tests do with an identity provider besides asking it for tokens: browse, and change people. One class
for the fake one, one for a Keycloak."""

from __future__ import annotations

import html
import json
import re
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import urllib3
from stack.component import Component
from stack.realm import REALM, secret_of
from tests.auth.fake_idp import FakeIdp


class LiveIdp(Protocol):
    """Users alice (analyst) and bob (admin) in the group staff, with the clients of `stack/realm.py`."""

    issuer: str

    def token(self, user: str) -> str:
        """An access token for `catalog` and `exchange`."""

    def set_roles(self, user: str, *roles: str) -> None: ...

    def rotate_keys(self) -> None: ...

    def set_lifetime(self, seconds: int) -> None:
        """Of access tokens."""

    def browse(self, url: str, user: str) -> None:
        """As that user, in a browser: logs in, and says yes to whatever is asked."""


class FakePeople:
    def __init__(self, idp: FakeIdp) -> None:
        self._idp = idp
        idp.audience = ["catalog", "exchange"]
        self.issuer = idp.issuer

    def token(self, user: str) -> str:
        return self._idp.token(user)

    def set_roles(self, user: str, *roles: str) -> None:
        self._idp.roles[user] = list(roles)

    def rotate_keys(self) -> None:
        self._idp.rotate(2)

    def set_lifetime(self, seconds: int) -> None:
        self._idp.lifetime = seconds

    def browse(self, url: str, user: str) -> None:
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query))
        if parts.path.endswith("/activate"):
            self._idp.devices[query["code"]] = user
        else:
            urllib3.request("GET", self._idp.authorize(query, user))


class KeycloakPeople:
    def __init__(self, keycloak: Component) -> None:
        self._url = keycloak.facts["url"]
        self._admin_password = keycloak.facts["admin_password"]
        self.issuer = keycloak.facts["issuer"]

    def token(self, user: str) -> str:
        return str(self.tokens(user)["access_token"])

    def tokens(self, user: str, **more: str) -> dict[str, Any]:
        """All that a log-in gives: access_token, id_token, refresh_token."""
        form = {"username": user, "password": secret_of(user), "client_id": "sqe"}
        return self._tokens(self.issuer, {**form, "client_secret": secret_of("sqe"), **more})

    def set_roles(self, user: str, *roles: str) -> None:
        (person,) = self._admin("GET", f"/users?exact=true&username={user}")
        path = f"/users/{person['id']}/role-mappings/realm"
        self._admin("DELETE", path, self._admin("GET", path))
        self._admin("POST", path, [self._admin("GET", f"/roles/{role}") for role in roles])

    def rotate_keys(self) -> None:
        """A key of higher priority, which signs from now on."""
        realm = self._admin("GET", "")
        key = {
            "name": "newer",
            "providerId": "rsa-generated",
            "providerType": "org.keycloak.keys.KeyProvider",
            "parentId": realm["id"],
            "config": {"priority": ["1000"], "enabled": ["true"], "active": ["true"], "keySize": ["2048"]},
        }
        self._admin("POST", "/components", key)

    def set_lifetime(self, seconds: int) -> None:
        self._admin("PUT", "", {"accessTokenLifespan": seconds})

    def browse(self, url: str, user: str) -> None:
        browser = _Browser()
        page = browser.open("GET", url)
        # The log-in page, and for a device the page that asks whether it may.
        while match := re.search(r'<form[^>]*action="([^"]+)"', page):
            hidden = re.findall(r'<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"', page)
            form = {name: html.unescape(value) for name, value in hidden}
            if 'name="password"' in page:
                form |= {"username": user, "password": secret_of(user)}
            else:
                form |= {"accept": "Yes"}
            page = browser.open("POST", html.unescape(match[1]), form)

    def _admin(self, method: str, path: str, body: Any = None) -> Any:
        """Keycloak's own API, as its administrator."""
        form = {"username": "admin", "password": self._admin_password, "client_id": "admin-cli"}
        token = self._tokens(f"{self._url}/realms/master", form)["access_token"]
        answer = urllib3.request(
            method,
            f"{self._url}/admin/realms/{REALM}{path}",
            body=None if body is None else json.dumps(body),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        assert answer.status < 300, answer.data
        return json.loads(answer.data) if answer.data else None

    def _tokens(self, issuer: str, form: dict[str, str]) -> dict[str, Any]:
        answer = urllib3.request(
            "POST",
            f"{issuer}/protocol/openid-connect/token",
            body=urlencode({"grant_type": "password", "scope": "openid", **form}),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        assert answer.status == 200, answer.data
        tokens: dict[str, Any] = json.loads(answer.data)
        return tokens


class _Browser:
    """Follows redirects and keeps cookies, also secure ones on 127.0.0.1, as browsers do there."""

    def __init__(self) -> None:
        self._address = ""
        self._cookies: dict[str, str] = {}

    def open(self, method: str, url: str, form: dict[str, str] | None = None) -> str:
        for _ in range(10):
            self._address = urljoin(self._address, url)
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
            if form is not None:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = None if form is None else urlencode(form)
            answer = urllib3.request(
                method, self._address, body=body, headers=headers, redirect=False, timeout=30.0
            )
            for cookie in answer.headers.getlist("Set-Cookie"):
                name, _, value = cookie.partition(";")[0].partition("=")
                self._cookies[name] = value
            if "Location" not in answer.headers:
                return answer.data.decode(errors="replace")
            method, url, form = "GET", answer.headers["Location"], None
        raise AssertionError(f"too many redirects at {self._address}")
