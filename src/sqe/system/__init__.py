"""What the system knows of itself, as tables and listings: information_schema, system.runtime, SHOW.

Imports `catalog`, `policy`, `observe` and `tree`; nothing here starts an engine. The lanes get the rows as
Arrow.
"""
