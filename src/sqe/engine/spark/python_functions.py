"""Python functions on Spark: how one travels to its workers. What we use of pyspark's internals is here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pyspark.sql.connect.proto as proto
from pyspark import cloudpickle
from pyspark.sql.types import ArrayType, BinaryType, BooleanType, DoubleType, LongType, StringType
from pyspark.util import PythonEvalType

_pickle: Any = cloudpickle
_RESULTS: dict[str, Any] = {
    "BINARY": BinaryType(),
    "DOUBLE": DoubleType(),
    "STRING": StringType(),
    "BIGINT": LongType(),
    "BOOLEAN": BooleanType(),
    "ARRAY<STRING>": ArrayType(StringType()),
    "ARRAY<BIGINT>": ArrayType(LongType()),
    "ARRAY<DOUBLE>": ArrayType(DoubleType()),
}


def registration(name: str, function: Callable[..., Any], result: str) -> Any:
    """The command that makes a function of Arrow arrays known under a name. It travels by value, with the
    package that it is in: the workers need Python of our version and pyarrow, and nothing of ours."""
    package = sys.modules[function.__module__.rpartition(".")[0]]
    _pickle.register_pickle_by_value(package)
    try:
        command = _pickle.dumps((function, _RESULTS[result]))
    finally:
        _pickle.unregister_pickle_by_value(package)
    udf = proto.PythonUDF(
        output_type=proto.DataType(unparsed=proto.DataType.Unparsed(data_type_string=result)),
        eval_type=PythonEvalType.SQL_SCALAR_ARROW_UDF,
        command=command,
        python_ver=f"{sys.version_info.major}.{sys.version_info.minor}",
    )
    return proto.Command(
        register_function=proto.CommonInlineUserDefinedFunction(
            function_name=name, deterministic=True, python_udf=udf
        )
    )
