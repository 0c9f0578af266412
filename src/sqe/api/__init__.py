"""The Python door: connections, cursors and what PEP 249 asks for, embedded and to a server.

May import the statement and what is below it; no other door."""
