"""Syntax to our own tree: names, scopes, types; whatever is not converted by name is refused.

May import `sql`, `tree`, `functions`, `catalog` and `errors`; nothing later in the life of a statement.
"""
