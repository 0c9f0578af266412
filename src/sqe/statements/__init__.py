"""Statements that are not queries: what each does once it is bound.

May import `catalog`, `engine`, `tree` and `errors`.
"""
