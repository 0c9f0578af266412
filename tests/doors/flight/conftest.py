"""The server of these tests, and connections to it."""

from tests.flight_server import connect_as, serve, server

__all__ = ["connect_as", "serve", "server"]
