"""Text to syntax: the dialect, the splitter and the parser.

sqlglot lives here and in `bind`, and nowhere else. Imports `errors` and `foundation` only.
"""

from sqe.sql.split import StatementText, split

__all__ = ["StatementText", "split"]
