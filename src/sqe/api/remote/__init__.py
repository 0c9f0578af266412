"""Connections to a server, over Flight SQL. They give the answers that a connection in this process gives,
and import nothing that runs statements."""
