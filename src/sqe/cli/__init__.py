"""The command line: arguments, a shell, and results as text.

It may import everything below it, and nothing imports it. Heavy parts are imported when a statement runs.
"""
