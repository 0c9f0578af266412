"""What a statement returned: drained from the engine at once, read by the client at its own pace.

Spark keeps in its heap what nobody takes, so a thread of ours takes everything: into memory up to a window,
and beyond it into a private file. Any number of readers may read it any number of times, also while it still
grows. A limit that is reached is an error that names it, never a shorter result.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from sqe.errors import Cancelled, InternalError, LimitExceeded, SqeError, Unavailable
from sqe.foundation.idle_threads import IdleThreads
from sqe.foundation.record import record
from sqe.foundation.scratch import Scratch, remove_stale
from sqe.results.frames import frame, message_start, pieces
from sqe.tree.expressions import Field
from sqe.types.arrow import arrow_type

MIB = 1 << 20
GIB = 1 << 30
PREFIX = "sqe-spool-"
# Clients take messages of 16 MiB, but this size streams fastest: copies stay in the processor's caches, and
# memory is reused instead of allocated. Only a single row may be larger.
LARGEST_BATCH = MIB
Ended = Callable[[int, SqeError | None], None]
_threads = IdleThreads("sqe-drain")


@record
class ResultSettings:
    """`[results]` of the configuration; sizes in bytes. No directory means the system's temporary one.
    `memory_window` is of one result, `max_memory` of all together."""

    memory_window: int = 64 * MIB
    max_memory: int = GIB
    max_spool_per_user: int = 16 * GIB
    max_spool: int = 64 * GIB
    directory: Path | None = None


class Spools:
    """The spool files of this process: one private directory, made when the first file is needed."""

    def __init__(self, settings: ResultSettings | None = None) -> None:
        self.settings = settings or ResultSettings()
        self._lock = threading.Lock()
        self._scratch: Scratch | None = None
        self._used: dict[str, int] = {}
        self._in_memory = 0
        remove_stale(PREFIX, self.settings.directory)

    def collect(
        self,
        batches: Iterable[pa.RecordBatch],
        fields: Sequence[Field],
        *,
        user: str,
        cancel: Callable[[], None] | None = None,
        ended: Ended | None = None,
    ) -> Result:
        """A result that a thread fills from `batches`. `cancel` ends the engine's work on a close;
        `ended` hears once how many rows there were, or the error instead."""
        result = Result(self, fields, user=user, cancel=cancel, ended=ended)
        result.drain(batches)
        return result

    def close(self) -> None:
        """Removes everything; results that are still open lose their files."""
        with self._lock:
            scratch, self._scratch = self._scratch, None
        if scratch is not None:
            scratch.remove()

    def __enter__(self) -> Spools:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def new_file(self) -> tuple[Path, int]:
        try:
            with self._lock:
                if self._scratch is None:
                    self._scratch = Scratch(PREFIX, self.settings.directory)
                path = self._scratch.path / f"{secrets.token_hex(8)}.spool"
            return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise spool_failure(error) from None

    def reserve(self, user: str, size: int) -> None:
        """Counts bytes that are about to be written."""
        with self._lock:
            mine = self._used.get(user, 0) + size
            if mine > self.settings.max_spool_per_user:
                raise _too_large("results.max_spool_per_user", self.settings.max_spool_per_user)
            if sum(self._used.values()) + size > self.settings.max_spool:
                raise _too_large("results.max_spool", self.settings.max_spool)
            self._used[user] = mine

    @property
    def spooled(self) -> int:
        """Bytes in files."""
        with self._lock:
            return sum(self._used.values())

    def hold(self, size: int) -> bool:
        """Whether so many more bytes may be kept in memory."""
        with self._lock:
            if self._in_memory + size > self.settings.max_memory:
                return False
            self._in_memory += size
            return True

    def let_go(self, size: int) -> None:
        with self._lock:
            self._in_memory -= size

    def release(self, user: str, size: int) -> None:
        with self._lock:
            left = self._used.get(user, 0) - size
            if left > 0:
                self._used[user] = left
            else:
                self._used.pop(user, None)


@record
class _Spooled:
    """Where a frame is in the file, and how long its pieces are."""

    offset: int
    before: int
    header: int
    between: int
    body: int

    @property
    def size(self) -> int:
        return self.before + self.header + self.between + self.body


class Result:
    """The rows of one statement. `fields` are what the binder announced, and what every batch has."""

    def __init__(
        self,
        spools: Spools,
        fields: Sequence[Field],
        *,
        user: str,
        cancel: Callable[[], None] | None = None,
        ended: Ended | None = None,
    ) -> None:
        self.fields = tuple(fields)
        self._ended = ended
        self.schema = arrow_schema(self.fields)
        self._spools = spools
        self._user = user
        self._cancel = cancel
        self._changed = threading.Condition()
        self._parts: list[pa.RecordBatch | _Spooled] = []
        self._in_memory = 0
        self._spooled = 0
        self._path: Path | None = None
        self._file: int | None = None
        self._readers = 0
        self._rows = 0
        self._done = False
        self._closed = False
        self._error: SqeError | None = None

    @property
    def rows(self) -> int:
        """How many have arrived; all of them once `done`."""
        return self._rows

    @property
    def spooled_bytes(self) -> int:
        return self._spooled

    @property
    def done(self) -> bool:
        return self._done

    def drain(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Lets a thread take everything."""
        _threads.run(partial(self._drain, batches))

    def wait(self, timeout: float | None = None) -> bool:
        """Whether everything has arrived; raises what went wrong."""
        with self._changed:
            self._changed.wait_for(lambda: self._done, timeout)
            if self._error is not None:
                raise self._error
            return self._done

    def wait_for_rows(self, timeout: float | None = None) -> None:
        """Until the first have arrived, or it is known that there are none; raises what went wrong."""
        with self._changed:
            self._changed.wait_for(lambda: self._done or bool(self._parts), timeout)
            if self._error is not None:
                raise self._error

    def wait_beyond(self, count: int, timeout: float | None = None) -> None:
        """Until more than `count` batches have arrived, or all; raises what went wrong."""
        with self._changed:
            self._changed.wait_for(lambda: self._done or self._closed or len(self._parts) > count, timeout)
            if self._error is not None:
                raise self._error

    def batches(self, first: int = 0, last: int | None = None) -> Iterator[pa.RecordBatch]:
        """All batches, or `first` to before `last` of them, waiting for those that have not arrived. An error
        is raised as soon as it is known: what was read before it is not the result."""
        for index in itertools.count(first):
            batch = None if index == last else self._batch(index)
            if batch is None:
                return
            yield batch

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self.batches()

    def frames(self, first: int = 0, last: int | None = None) -> Iterator[bytes]:
        """The same batches as they are sent, `first` to before `last` of them: each one FlightData."""
        for index in itertools.count(first):
            if index == last:
                return
            part = self._part(index)
            if part is None:
                return
            if isinstance(part, pa.RecordBatch):
                yield frame(part.serialize())
                continue
            try:
                data = _frame(self._file, part)
            finally:
                self._put_back()
            yield data

    @property
    def parts(self) -> int:
        """How many batches have arrived."""
        return len(self._parts)

    @property
    def bytes(self) -> int:
        """The size of what has arrived, as it is kept."""
        return self._in_memory + self._spooled

    @property
    def spooled(self) -> bool:
        """Whether some of it is in a file."""
        return self._file is not None

    def table(self) -> pa.Table:
        return pa.Table.from_batches(list(self.batches()), self.schema)

    def close(self) -> None:
        """Ends the statement if it still runs, and removes what was kept."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            running = not self._done
            self._parts.clear()
            self._changed.notify_all()
            self._free_if_unused()
        if running and self._cancel is not None:
            self._cancel()

    def _batch(self, index: int) -> pa.RecordBatch | None:
        part = self._part(index)
        if part is None or isinstance(part, pa.RecordBatch):
            return part
        try:
            return _read(self._file, part, self.schema)
        finally:
            self._put_back()

    def _part(self, index: int) -> pa.RecordBatch | _Spooled | None:
        """One part, None after the last. What is in the file has to be put back, so that it may close."""
        with self._changed:
            self._changed.wait_for(lambda: self._done or self._closed or len(self._parts) > index)
            if self._error is not None:
                raise self._error
            if self._closed:
                raise Cancelled("the result was closed")
            if index >= len(self._parts):
                return None
            part = self._parts[index]
            if isinstance(part, _Spooled):
                self._readers += 1
            return part

    def _put_back(self) -> None:
        with self._changed:
            self._readers -= 1
            self._free_if_unused()

    def _drain(self, batches: Iterable[pa.RecordBatch]) -> None:
        error: SqeError | None = None
        try:
            for batch in batches:
                if self._closed:
                    break
                if batch.num_rows:
                    for part in _cut(conform(batch, self.fields, self.schema)):
                        self._keep(part)
        except SqeError as failure:
            error = failure
        except Exception as bug:
            error = InternalError(f"the result could not be read: {type(bug).__name__}")
            error.__cause__ = bug
        # The engine stops when its answer is no longer wanted.
        close = getattr(batches, "close", None)
        if close is not None:
            with contextlib.suppress(SqeError):
                close()
        with self._changed:
            self._error = error
            self._done = True
            closed = self._closed
            self._changed.notify_all()
            self._free_if_unused()
        if self._ended is not None:
            self._ended(self._rows, error or (Cancelled("the result was closed") if closed else None))

    def _keep(self, batch: pa.RecordBatch) -> None:
        part: pa.RecordBatch | _Spooled = batch
        # Once one batch is in the file all later ones are: the order of parts is the order of rows.
        size = batch.nbytes
        if (
            self._file is None
            and self._in_memory + size <= self._spools.settings.memory_window
            and self._spools.hold(size)
        ):
            self._in_memory += size
        else:
            part = self._write(batch)
        with self._changed:
            if not self._closed:
                self._parts.append(part)
                self._rows += batch.num_rows
                self._changed.notify_all()

    def _write(self, batch: pa.RecordBatch) -> _Spooled:
        if self._file is None:
            self._path, self._file = self._spools.new_file()
        parts = pieces(batch.serialize())
        place = _Spooled(self._spooled, *map(len, parts))
        self._spools.reserve(self._user, place.size)
        self._spooled += place.size
        offset = place.offset
        try:
            for part in parts:
                view = memoryview(part)
                while view:
                    count = os.pwrite(self._file, view, offset)
                    view, offset = view[count:], offset + count
        except OSError as error:
            raise spool_failure(error) from None
        return place

    def _free_if_unused(self) -> None:
        """Called with the lock held: a file is closed after its last reader and its writer."""
        if not self._closed or not self._done or self._readers:
            return
        self._spools.let_go(self._in_memory)
        self._in_memory = 0
        if self._file is None:
            return
        os.close(self._file)
        self._file = None
        assert self._path is not None
        self._path.unlink(missing_ok=True)
        self._spools.release(self._user, self._spooled)


def arrow_schema(fields: Sequence[Field]) -> pa.Schema:
    return pa.schema([pa.field(f.name, arrow_type(f.type)) for f in fields])


def conform(
    batch: pa.RecordBatch, fields: Sequence[Field], schema: pa.Schema | None = None
) -> pa.RecordBatch:
    """An engine's batch with the announced names and types, column by column in order."""
    target = schema or arrow_schema(fields)
    if batch.num_columns != len(fields):
        raise InternalError(f"the engine returned {batch.num_columns} columns instead of {len(fields)}")
    try:
        columns = [_conform(column, field.type) for column, field in zip(batch.columns, target, strict=True)]
    except pa.ArrowException as error:
        raise InternalError("the engine returned a value that is not of the announced type") from error
    return pa.RecordBatch.from_arrays(columns, schema=target)


def _conform(column: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_nested(column.type) and _is_hollow(column):
        column = pa.array(column.to_pylist(), column.type)
    if column.type == target:
        return column
    if pa.types.is_null(target) and column.null_count == len(column):
        return pa.nulls(len(column))
    if _has_nulls_alone(target):
        return pa.array(column.to_pylist(), target)
    # Arrow casts rows by the names of their fields and would fill others with NULL: rename first.
    renamed = _renamed(column.type, target)
    if renamed != column.type:
        column = column.view(renamed)
    return column if column.type == target else column.cast(target)


def _has_nulls_alone(target: pa.DataType) -> bool:
    """Whether a part of it is of Arrow's null type, to which Arrow casts nothing."""
    if not pa.types.is_nested(target):
        return bool(pa.types.is_null(target))
    return any(_has_nulls_alone(target.field(i).type) for i in range(target.num_fields))


def _is_hollow(column: pa.Array) -> bool:
    """Whether something nested in it has no values at all: Java sends no offsets for it then, and Arrow
    reads them nevertheless, wherever that leads."""
    if pa.types.is_map(column.type):
        inner = [column.keys, column.items]
    elif pa.types.is_list(column.type):
        inner = [column.values]
    elif pa.types.is_struct(column.type):
        inner = [column.field(i) for i in range(column.type.num_fields)]
    else:
        return False
    return any(_is_hollow(part) if len(part) else not pa.types.is_primitive(part.type) for part in inner)


def _renamed(source: pa.DataType, names: pa.DataType) -> pa.DataType:
    """The type of `source` with the field names of `names`, as deep as they are alike."""
    if pa.types.is_struct(source) and pa.types.is_struct(names) and source.num_fields == names.num_fields:
        pairs = [(source.field(i), names.field(i)) for i in range(source.num_fields)]
        return pa.struct([a.with_name(b.name).with_type(_renamed(a.type, b.type)) for a, b in pairs])
    if pa.types.is_map(source) and pa.types.is_map(names):
        key, item = source.key_field, source.item_field
        return pa.map_(
            key.with_name(names.key_field.name).with_type(_renamed(key.type, names.key_type)),
            item.with_name(names.item_field.name).with_type(_renamed(item.type, names.item_type)),
        )
    if pa.types.is_list(source) and pa.types.is_list(names):
        element = source.value_field
        renamed = element.with_name(names.value_field.name)
        return pa.list_(renamed.with_type(_renamed(element.type, names.value_type)))
    return source


def _frame(file: int | None, part: _Spooled) -> bytes:
    assert file is not None
    data = os.pread(file, part.size, part.offset)
    while len(data) < part.size:
        more = os.pread(file, part.size - len(data), part.offset + len(data))
        if not more:
            raise _cut_short()
        data += more
    return data


def _read(file: int | None, part: _Spooled, schema: pa.Schema) -> pa.RecordBatch:
    """Header and body of a frame, as a message of Arrow's stream format."""
    assert file is not None
    start = message_start(part.header)
    message = memoryview(bytearray(len(start) + part.header + part.body))
    message[: len(start)] = start
    end = len(start) + part.header
    offset = part.offset + part.before
    _fill(file, message[len(start) : end], offset)
    _fill(file, message[end:], offset + part.header + part.between)
    return pa.ipc.read_record_batch(pa.py_buffer(message), schema)


def _fill(file: int, view: memoryview, offset: int) -> None:
    while view:
        read = os.preadv(file, [view], offset)
        if not read:
            raise _cut_short()
        view, offset = view[read:], offset + read


def _cut_short() -> Unavailable:
    return Unavailable("a spool file was cut short", code="SPOOL_LOST")


def _cut(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    size, rows = batch.nbytes, batch.num_rows
    if size <= LARGEST_BATCH or rows == 1:
        yield batch
        return
    # Rows are not all of one size, so that a piece may have to be cut again.
    step = max(1, min(rows // 2, rows * LARGEST_BATCH // size))
    for start in range(0, rows, step):
        piece = batch.slice(start, step)
        if piece.nbytes > LARGEST_BATCH and piece.num_rows > 1:
            yield from _cut(piece)
        else:
            yield piece


def _too_large(key: str, limit: int) -> LimitExceeded:
    return LimitExceeded(
        f"the results that are kept exceed {key} ({limit} bytes)",
        code="EXCEEDED_SPILL_LIMIT",
        hint="select less, close other results, or raise the limit",
    )


def spool_failure(error: OSError) -> SqeError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return LimitExceeded(
            "the disk that results are kept on is full (results.spool_dir)",
            code="EXCEEDED_SPILL_LIMIT",
            hint="free some space, or set results.spool_dir to another disk",
        )
    return Unavailable(
        f"results cannot be kept on disk (results.spool_dir): {error.strerror}",
        code="SPOOL_NOT_USABLE",
        hint="set results.spool_dir to a directory that you may write to",
    )
