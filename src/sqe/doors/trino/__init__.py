"""The Trino door: Trino's client protocol over HTTP, for its CLI, JDBC, Python, Go and Node clients and for
what is built on them. A wire format over what `server/` keeps for all doors; may import what other doors
may."""
