"""Arrow Flight SQL over gRPC. Its messages are made from the .proto files when the package is built. May
import what runs, describes and lists; knows no engine."""

import os

# The core's own lines about broken and refused calls are not ours to print.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
