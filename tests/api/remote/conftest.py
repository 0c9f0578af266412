"""The server of these tests."""

from tests.flight_server import serve, server

__all__ = ["serve", "server"]
