"""What tables there are: the mounted catalogs, their names and their tables' metadata.

May import `tree` and `errors` alone. Each backend is one lazily imported file under `backends`.
"""
