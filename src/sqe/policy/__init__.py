"""What a user may see of each table, and the one gate that every table passes.

Imports `tree`, `functions`, `catalog`, `session` and what is below them; never sqlglot or an engine.
"""
