"""What a user may see of each table, and the one gate that every table passes.

Imports `tree`, `catalog` and `errors`; never sqlglot or an engine.
"""
