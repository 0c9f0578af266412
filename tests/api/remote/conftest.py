"""The server of these tests."""

from flight_server import serve, server

__all__ = ["serve", "server"]
