"""Parts of URLs, as java.net.URI and java.net.URLDecoder gave them."""

from __future__ import annotations

import pytest

from sqe.functions.bodies import urls
from sqe.functions.bodies.arrow import BodyError

# The URL; its protocol, host, port, path, query and fragment.
READ: list[tuple[str, tuple[str, str, int | None, str, str, str]]] = [
    ("http://u:p@h.com:8080/a%20b;c=1?q=1&r=%C3%A9#f", ("http", "h.com", 8080, "/a b;c=1", "q=1&r=é", "f")),
    ("mailto:a@b", ("mailto", "", None, "", "", "")),
    ("/x?a+b#c", ("", "", None, "/x", "a+b", "c")),
    ("http:///path", ("http", "", None, "/path", "", "")),
    ("http://a_b.com:80/x", ("http", "", None, "/x", "", "")),  # a name and no host
    ("http://1.2.3/", ("http", "", None, "/", "", "")),
    ("http://1.2.3.4:/", ("http", "1.2.3.4", None, "/", "", "")),
    ("http://[::1%eth0]:9/", ("http", "[::1%eth0]", 9, "/", "", "")),
    ("http://a:000000000080/", ("http", "a", 80, "/", "", "")),
    ("http://a:99999999999/", ("http", "", None, "/", "", "")),
    ("http://a-b.c./", ("http", "a-b.c.", None, "/", "", "")),
    ("http://a/\U0001f600", ("http", "a", None, "/\U0001f600", "", "")),
    ("", ("", "", None, "", "", "")),
]
BROKEN = (
    "http://",
    "a:",
    "://x",
    "1http://a",
    "http://a b",
    "http://a/%zz",
    "http://a/|",
    "http://[::1",
    "http://a/\xa0",
    "http://[::1%]/",
)


@pytest.mark.parametrize(("url", "parts"), READ, ids=lambda v: str(v)[:40])
def test_parts(url: str, parts: tuple[str, str, int | None, str, str, str]) -> None:
    got = (
        urls.protocol(url),
        urls.host(url),
        urls.port(url),
        urls.path(url),
        urls.query(url),
        urls.fragment(url),
    )
    assert got == parts


@pytest.mark.parametrize("url", BROKEN)
def test_what_is_no_url_has_no_parts(url: str) -> None:
    assert [urls.host(url), urls.port(url), urls.path(url), urls.parameter(url, "a")] == [None] * 4


def test_parameters() -> None:
    url = "http://a/?a=1+2%2B&b&c=&a=2"
    assert [urls.parameter(url, name) for name in "abcd"] == ["1 2+", "", "", None]


def test_what_was_encoded_is_decoded() -> None:
    assert urls.decode("a+b%20%C3%A9%ED%A0%80%C3") == "a b é\ufffd\ufffd"
    for broken in ("%", "%4", "%zz", "%41%"):
        with pytest.raises(BodyError):
            urls.decode(broken)
