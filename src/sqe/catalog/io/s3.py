"""Objects in S3, and in stores that speak its protocol: schemes `s3` and `s3a`.

By obstore: one request for a read, none to learn who we are. It takes nothing from the environment, where the
keys of the server's own account may be.
"""

from __future__ import annotations

import contextlib
import errno
import posixpath
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqe.catalog.io import storage as names
from sqe.errors import InvalidArgument
from sqe.foundation.store_requests import count_request

if TYPE_CHECKING:
    from sqe.catalog.io.protocol import Entry
    from sqe.catalog.io.storage import Storage

CONNECT_SECONDS = 5
ANSWER_SECONDS = 20
RETRIES = 3
# A store that is slow or down is given up after this.
RETRY_SECONDS = 30
_MOST_CLIENTS = 200
# Anything else in the place of a bucket might be read as the name of a server.
_LOCATION = re.compile(r"(?i:s3a?)://([A-Za-z0-9][A-Za-z0-9._-]*)(?:/(.*))?", re.DOTALL)
_UNUSABLE = re.compile(r"[?#\x00-\x1f\x7f]")


def file_system(storage: Storage | None) -> S3Files | None:
    return None if storage is None else S3Files(storage)


class S3Files:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def spell(self, location: str) -> str:
        bucket, key = _parts(location)
        unusable = _UNUSABLE.search(location)
        if unusable or not bucket or any(part in (".", "..") for part in key.split("/")):
            raise InvalidArgument(
                f"{location!r} cannot be the place of a table",
                hint="write s3://bucket/path, without '?', '#', '..' and control characters",
            )
        return f"s3://{bucket}/{re.sub('/+', '/', key).strip('/')}".rstrip("/")

    def resolve(self, location: str, *, follow: bool = True) -> str:
        # A store takes `..` for a name; what reads from it may not.
        bucket, key = _parts(location)
        return f"s3://{bucket}{posixpath.normpath('/' + key.lstrip('/'))}".rstrip("/")

    def engine_path(self, location: str) -> str:
        """Of a name that means the same to everybody: a store takes `//` and `..` for parts of it."""
        bucket, key = _parts(location)
        plain = f"s3://{bucket}/{key}".rstrip("/")
        if plain != self.resolve(location):
            raise InvalidArgument(f"{location!r} is not a name that all programs read alike")
        return plain

    def read(self, location: str) -> bytes:
        import obstore

        with _errors():
            store, key = self._store(location)
            return bytes(obstore.get(store, key).bytes())

    def read_range(self, location: str, start: int, length: int) -> bytes:
        import obstore

        if length == 0:
            return b""
        with _errors():
            store, key = self._store(location)
            return bytes(obstore.get_range(store, key, start=start, length=length))

    def size(self, location: str) -> int:
        import obstore

        with _errors():
            store, key = self._store(location)
            return int(obstore.head(store, key)["size"])

    def modified_ms(self, location: str) -> int:
        import obstore

        with _errors():
            store, key = self._store(location)
            return int(obstore.head(store, key)["last_modified"].timestamp() * 1000)

    def exists(self, location: str) -> bool:
        try:
            self.size(location)
        except FileNotFoundError:
            return False
        return True

    def entries(self, location: str) -> list[Entry]:
        import obstore

        from sqe.catalog.io.protocol import Entry

        with _errors():
            store, key = self._store(location)
            listed = obstore.list_with_delimiter(store, prefix=key.rstrip("/"))
        files = [Entry(str(o["path"]).rpartition("/")[2], False) for o in listed["objects"]]
        return [*files, *(Entry(p.rstrip("/").rpartition("/")[2], True) for p in listed["common_prefixes"])]

    def write(self, location: str, content: bytes) -> None:
        import obstore

        with _errors():
            store, key = self._store(location)
            obstore.put(store, key, content, use_multipart=False)

    def create(self, location: str, content: bytes) -> bool:
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with _errors():
            store, key = self._store(location)
            try:
                obstore.put(store, key, content, mode="create", use_multipart=False)
            except (AlreadyExistsError, PreconditionError):
                return False
        return True

    def delete(self, location: str, *, root: str | None = None) -> None:
        import obstore

        with _errors(), contextlib.suppress(FileNotFoundError):
            store, key = self._store(location)
            obstore.delete(store, key)

    def prune(self, location: str, *, root: str) -> None:
        """There are no directories."""

    def _store(self, location: str) -> tuple[Any, str]:
        """For one request, which is counted here."""
        bucket, key = _parts(location)
        client = _clients.get(bucket, self._storage.properties(location))
        count_request()
        return client, key


class _Clients:
    """One for each bucket and each set of keys; what was not used for long goes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[tuple[object, ...], Any] = OrderedDict()

    def get(self, bucket: str, properties: Mapping[str, str]) -> Any:
        key = (bucket, *(properties.get(name, "") for name in _OPTIONS))
        with self._lock:
            client = self._made.get(key)
            if client is None:
                client = self._made[key] = _client(bucket, properties)
            self._made.move_to_end(key)
            while len(self._made) > _MOST_CLIENTS:
                self._made.popitem(last=False)
            return client


_OPTIONS = (
    names.ENDPOINT,
    names.REGION,
    names.ACCESS_KEY,
    names.SECRET_KEY,
    names.SESSION_TOKEN,
    names.PATH_STYLE,
    names.ALLOW_HTTP,
)
_clients = _Clients()


def _client(bucket: str, properties: Mapping[str, str]) -> Any:
    from obstore.store import S3Store

    endpoint = properties.get(names.ENDPOINT)
    names.refuse_plain_http(properties)
    options: dict[str, Any] = {} if endpoint is None else {"endpoint": endpoint}
    if properties.get(names.ACCESS_KEY):
        options["access_key_id"] = properties[names.ACCESS_KEY]
        options["secret_access_key"] = properties.get(names.SECRET_KEY, "")
        if properties.get(names.SESSION_TOKEN):
            options["session_token"] = properties[names.SESSION_TOKEN]
    else:
        options["skip_signature"] = True
    return S3Store(
        bucket,
        region=properties.get(names.REGION) or "us-east-1",
        virtual_hosted_style_request=properties.get(names.PATH_STYLE) != "true",
        client_options={
            "allow_http": endpoint is not None and not endpoint.startswith("https://"),
            "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
            "timeout": timedelta(seconds=ANSWER_SECONDS),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)},
        **options,
    )


def _parts(location: str) -> tuple[str, str]:
    match = _LOCATION.fullmatch(location)
    if match is None:
        raise InvalidArgument(f"{location!r} is no place in an object store")
    return match[1], match[2] or ""


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """As OSErrors. The text of the library's may have headers and addresses in it."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    try:
        yield
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise PermissionError(errno.EACCES, "the object store does not allow it") from error
    except BaseError as error:
        raise OSError(errno.EIO, "the object store cannot be used") from error
