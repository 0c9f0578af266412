"""Every provider, with credentials that it takes, refuses, and leaves to others."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import jwt
import pytest
from tests.auth.fake_idp import FakeIdp, public_jwk, rsa_key, shared_idp

from sqe.auth.credentials import Bearer, Credentials, LoggedIn, Password, Provider
from sqe.auth.passwords import Cost, hash_password
from sqe.auth.providers import make
from sqe.auth.providers.api_key import hash_of
from sqe.config.config import load
from sqe.session import Identity

# Real costs are for real attackers.
CHEAP = Cost(ln=4, r=1, p=1)
ANN = Identity("ann", frozenset({"analyst"}), frozenset({"finance"}))
ANN_SECRET = "päss:wörd-of-ann"
ETL = Identity("etl", frozenset({"writer"}))
KEY = "sqe_0123456789abcdef0123456789abcdef"


@dataclass
class Case:
    provider: Provider
    right: list[tuple[Credentials, Identity]]
    wrong: list[Credentials]
    foreign: list[Credentials]


def users_toml(**passwords: str) -> str:
    return "".join(
        f'[users.{user}]\npassword = "{hash_password(password, CHEAP)}"\n'
        'roles = ["analyst"]\ngroups = ["finance"]\n'
        for user, password in passwords.items()
    )


def keys_toml(key: str = KEY) -> str:
    return f'[[keys]]\nhash = "{hash_of(key)}"\nuser = "etl"\nroles = ["writer"]\n'


def private(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def configured(folder: Path, text: str) -> Provider:
    """As a server would make it."""
    file = folder / "sqe.toml"
    file.write_text(f"[[auth.providers]]\n{text}")
    (settings,) = load(file, {}).auth.providers
    return make(settings)


def anonymous(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    visitor = Identity("visitor", frozenset({"reader"}))
    return Case(
        configured(folder, 'type = "anonymous"\nuser = "visitor"\nroles = ["reader"]'),
        right=[(None, visitor), (Password("ann", ""), visitor), (Password("", ""), visitor)],
        wrong=[],
        foreign=[Password("ann", ANN_SECRET), Bearer(KEY), Bearer("")],
    )


def keys_in_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    private(folder / "keys.toml", keys_toml())
    return _keys(configured(folder, f'type = "api_key"\nkeys_file = "{folder}/keys.toml"'))


def keys_inline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    inline = keys_toml().replace("[[keys]]", "[[auth.providers.keys]]")
    return _keys(configured(folder, f'type = "api_key"\n{inline}'))


def _keys(provider: Provider) -> Case:
    return Case(
        provider,
        right=[(Bearer(KEY), ETL), (Password("etl", KEY), ETL), (Password("", KEY), ETL)],
        wrong=[
            Bearer(KEY[:-1]),
            Bearer(KEY + "0"),
            Bearer("sqe_"),
            Password("ann", KEY),
            Password("etl", "sqe_x"),
        ],
        foreign=[
            None,
            Bearer("eyJhbGciOi.x.y"),
            Bearer(""),
            Password("etl", "hunter-2"),
            Password("etl", ""),
        ],
    )


def users(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    private(folder / "users.toml", users_toml(ann=ANN_SECRET, bob="bobs-own"))
    return Case(
        configured(folder, f'type = "users_file"\nusers_file = "{folder}/users.toml"'),
        right=[(Password("ann", ANN_SECRET), ANN), (Password("ann", "pa\u0308ss:wo\u0308rd-of-ann"), ANN)],
        wrong=[
            Password("ann", "bobs-own"),
            Password("ann", ANN_SECRET + " "),
            Password("Ann", ANN_SECRET),
            Password("", ANN_SECRET),
            Password("nobody", ANN_SECRET),
            Password("ann", "x" * 100_000),
        ],
        foreign=[None, Bearer(ANN_SECRET), Password("ann", "")],
    )


def users_falling_through(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    case = users(folder, monkeypatch)
    text = f'type = "users_file"\nusers_file = "{folder}/users.toml"\nfallthrough_on_reject = true'
    return Case(configured(folder, text), case.right, [], [*case.foreign, *case.wrong])


def identity_in(answer: Identity | LoggedIn | None) -> Identity | None:
    """What a provider says of who it is, with or without tokens; not what the token is good for."""
    identity = answer.identity if isinstance(answer, LoggedIn) else answer
    return None if identity is None else replace(identity, rights="")


def person(idp: FakeIdp, user: str) -> Identity:
    roles = frozenset(idp.roles[user])
    return Identity(user, roles, frozenset({"staff"}), idp.issuer, f"subject-of-{user}")


def forged(idp: FakeIdp) -> dict[str, str]:
    """Tokens that look like the identity provider's, by what is wrong with them."""
    claims = idp.claims("alice")
    now = claims["iat"]
    unsigned = jwt.encode(claims, "", algorithm="none", headers={"kid": idp.signing})
    shared_secret = public_jwk(idp.keys[idp.signing], "")["n"]
    return {
        "unsigned": unsigned,
        "signed with another key": idp.sign(claims, key=rsa_key(99)),
        "signed with an unknown key": idp.sign(claims, key=rsa_key(99), kid="unknown"),
        "signed with the public key as a secret": jwt.encode(
            claims, shared_secret, algorithm="HS256", headers={"kid": idp.signing}
        ),
        "for another audience": idp.token(aud="mail"),
        "for nobody": idp.sign({key: value for key, value in claims.items() if key != "aud"}),
        "expired": idp.token(exp=now - 3600),
        "without an end": idp.sign({key: value for key, value in claims.items() if key != "exp"}),
        "ends at infinity": idp.token(exp=float("inf")),
        "not valid yet": idp.token(nbf=now + 3600),
        "issued in the future": idp.token(iat=now + 3600),
        "of 20 KB": idp.token(padding="x" * 20_000),
        "bound to a key": idp.token(cnf={"jkt": "x"}),
        "without a user": idp.token(preferred_username=None),
        "with a user that is no name": idp.token(preferred_username="ali\nce"),
        "without a subject": idp.sign({key: value for key, value in claims.items() if key != "sub"}),
        "with roles that are no list": idp.token(realm_access={"roles": {"admin": True}}),
    }


def bearer_tokens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    idp = shared_idp()
    return Case(
        configured(folder, _of_idp(idp, "bearer_token", audience="catalog")),
        right=[
            (Bearer(idp.token("alice")), person(idp, "alice")),
            (Bearer(idp.token("bob", aud="catalog")), person(idp, "bob")),
            (Bearer(idp.sign(idp.claims("bob"), kid=None)), person(idp, "bob")),
        ],
        wrong=[Bearer(token) for token in forged(idp).values()],
        foreign=[
            None,
            Password("alice", idp.token()),
            Bearer(KEY),
            Bearer(idp.token(iss="https://elsewhere.example/realms/lake")),
            Bearer(idp.token(iss=idp.issuer + "/")),
            # What cannot be read is nobody's: extensions that must be understood, and broken parts.
            Bearer(idp.sign(idp.claims("alice"), crit=["b64"], b64=True)),
            Bearer(idp.token()[5:]),
        ],
    )


def _of_idp(idp: FakeIdp, kind: str, **more: object) -> str:
    lines = {"type": kind, "issuer": idp.issuer, "allow_insecure_jwks": True, **more}
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items())


def idp_passwords(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    idp = shared_idp()
    return Case(
        configured(folder, _of_idp(idp, "oidc_password", client_id="sqe", client_secret="sqe-secret")),
        right=[
            (Password("alice", "alice-secret"), person(idp, "alice")),
            (Password("bob", "bob-secret"), person(idp, "bob")),
        ],
        wrong=[
            Password("alice", "bob-secret"),
            Password("Alice", "alice-secret"),
            Password("nobody", "alice-secret"),
            Password("", "alice-secret"),
            Password("alice", "x" * 100_000),
        ],
        foreign=[None, Bearer("alice-secret"), Bearer(idp.token()), Password("alice", "")],
    )


def idp_passwords_falling_through(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    case = idp_passwords(folder, monkeypatch)
    text = _of_idp(
        shared_idp(),
        "oidc_password",
        client_id="sqe",
        client_secret="sqe-secret",
        fallthrough_on_reject=True,
    )
    return Case(configured(folder, text), case.right, [], [*case.foreign, *case.wrong])


def idp_clients(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    idp = shared_idp()
    return Case(
        configured(folder, _of_idp(idp, "client_credentials", audience="catalog")),
        right=[(Password("etl", "etl-secret"), person(idp, "service-account-etl"))],
        wrong=[Password("etl", "sqe-secret"), Password("nobody", "etl-secret"), Password("", "etl-secret")],
        foreign=[None, Bearer("etl-secret"), Password("etl", "")],
    )


def one_idp_client(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    case = idp_clients(folder, monkeypatch)
    text = _of_idp(shared_idp(), "client_credentials", client_id="etl")
    others = [Password("sqe", "sqe-secret"), Password("alice", "alice-secret")]
    return Case(configured(folder, text), case.right, case.wrong[:1], [*case.foreign, *others])


def exchanged_tokens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    idp = shared_idp()
    text = _of_idp(
        idp, "token_exchange", client_id="exchange", client_secret="exchange-secret", audience="catalog"
    )
    return Case(
        configured(folder, text),
        right=[
            (Bearer(idp.token("alice", aud=["exchange"])), person(idp, "alice")),
            (Bearer(idp.token("bob", aud="exchange")), person(idp, "bob")),
        ],
        wrong=[
            # What is for the catalogs already is not for this server.
            Bearer(idp.token("alice", aud="catalog")),
            Bearer(idp.sign(idp.claims("alice", aud="exchange"), key=rsa_key(99))),
            Bearer(idp.token("alice", aud="exchange", exp=1)),
        ],
        foreign=[None, Password("alice", "alice-secret"), Bearer(KEY), Bearer(idp.token(iss="https://x"))],
    )


def of_another_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    install_package(folder / "site", monkeypatch)
    return Case(
        configured(folder, 'type = "rot13"\n[auth.providers.options]\nroles = ["guest"]'),
        right=[(Password("ann", "naa"), Identity("ann", frozenset({"guest"})))],
        wrong=[Password("ann", "ann")],
        foreign=[None, Bearer("x")],
    )


def install_package(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that adds a provider by an entry point, as pip would put it there."""
    info = site / "sqe_rot13-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sqe-rot13\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[sqe.auth.providers]\nrot13 = sqe_rot13:Rot13\nbroken = sqe_rot13:absent\n"
        "anonymous = sqe_rot13:Rot13\n"
    )
    (site / "sqe_rot13.py").write_text(
        """\
import codecs
from sqe.auth.credentials import Password, refused
from sqe.session import Identity

class Rot13:
    name = "rot13"

    def __init__(self, options):
        self.roles = frozenset(options.get("roles", ()))

    def authenticate(self, credentials):
        if not isinstance(credentials, Password):
            return None
        if not credentials.user or codecs.encode(credentials.user, "rot13") != credentials.password:
            raise refused()
        return Identity(credentials.user, self.roles)
"""
    )
    monkeypatch.syspath_prepend(str(site))


CASES: dict[str, Callable[[Path, pytest.MonkeyPatch], Case]] = {
    "anonymous": anonymous,
    "api_key, file": keys_in_a_file,
    "bearer_token": bearer_tokens,
    "client_credentials": idp_clients,
    "client_credentials, of one client": one_idp_client,
    "oidc_password": idp_passwords,
    "oidc_password, falling through": idp_passwords_falling_through,
    "token_exchange": exchanged_tokens,
    "api_key, inline": keys_inline,
    "users_file": users,
    "users_file, falling through": users_falling_through,
    "of another package": of_another_package,
}
