"""The registry of functions: one row per function, one module per family.

Names, signatures, result types, leakproofness and help come from here; how an engine renders a function is in
the engine's room. It imports `errors`, `foundation`, `tree` and `types`.
"""
