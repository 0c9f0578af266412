"""What all doors of a server share: its life, sessions, admission, readiness.

May import everything but doors; `server.py` alone opens those."""
