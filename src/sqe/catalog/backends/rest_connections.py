"""HTTP connections to one server, kept for the next who reads, and which failures are tried again.

Apart from `rest_client` since importing urllib3 takes longer than asking a catalog once.
"""

from __future__ import annotations

import contextlib
import random
import ssl
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import urllib3
from urllib3.connectionpool import ConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    MaxRetryError,
    NewConnectionError,
    ReadTimeoutError,
)
from urllib3.response import BaseHTTPResponse

MOST_BYTES = 256 << 20
"""Of an answer: as many as of a metadata file."""
WHOLE_SECONDS = 120.0
"""For an answer that keeps coming. One that is silent is given up earlier."""
_CHUNK = 1 << 20
_RETRIES = 3
# How often an answer is asked for that breaks off.
_TIMES_READ = _RETRIES + 1
_MOST_IDLE = 32
# A server that says this has done nothing.
_NOT_DONE = frozenset({429, 503})
# A proxy that says this does not know what the server has done. Not 500: some say so to those who may not.
_UNKNOWN = frozenset({502, 504})


class NotSent(Exception):
    """There is no connection, so that nothing was asked."""


class Silent(Exception):
    """The request was sent, and no answer came in time."""


class Broken(Exception):
    """The connection ended before the answer did."""


class _BrokeOff(Broken):
    """In the middle of it."""


class TooLarge(Exception):
    """The answer has more than MOST_BYTES."""


class Connections:
    """To the server at a host. Anyone may read at once."""

    def __init__(self, host: str, port: int | None, *, secure: bool) -> None:
        self._host, self._port, self._secure = host, port, secure
        self._reading = self._pool()

    def exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], timeout: urllib3.Timeout
    ) -> tuple[int, bytes]:
        """The status and the content of the answer. A GET is sent again whatever happened to it, unless the
        server is silent; a change only if it was certainly not made."""
        if method == "GET":
            for _ in range(_TIMES_READ - 1):
                with contextlib.suppress(_BrokeOff):
                    return _exchange(self._reading, method, path, body, headers, timeout, _READ)
            return _exchange(self._reading, method, path, body, headers, timeout, _READ)
        # A kept connection may have ended, which is seen only after the request: fine where it can be sent
        # again, and a change cannot.
        with self._pool() as pool:
            once = {**headers, "Connection": "close"}
            return _exchange(pool, method, path, body, once, timeout, _CHANGE)

    def close(self) -> None:
        self._reading.close()

    def _pool(self) -> urllib3.HTTPConnectionPool:
        if self._secure:
            context = ssl.create_default_context()
            return urllib3.HTTPSConnectionPool(
                self._host, self._port, maxsize=_MOST_IDLE, ssl_context=context
            )
        return urllib3.HTTPConnectionPool(self._host, self._port, maxsize=_MOST_IDLE)


def timeout(*, connect: float, answer: float) -> urllib3.Timeout:
    return urllib3.Timeout(connect=connect, read=answer)


class _Retry(urllib3.Retry):
    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        # Asked again it would be as silent, and whoever waits would wait as long again.
        late = isinstance(error, ConnectTimeoutError) and not isinstance(error, NewConnectionError)
        if error is not None and (late or isinstance(error, ReadTimeoutError)):
            raise error
        return super().increment(method, url, response, error, _pool, _stacktrace)

    def get_backoff_time(self) -> float:
        pause: float = 0.1 * 3 ** (len(self.history) - 1)
        return pause * random.uniform(0.5, 1.5)


_READ = _Retry(
    total=_RETRIES,
    connect=1,
    status_forcelist=_NOT_DONE | _UNKNOWN,
    allowed_methods=None,
    raise_on_status=False,
    respect_retry_after_header=False,
)
_CHANGE = _READ.new(read=False, other=False, status_forcelist=_NOT_DONE)


def _exchange(
    pool: urllib3.HTTPConnectionPool,
    method: str,
    path: str,
    body: bytes | None,
    headers: Mapping[str, str],
    timeout: urllib3.Timeout,
    retries: _Retry,
) -> tuple[int, bytes]:
    try:
        answer = pool.urlopen(
            method,
            path,
            body,
            headers,
            retries=retries,
            redirect=False,
            timeout=timeout,
            decode_content=False,
            preload_content=False,
        )
    except HTTPError as error:
        cause = error.reason if isinstance(error, MaxRetryError) else error
        if isinstance(cause, ConnectTimeoutError):
            raise NotSent from cause
        if isinstance(cause, ReadTimeoutError):
            raise Silent from cause
        raise Broken from cause
    return answer.status, _content(answer)


def _content(answer: BaseHTTPResponse) -> bytes:
    """Bounded in bytes and in time: a server may send on for ever."""
    deadline = time.monotonic() + WHOLE_SECONDS
    content = bytearray()
    try:
        for chunk in answer.stream(_CHUNK, decode_content=False):
            content += chunk
            if len(content) > MOST_BYTES:
                raise TooLarge
            if time.monotonic() > deadline:
                raise Silent
    except ReadTimeoutError as error:
        raise Silent from error
    except HTTPError as error:
        raise _BrokeOff from error
    finally:
        # One that was read to its end is kept for the next request.
        if not answer.closed:
            answer.close()
        answer.release_conn()
    return bytes(content)
