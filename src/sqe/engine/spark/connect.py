"""Our client of the Spark Connect protocol: one session of one server.

It speaks the published protocol (`pyspark.sql.connect.proto`) instead of using pyspark's own client,
which has no deadlines, retries for minutes, hangs at exit when the server is gone, logs every failed
query with its stack, drops the causes of an error, and imports pandas.
"""

from __future__ import annotations

import contextlib
import re
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import grpc
import pyspark.sql.connect.proto as proto
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from sqe.engine.spark.errors import Failure, translate
from sqe.engine.spark.metrics import Operator
from sqe.errors import ConfigError, LimitExceeded, Unavailable
from sqe.foundation.record import record

_SPECIAL = re.compile(r"[{}\[\]*?\\]")
CALL_SECONDS = 60.0
# The server ends a stream after two minutes and is asked for the rest, so that even a statement of
# hours is a series of calls with a deadline.
STREAM_SECONDS = 180.0
RELEASE_SECONDS = 5.0
RETRIES = 2
BACKOFF_SECONDS = 0.2


@record
class Progress:
    """How far Spark has got with the stages that it knows of by now."""

    tasks_done: int
    tasks_total: int
    bytes_read: int


@record
class Endpoint:
    """Where a Connect server listens."""

    target: str
    token: str | None = None
    tls: bool = False
    user_id: str | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self.target!r})"


def parse_remote(url: str) -> Endpoint:
    """`sc://host[:port]/;token=…;use_ssl=true;user_id=…`, as Spark's own clients read it."""
    parts = urllib.parse.urlsplit(url)
    path, *pairs = parts.path.split(";")
    options = dict(pair.partition("=")[::2] for pair in pairs if pair)
    unknown = set(options) - {"token", "use_ssl", "user_id"}
    try:
        port = parts.port or 15002
    except ValueError:
        port = 0
    if parts.scheme != "sc" or not parts.hostname or path not in ("", "/") or unknown or not port:
        raise ConfigError(
            "spark.remote is not a Spark Connect address",
            hint="sc://host:15002, or sc://host:443/;use_ssl=true;token=…",
        )
    options = {key: urllib.parse.unquote(value) for key, value in options.items()}
    token = options.get("token")
    # A token in clear text leaves the machine only under TLS.
    tls = options.get("use_ssl", "").lower() == "true" or (
        token is not None and parts.hostname not in ("localhost", "127.0.0.1")
    )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return Endpoint(f"{host}:{port}", token, tls, options.get("user_id"))


def open_channel(endpoint: Endpoint) -> grpc.Channel:
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    if not endpoint.tls and endpoint.token is None:
        return grpc.insecure_channel(endpoint.target, options)
    credentials = (
        grpc.ssl_channel_credentials()
        if endpoint.tls
        else grpc.local_channel_credentials(grpc.LocalConnectionType.LOCAL_TCP)
    )
    if endpoint.token is not None:
        token = grpc.access_token_call_credentials(endpoint.token)
        credentials = grpc.composite_channel_credentials(credentials, token)
    return grpc.secure_channel(endpoint.target, credentials, options)


_releases: set[Any] = set()


class ConnectSession:
    """One session of a server. `is_alive` says whether asking again can help at all."""

    def __init__(self, channel: grpc.Channel, user_id: str, is_alive: Callable[[], bool]) -> None:
        self.id = str(uuid.uuid4())
        self._user = proto.UserContext(user_id=user_id)
        self._stub: Any = proto.SparkConnectServiceStub(channel)  # type: ignore[no-untyped-call]
        self._is_alive = is_alive
        self._server_side_id: str | None = None
        self.registered: set[str] = set()

    def configure(self, conf: Mapping[str, str]) -> None:
        pairs = [proto.KeyValue(key=key, value=value) for key, value in conf.items()]
        operation = proto.ConfigRequest.Operation(set=proto.ConfigRequest.Set(pairs=pairs))
        answer = self._call(self._stub.Config, proto.ConfigRequest(operation=operation, **self._who()))
        # A server that was restarted would make a new session of this id, without these settings: with
        # its own id of the session in every request it refuses instead.
        self._server_side_id = answer.server_side_session_id

    def interrupt(self, tag: str) -> bool:
        """Whether something with this tag was running."""
        kind = proto.InterruptRequest.InterruptType.INTERRUPT_TYPE_TAG
        request = proto.InterruptRequest(interrupt_type=kind, operation_tag=tag, **self._who())
        return bool(self._call(self._stub.Interrupt, request).interrupted_ids)

    def release(self) -> None:
        """Frees the session on the server. A server that is gone has freed it already."""
        request = proto.ReleaseSessionRequest(session_id=self.id, user_context=self._user)
        # gRPC says of a closed channel that it is a wrong value.
        with contextlib.suppress(grpc.RpcError, ValueError):
            self._stub.ReleaseSession(request, timeout=RELEASE_SECONDS)

    def create_view(self, name: str, file_format: str, paths: Sequence[str]) -> None:
        """A temporary view over files, of this session only. The paths are files: to Spark they are patterns,
        in which what stands for itself has a backslash before it."""
        literal = [_SPECIAL.sub(r"\\\g<0>", path) for path in paths]
        source = proto.Read.DataSource(format=file_format, paths=literal)
        view = proto.CreateDataFrameViewCommand(
            input=proto.Relation(read=proto.Read(data_source=source)), name=name, replace=True
        )
        self._drain(proto.Plan(command=proto.Command(create_dataframe_view=view)))

    def create_local_view(self, name: str, data: bytes) -> None:
        """A temporary view of rows that travel with it, as an Arrow stream."""
        rows = proto.Relation(local_relation=proto.LocalRelation(data=data))
        view = proto.CreateDataFrameViewCommand(input=rows, name=name, replace=True)
        self._drain(proto.Plan(command=proto.Command(create_dataframe_view=view)))

    def register_function(self, name: str, function: Callable[..., Any], result: str) -> None:
        """A function of Arrow arrays under a name of this session."""
        from sqe.engine.spark.python_functions import registration

        self._drain(proto.Plan(command=registration(name, function, result)))

    def drop_view(self, name: str) -> None:
        catalog = proto.Catalog(drop_temp_view=proto.DropTempView(view_name=name))
        self._drain(proto.Plan(root=proto.Relation(catalog=catalog)))

    def run(
        self,
        sql: str,
        *,
        tag: str,
        deadline: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_metrics: Callable[[list[Operator]], None] | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[bytes]:
        """Arrow IPC streams, each with its schema and one batch. `deadline` is of time.monotonic();
        `on_metrics` is called with what was measured, after the last row."""
        plan = proto.Plan(root=proto.Relation(sql=proto.SQL(query=sql)))
        for response in self._execute(plan, tag=tag, deadline=deadline, sql=sql):
            if is_cancelled():
                self.interrupt(tag)
            kind = response.WhichOneof("response_type")
            if kind == "arrow_batch":
                yield response.arrow_batch.data
            elif kind == "execution_progress" and on_progress is not None:
                on_progress(_progress(response.execution_progress))
            if on_metrics is not None and response.HasField("metrics"):
                on_metrics([_operator(message) for message in response.metrics.metrics])

    def _drain(self, plan: Any) -> None:
        deadline = time.monotonic() + CALL_SECONDS
        for _ in self._execute(plan, tag=f"sqe-{uuid.uuid4()}", deadline=deadline, sql=None):
            pass

    def _execute(self, plan: Any, *, tag: str, deadline: float | None, sql: str | None) -> Iterator[Any]:
        operation = str(uuid.uuid4())
        reattach = proto.ReattachOptions(reattachable=True)
        first = proto.ExecutePlanRequest(
            plan=plan,
            operation_id=operation,
            tags=[tag],
            request_options=[proto.ExecutePlanRequest.RequestOption(reattach_options=reattach)],
            **self._who(),
        )
        call, request = self._stub.ExecutePlan, first
        last_id: str | None = None
        failures = 0
        try:
            while True:
                try:
                    for response in self._begun(call, request, _remaining(deadline)):
                        failures = 0
                        last_id = response.response_id
                        if response.HasField("result_complete"):
                            return
                        yield response
                except grpc.RpcError as error:
                    failures += 1
                    if deadline is not None and time.monotonic() >= deadline:
                        self.interrupt(tag)
                        raise LimitExceeded(
                            "the statement ran longer than its time limit", code="EXCEEDED_TIME_LIMIT"
                        ) from None
                    # A statement is never sent twice, since it might write: only its answer is asked
                    # for again, and a server that never saw it says so.
                    if not self._may_retry(error, failures):
                        raise self._failure(error, sql) from None
                call = self._stub.ReattachExecute
                request = proto.ReattachExecuteRequest(
                    operation_id=operation, last_response_id=last_id, **self._who()
                )
        finally:
            release = proto.ReleaseExecuteRequest(
                operation_id=operation, release_all=proto.ReleaseExecuteRequest.ReleaseAll(), **self._who()
            )
            # A lane that was closed has nothing to release, and grpc says so by a ValueError.
            with contextlib.suppress(ValueError):
                # Not waited for; but grpc cancels a call whose future nobody holds.
                future = self._stub.ReleaseExecute.future(release, timeout=RELEASE_SECONDS)
                _releases.add(future)
                future.add_done_callback(_releases.discard)

    def _begun(self, method: Any, request: Any, seconds: float | None) -> Any:
        try:
            return method(request, timeout=seconds)
        except ValueError:
            raise Unavailable("the connection to Spark was closed") from None

    def _call(self, method: Any, request: Any) -> Any:
        failures = 0
        while True:
            try:
                return self._begun(method, request, CALL_SECONDS)
            except grpc.RpcError as error:
                failures += 1
                if not self._may_retry(error, failures):
                    raise self._failure(error, None) from None

    def _may_retry(self, error: grpc.RpcError, failures: int) -> bool:
        lost = error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
        if not lost or failures > RETRIES or not self._is_alive():
            return False
        time.sleep(BACKOFF_SECONDS * failures)
        return True

    def _failure(self, error: grpc.RpcError, sql: str | None) -> Exception:
        status = rpc_status.from_call(error)
        for detail in status.details if status else ():
            if detail.Is(ErrorInfo.DESCRIPTOR):
                info = ErrorInfo()
                detail.Unpack(info)
                return translate(self._details(info, status.message), sql)
        if error.code() is grpc.StatusCode.UNAUTHENTICATED:
            return Unavailable("the Spark server refused the token of spark.remote", code="SPARK_REFUSED")
        return Unavailable(
            "the connection to the Spark server was lost", hint="the next statement makes a new one"
        )

    def _details(self, info: ErrorInfo, message: str) -> Failure:
        request = proto.FetchErrorDetailsRequest(error_id=info.metadata["errorId"], **self._who())
        try:
            answer = self._stub.FetchErrorDetails(request, timeout=CALL_SECONDS)
        except grpc.RpcError:
            answer = proto.FetchErrorDetailsResponse()
        if not answer.HasField("root_error_idx"):
            return Failure(info.metadata.get("errorClass"), {}, ((info.reason, message),))
        chain = list(_causes(answer))
        # The innermost error that Spark has a name for says the most.
        named = [e for e in chain if e.HasField("spark_throwable") and e.spark_throwable.error_class]
        throwable = named[-1].spark_throwable if named else None
        causes = tuple((name, e.message) for e in chain for name in e.error_type_hierarchy)
        if throwable is None:
            return Failure(info.metadata.get("errorClass"), {}, causes)
        contexts = [c for e in named for c in e.spark_throwable.query_contexts if not c.object_name]
        place = contexts[-1] if contexts and contexts[-1].start_index >= 0 else None
        return Failure(
            throwable.error_class,
            dict(throwable.message_parameters),
            causes,
            start=None if place is None else place.start_index,
            stop=None if place is None else place.stop_index,
            state=throwable.sql_state,
        )

    def _who(self) -> dict[str, Any]:
        who = {"session_id": self.id, "user_context": self._user, "client_type": "sqe"}
        if self._server_side_id:
            who["client_observed_server_side_session_id"] = self._server_side_id
        return who


def _causes(answer: Any) -> Iterator[Any]:
    index: int | None = answer.root_error_idx
    for _ in range(len(answer.errors)):
        if index is None:
            return
        error = answer.errors[index]
        yield error
        index = error.cause_idx if error.HasField("cause_idx") else None


def _progress(message: Any) -> Progress:
    return Progress(
        tasks_done=sum(stage.num_completed_tasks for stage in message.stages),
        tasks_total=sum(stage.num_tasks for stage in message.stages),
        bytes_read=sum(stage.input_bytes_read for stage in message.stages),
    )


def _operator(message: Any) -> Operator:
    metrics = {
        short: (metric.name, metric.value, metric.metric_type)
        for short, metric in sorted(message.execution_metrics.items())
    }
    return Operator(message.name, message.plan_id, message.parent, metrics)


def _remaining(deadline: float | None) -> float:
    if deadline is None:
        return STREAM_SECONDS
    return max(0.001, min(STREAM_SECONDS, deadline - time.monotonic()))
