"""Servers of others that tests and developers need, without containers: fetched once, started on 127.0.0.1,
and ended. `make stack` starts all of them; each is a file here with a function `start(home)`."""
