"""Our own bound tree: relations, expressions, statements and types, frozen and closed.

Everything between `bind` and the engines speaks this; it imports `types`, `foundation` and `errors` alone.
"""
