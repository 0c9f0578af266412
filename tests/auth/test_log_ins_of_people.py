"""Log-ins at a terminal: what a browser or a code may come back with, and where tokens are kept."""

from __future__ import annotations

import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import urllib3
from tests.auth.fake_idp import FakeIdp
from tests.cli.command_line import command
from tests.server.token_server import token_server

import sqe
from sqe.auth.logins import auth_code, device_code
from sqe.auth.logins.external import External, external_of
from sqe.auth.logins.kept_log_ins import KeptLogIns, kept
from sqe.auth.oidc.token_endpoint import Tokens
from sqe.cli.arguments import Server
from sqe.cli.log_in import address_of
from sqe.config.providers import ExternalSettings
from sqe.errors import AuthenticationFailed, ConfigError

HERE = "127.0.0.1:50051"


@pytest.fixture(scope="module")
def idp() -> FakeIdp:
    return FakeIdp()


def external(idp: FakeIdp, *, timeout: int = 10, redirect_uri: str | None = None) -> External:
    settings = ExternalSettings(
        issuer=idp.issuer, client_id="cli", challenge_timeout_secs=timeout, redirect_uri=redirect_uri
    )
    return external_of(settings, device=False)


class Browser:
    """Somebody who does with the log-in page what a test says."""

    def __init__(self, idp: FakeIdp, **changes: str) -> None:
        self._idp = idp
        self._changes = changes
        self.statuses: list[int] = []
        self.query: dict[str, str] = {}

    def open(self, url: str) -> bool:
        threading.Thread(target=self._go, args=(url,), daemon=True).start()
        return True

    def _go(self, url: str) -> None:
        self.query = dict(parse_qsl(urlsplit(url).query))
        back = self._idp.authorize(self.query)
        page, _, text = back.partition("?")
        answer = dict(parse_qsl(text))
        strangers = [f"{page}?{urlencode(answer | {'state': 'x'})}", page + "/favicon.ico", page]
        changed = {key: value for key, value in (answer | self._changes).items() if value}
        for target in (*strangers, f"{page}?{urlencode(changed)}"):
            self.statuses.append(urllib3.request("GET", target, retries=False).status)


def test_only_the_answer_to_this_log_in_is_heard(idp: FakeIdp) -> None:
    browser = Browser(idp)
    tokens = auth_code.log_in(external(idp), lambda text: None, browser.open)
    assert tokens.access_token and tokens.refresh_token
    assert browser.statuses[:3] == [404, 404, 404]
    assert browser.query["code_challenge_method"] == "S256"
    assert browser.query["redirect_uri"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code": "", "error": "access_denied"}, "access_denied"),
        ({"code": "", "error": "<script>"}, "script"),
        ({"iss": "https://elsewhere.example"}, "another issuer"),
        ({"code": "made-up"}, "invalid_grant"),
    ],
)
def test_a_browser_that_comes_back_without_a_log_in(
    idp: FakeIdp, changes: dict[str, str], reason: str
) -> None:
    with pytest.raises(AuthenticationFailed, match=rf"nobody has logged in: .*{reason}"):
        auth_code.log_in(external(idp), lambda text: None, Browser(idp, **changes).open)


def test_a_browser_that_never_comes_back(idp: FakeIdp) -> None:
    with pytest.raises(AuthenticationFailed, match="did not come back in time"):
        auth_code.log_in(external(idp, timeout=1), lambda text: None, lambda url: False)


def test_a_browser_is_sent_back_to_this_machine_alone(idp: FakeIdp) -> None:
    for uri in ("https://127.0.0.1/x", "http://example.com/x", "http://0.0.0.0/x"):
        with pytest.raises(ConfigError, match="redirect_uri must be http on this machine"):
            auth_code.log_in(external(idp, redirect_uri=uri), lambda text: None, lambda url: False)


def test_a_code_that_nobody_confirms(idp: FakeIdp) -> None:
    with pytest.raises(AuthenticationFailed, match="was not confirmed in time"):
        device_code.log_in(external(idp, timeout=2), lambda text: None)


def test_a_code_that_is_confirmed_later(idp: FakeIdp) -> None:
    def confirm(text: str) -> None:
        (code,) = [code for code in idp.devices if code in text]
        threading.Timer(1.5, lambda: idp.devices.update({code: "bob"})).start()

    assert device_code.log_in(external(idp), confirm).access_token


def test_plain_http_is_for_this_machine(idp: FakeIdp) -> None:
    for issuer in ("http://idp.example.com", "ftp://idp.example.com", "idp.example.com"):
        with pytest.raises(ConfigError, match="issuer must be an https address"):
            external_of(ExternalSettings(issuer=issuer, client_id="cli"), device=False)
    with pytest.raises(ConfigError, match=r"give --issuer and --client-id, or set issuer"):
        external_of(ExternalSettings(), device=False)


def log_in(idp: FakeIdp, log_ins: KeptLogIns, server: str = HERE, *, seconds: float = 300) -> Tokens:
    where = external(idp)
    _, answer = idp._issue("alice")
    tokens = Tokens(answer["access_token"], time.time() + seconds, seconds, answer["refresh_token"])
    log_ins.keep(kept(server, where.idp, where.client, tokens, user="alice"))
    return tokens


def test_the_file_is_private(idp: FakeIdp, tmp_path: Path) -> None:
    log_ins = KeptLogIns(tmp_path / "new")
    tokens = log_in(idp, log_ins)
    file = tmp_path / "new" / "log-ins.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert log_ins.token(HERE) == tokens.access_token and log_ins.token("elsewhere:1") is None
    assert tokens.access_token not in repr(log_ins.all())
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="may be read or changed by others"):
        log_ins.token(HERE)


def test_it_is_renewed_once_however_many_ask(idp: FakeIdp, tmp_path: Path) -> None:
    former = log_in(idp, KeptLogIns(tmp_path), seconds=30)
    before = idp.requests["/token"]
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: KeptLogIns(tmp_path).token(HERE), range(16)))
    assert len(tokens) == 1 and former.access_token not in tokens
    assert idp.requests["/token"] == before + 1


def test_what_cannot_be_renewed_says_what_to_do(idp: FakeIdp, tmp_path: Path) -> None:
    log_ins = KeptLogIns(tmp_path)
    log_in(idp, log_ins, seconds=30)
    entry = log_ins.find(HERE)
    assert entry is not None
    log_ins.keep(replace(entry, refresh_token="made-up"))
    with pytest.raises(AuthenticationFailed, match=r"the log-in is over: .*\(run sqe auth login again\)"):
        log_ins.token(HERE)
    log_ins.keep(replace(entry, refresh_token=None))
    assert log_ins.token(HERE) == entry.access_token, "it holds for a moment still"


class FakeKeyring:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def set_password(self, service: str, name: str, text: str) -> None:
        self.kept[service, name] = text

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


def test_with_a_keyring_no_token_is_in_the_file(idp: FakeIdp, tmp_path: Path) -> None:
    keyring = FakeKeyring()
    log_ins = KeptLogIns(tmp_path, keyring=keyring)
    tokens = log_in(idp, log_ins)
    assert tokens.refresh_token is not None
    text = (tmp_path / "log-ins.json").read_text()
    assert tokens.access_token not in text and tokens.refresh_token not in text
    assert log_ins.token(HERE) == tokens.access_token
    entry = log_ins.forget(HERE)
    assert entry is not None and entry.refresh_token == tokens.refresh_token
    assert keyring.kept == {} and log_ins.all() == []


def test_no_other_server_gets_the_token(
    idp: FakeIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    log_ins = KeptLogIns(tmp_path / ".sqe")
    tokens = log_in(idp, log_ins)
    log_in(idp, log_ins, "sql.example.com:50051")
    here = Server("127.0.0.1", 50051, None, tls=False, insecure=False)
    assert address_of(here).token == tokens.access_token
    assert address_of(replace(here, port=50052)).token is None
    assert address_of(replace(here, host="localhost")).token is None
    assert address_of(replace(here, token="mine")).token == "mine"
    with pytest.raises(ConfigError, match=r"in clear text to sql\.example\.com"):
        address_of(replace(here, host="sql.example.com"))
    assert address_of(replace(here, host="sql.example.com", tls=True)).token is not None


def test_a_shell_outlives_its_tokens(idp: FakeIdp, tmp_path: Path) -> None:
    tokens = [idp.token("alice", exp=int(time.time()) + 100 + number) for number in range(4)]
    provider = (
        f'[[auth.providers]]\ntype = "bearer_token"\nissuer = "{idp.issuer}"\n'
        'audience = "catalog"\nallow_insecure_jwks = true\n'
    )
    with token_server(tmp_path, provider) as server:
        port = server.port
        assert port is not None

        def next_token() -> str:
            return tokens.pop(0) if tokens[1:] else tokens[0]

        with sqe.connect(host="127.0.0.1", port=port, token=next_token) as connection:
            connection.execute("PREPARE mine FROM SELECT 7")
            for _ in range(4):
                assert connection.execute("EXECUTE mine").fetchall() == [(7,)]
            (session,) = server.server.clients.sessions.all()
            assert session.session.tokens is not None
            assert session.session.tokens.current() == tokens[0]


def test_the_commands_say_what_they_are_for(tmp_path: Path) -> None:
    for words in (["auth", "--help"], ["auth", "login", "--help"], ["auth", "status"]):
        done = command(tmp_path, *words)
        assert done.returncode == 0, done.stderr
    assert command(tmp_path, "auth").returncode == 2
    done = command(tmp_path, "auth", "login")
    assert done.returncode == 2 and "give --issuer and --client-id" in done.stderr
