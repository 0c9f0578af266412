"""The Spark lane: a Spark Connect server that we own (or one that exists), and our client of it.

`lane.py` is the way in; `render.py` makes the only SQL that may reach it.
"""
