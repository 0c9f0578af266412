"""What each kind of statement does, one module per family, imported when the first of its kind runs.

May import everything that a statement passes through; `statement.py` and what is above it import this room.
"""
