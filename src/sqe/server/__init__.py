"""What all doors of a server share: sessions, log-in and limits of calls, running and prepared statements,
admission, readiness, and the server's life. May import what runs statements, and no door."""
