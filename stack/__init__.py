"""Servers of others that tests and developers need, without containers: fetched once, started on 127.0.0.1,
and ended. `make stack` starts all of them (`servers.py`); each is a file here, a `Program` of
`component.py`."""
