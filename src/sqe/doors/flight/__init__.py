"""Arrow Flight SQL over gRPC. Its messages are made from the .proto files when the package is built. May
import what runs, describes and lists; knows no engine."""
