"""External authentication: a client without credentials waits for a token while its user logs in in a
browser."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import urllib3
from tests.auth.fake_idp import FakeIdp
from tests.doors.trino.trino_door import Opened, Wire, opened_door

CLIENT = "cli"


@pytest.fixture(scope="module")
def idp() -> Iterator[FakeIdp]:
    idp = FakeIdp()
    yield idp
    idp.close()


@pytest.fixture(scope="module")
def external(idp: FakeIdp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    providers = (
        f'[[auth.providers]]\ntype = "bearer_token"\nissuer = "{idp.issuer}"\n'
        'audience = "catalog"\nallow_insecure_jwks = true\n'
    )
    more = f'[auth.external]\nissuer = "{idp.issuer}"\nclient_id = "{CLIENT}"\n'
    with opened_door(tmp_path_factory.mktemp("external"), more, providers=providers) as opened:
        yield opened


def challenged(door: Opened) -> tuple[str, str]:
    """The addresses that a client is told: for the browser, and for the token."""
    answer = Wire(door.url).send("POST", "/v1/statement", "SELECT 1")
    assert answer.status == 401
    [challenge] = [c for c in answer.headers.getlist("www-authenticate") if "x_redirect_server" in c]
    match = re.fullmatch(r'Bearer x_redirect_server="([^"]+)", x_token_server="([^"]+)"', challenge)
    assert match is not None
    return match[1], match[2]


class Browser:
    """Follows one redirect after the other, with cookies."""

    def __init__(self, authority: Path | None = None) -> None:
        known = None if authority is None else str(authority)
        self._pool = urllib3.PoolManager(retries=False, ca_certs=known)
        self.cookie = ""

    def get(self, url: str) -> urllib3.BaseHTTPResponse:
        answer = self._pool.request("GET", url, headers={"Cookie": self.cookie}, redirect=False)
        self.cookie = answer.headers.get("set-cookie", self.cookie).partition(";")[0]
        return answer

    def log_in(self, url: str) -> urllib3.BaseHTTPResponse:
        to_idp = self.get(url)
        assert to_idp.status == 303, to_idp.data
        back = self._pool.request("GET", to_idp.headers["location"], redirect=False)
        return self.get(back.headers["location"])


def test_a_person_logs_in(external: Opened) -> None:
    redirect, token_server = challenged(external)
    browser, told = Browser(), []
    waiting = threading.Thread(
        target=lambda: told.append(json.loads(urllib3.request("GET", token_server, timeout=60).data))
    )
    waiting.start()
    done = browser.log_in(redirect)
    assert done.status == 200 and b"You are logged in" in done.data
    waiting.join(60)
    [answer] = told
    as_alice = Wire(external.url, Authorization=f"Bearer {answer['token']}", **{"X-Trino-User": "alice"})
    assert as_alice.run("SELECT current_user").rows == [["alice"]]
    # It is handed out once.
    log_ins = external.door.app.log_ins
    assert log_ins is not None and len(log_ins) == 0
    assert urllib3.request("DELETE", token_server).status == 204


def test_what_the_browser_is_sent_with(external: Opened) -> None:
    redirect, token_server = challenged(external)
    browser = Browser()
    query = dict(parse_qsl(urlsplit(browser.get(redirect).headers["location"]).query))
    assert query["code_challenge_method"] == "S256" and query["response_type"] == "code"
    assert query["redirect_uri"] == external.url + "/oauth2/callback"
    # Who sees the address of the browser does not know what the client waits with.
    assert token_server.rpartition("/")[2] not in redirect + query["state"]


def test_only_the_browser_that_began_may_end_it(external: Opened, idp: FakeIdp) -> None:
    redirect, token_server = challenged(external)
    browser, other = Browser(), Browser()
    query = dict(parse_qsl(urlsplit(browser.get(redirect).headers["location"]).query))
    back = idp.authorize(query)
    assert other.get(back).status == 404
    assert browser.get(back.replace(query["state"][-8:], "x" * 8)).status == 404
    assert browser.get(back).status == 200
    assert browser.get(back).status == 404
    assert "token" in json.loads(urllib3.request("GET", token_server).data)


def test_a_log_in_that_is_refused(external: Opened) -> None:
    redirect, token_server = challenged(external)
    browser = Browser()
    query = dict(parse_qsl(urlsplit(browser.get(redirect).headers["location"]).query))
    back = f"{query['redirect_uri']}?error=access_denied&state={query['state']}"
    assert browser.get(back).status == 400
    assert json.loads(urllib3.request("GET", token_server).data) == {"error": "the log-in was refused"}


def test_a_client_that_waits_in_vain_asks_again(external: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqe.doors.trino.app.HOLD_SECONDS", 0.2)
    _, token_server = challenged(external)
    assert json.loads(urllib3.request("GET", token_server).data) == {"nextUri": token_server}


def test_what_is_no_log_in(external: Opened) -> None:
    for path in ("/oauth2/token/initiate/abc", "/oauth2/callback", "/oauth2/token/short"):
        assert urllib3.request("GET", external.url + path, redirect=False).status == 404


def test_without_an_identity_provider_there_is_no_such_page(wire: Wire, tmp_path: Path) -> None:
    assert wire.send("GET", "/oauth2/callback").status == 404
