"""The registry of functions: a row a function, one file a family.

Names, signatures, result types, Spark's renderings, leakproofness and help all come from here. It
imports `errors`, `tree` and the type names of `engine/spark/types.py`.
"""
