"""Queries and expressions: names, scopes, types, clauses in the order in which they apply."""
