"""The configuration: every key, what a file and the environment say of it, and the properties of sessions.

May import errors, foundation, types and session."""
