"""Doors are wire formats: what clients send becomes calls of `server`, and what it answers becomes bytes.
May import `server` and below; `open.py` says which doors a configuration opens."""
