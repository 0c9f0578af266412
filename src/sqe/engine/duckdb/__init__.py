"""The fast lane: DuckDB in processes of its own, over the files of Iceberg tables, for reads that are proven.

`eligibility.py` says what may come in, `render.py` makes the only SQL that may reach it, `lane.py` runs it.
"""
