"""CREATE, ALTER, DROP and COMMENT, and the options that stand behind a table."""
