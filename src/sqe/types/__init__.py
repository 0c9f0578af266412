"""The types of our dialect, and the forms that others give them: text, Arrow, JDBC, Iceberg, time zones.

May import errors and foundation."""
