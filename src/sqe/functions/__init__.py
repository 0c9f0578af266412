"""The registry of functions: a row a function, one file a family.

Names, signatures, result types, leakproofness and help come from here; how an engine says a function stands
with the engine. It imports `errors`, `foundation`, `tree` and `types`.
"""
