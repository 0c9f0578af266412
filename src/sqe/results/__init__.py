"""What a statement returned: drained at once, spooled, read at the pace of its client.

May import types, tree, foundation and errors."""
