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


def bearers(idp: FakeIdp) -> str:
    """A provider that takes its tokens."""
    return (
        f'[[auth.providers]]\ntype = "bearer_token"\nissuer = "{idp.issuer}"\n'
        'audience = "catalog"\nallow_insecure_jwks = true\n'
    )


@pytest.fixture(scope="module")
def idp() -> Iterator[FakeIdp]:
    idp = FakeIdp()
    yield idp
    idp.close()


@pytest.fixture(scope="module")
def external(idp: FakeIdp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    more = f'[auth.external]\nissuer = "{idp.issuer}"\nclient_id = "{CLIENT}"\n'
    with opened_door(tmp_path_factory.mktemp("external"), more, providers=bearers(idp)) as opened:
        yield opened


def challenged(door: Opened, **headers: str) -> tuple[str, str]:
    """The addresses that a client is told: for the browser, and for the token."""
    answer = Wire(door.url, **headers).send("POST", "/v1/statement", "SELECT 1")
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

    def confirm(self, url: str) -> urllib3.BaseHTTPResponse:
        """Presses the button of the page that asks whether this log-in is wanted."""
        page = self.get(url)
        assert page.status == 200, page.data
        match = re.search(rb'name="confirm" value="([^"]+)"', page.data)
        assert match is not None
        return self.post(url, match[1].decode())

    def post(self, url: str, confirmation: str) -> urllib3.BaseHTTPResponse:
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        form = f"confirm={confirmation}".encode()
        answer = self._pool.request("POST", url, body=form, headers=headers, redirect=False)
        self.cookie = answer.headers.get("set-cookie", self.cookie).partition(";")[0]
        return answer

    def log_in(self, url: str) -> urllib3.BaseHTTPResponse:
        to_idp = self.confirm(url)
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
    query = dict(parse_qsl(urlsplit(browser.confirm(redirect).headers["location"]).query))
    assert query["code_challenge_method"] == "S256" and query["response_type"] == "code"
    assert query["redirect_uri"] == external.url + "/oauth2/callback"
    # Who sees the address of the browser does not know what the client waits with.
    assert token_server.rpartition("/")[2] not in redirect + query["state"]


def test_only_the_browser_that_began_may_end_it(external: Opened, idp: FakeIdp) -> None:
    redirect, token_server = challenged(external)
    browser, other = Browser(), Browser()
    query = dict(parse_qsl(urlsplit(browser.confirm(redirect).headers["location"]).query))
    back = idp.authorize(query)
    assert other.get(back).status == 404
    assert browser.get(back.replace(query["state"][-8:], "x" * 8)).status == 404
    assert browser.get(back).status == 200
    assert browser.get(back).status == 404
    assert "token" in json.loads(urllib3.request("GET", token_server).data)


def test_a_log_in_that_is_refused(external: Opened) -> None:
    redirect, token_server = challenged(external)
    browser = Browser()
    query = dict(parse_qsl(urlsplit(browser.confirm(redirect).headers["location"]).query))
    back = f"{query['redirect_uri']}?error=access_denied&state={query['state']}"
    assert browser.get(back).status == 400
    assert json.loads(urllib3.request("GET", token_server).data) == {"error": "the log-in was refused"}


def test_a_client_that_waits_in_vain_asks_again(external: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqe.doors.trino.log_in_pages.HOLD_SECONDS", 0.2)
    _, token_server = challenged(external)
    assert json.loads(urllib3.request("GET", token_server).data) == {"nextUri": token_server}


def test_the_person_is_shown_who_asks_and_begins_it_themselves(external: Opened) -> None:
    """Else whoever sends somebody a link would be logged in as them, without a question where the identity
    provider asks none."""
    redirect, _ = challenged(external, **{"User-Agent": "trino-cli/476 <b>"})
    browser = Browser()
    page = browser.get(redirect)
    assert page.status == 200 and "location" not in page.headers
    assert b"127.0.0.1" in page.data and b"trino-cli/476 &lt;b&gt;" in page.data
    assert b"another machine" not in page.data
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "SameSite=strict" in page.headers["set-cookie"] and "HttpOnly" in page.headers["set-cookie"]
    log_ins = external.door.app.log_ins
    assert log_ins is not None
    pending = len(log_ins)
    # A form of another site has neither the cookie nor what stands in the page.
    assert browser.post(redirect, "guessed").status == 404
    assert Browser().post(redirect, "").status == 404
    assert len(log_ins) == pending


def test_a_link_says_where_it_came_from_and_cannot_be_changed(external: Opened) -> None:
    redirect, _ = challenged(external)
    address, _, origin = redirect.partition("?from=")
    other, _ = challenged(external)
    for changed in (
        address,
        f"{address}?from={'A' + origin[1:]}",
        f"{address}?from={other.partition('?from=')[2]}",
        f"{address}?from=%00.%00",
    ):
        assert Browser().get(changed).status == 404


def test_another_machine_is_pointed_out(idp: FakeIdp, tmp_path: Path) -> None:
    more = f'[security]\ntrusted_proxies = ["127.0.0.1"]\n[auth.external]\nissuer = "{idp.issuer}"\n'
    with opened_door(tmp_path, more + f'client_id = "{CLIENT}"\n', providers=bearers(idp)) as door:
        redirect, _ = challenged(
            door, **{"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": "sql.example"}
        )
        assert redirect.startswith("http://sql.example/")
        page = Browser().get(redirect.replace("http://sql.example", door.url))
        assert b"203.0.113.9" in page.data and b"another machine" in page.data


def test_others_are_not_given_up_for_who_comes_later(
    external: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_ins = external.door.app.log_ins
    assert log_ins is not None
    pending = len(log_ins)
    monkeypatch.setattr("sqe.doors.trino.browser_log_ins.MOST_OF_ONE_ADDRESS", pending + 2)
    waiting = [challenged(external) for _ in range(3)]
    browsers = [Browser() for _ in waiting]
    answers = [b.confirm(redirect).status for b, (redirect, _) in zip(browsers, waiting, strict=True)]
    assert answers == [303, 303, 429] and len(log_ins) == pending + 2
    # Neither does another browser take over what one has begun; that one may begin anew.
    assert Browser().confirm(waiting[0][0]).status == 404
    for _, token_server in waiting:
        urllib3.request("DELETE", token_server)
    assert len(log_ins) == pending


def test_no_browser_is_sent_to_an_address_that_anybody_chose(
    external: Opened, idp: FakeIdp, tmp_path: Path
) -> None:
    def redirect_of(door: Opened, host: str) -> str | None:
        answer = Wire(door.url, Host=host).send("POST", "/v1/statement", "SELECT 1")
        challenges = answer.headers.getlist("www-authenticate")
        assert answer.status == 401 and 'Basic realm="Trino"' in challenges
        return next((c for c in challenges if "x_redirect_server" in c), None)

    assert redirect_of(external, "evil.example") is None
    assert redirect_of(external, f"localhost:{external.port}") is not None
    url = 'server_url = "https://sql.example/"\n'
    more = f'[auth.external]\nissuer = "{idp.issuer}"\nclient_id = "{CLIENT}"\n{url}'
    with opened_door(tmp_path, more, providers=bearers(idp)) as door:
        challenge = redirect_of(door, "evil.example")
        assert challenge is not None and challenge.count("https://sql.example/oauth2/") == 2


def test_what_is_no_log_in(external: Opened) -> None:
    for path in ("/oauth2/token/initiate/abc", "/oauth2/callback", "/oauth2/token/short"):
        assert urllib3.request("GET", external.url + path, redirect=False).status == 404


def test_without_an_identity_provider_there_is_no_such_page(wire: Wire, tmp_path: Path) -> None:
    assert wire.send("GET", "/oauth2/callback").status == 404
