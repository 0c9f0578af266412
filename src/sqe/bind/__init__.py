"""Syntax to our own tree: names, scopes, types; whatever is not converted by name is refused.

May import `sql`, `tree`, `functions`, `catalog`, `policy`, `config` and what is below them, and the names of
system tables; nothing later in the life of a statement.
"""
