"""INSERT, UPDATE, DELETE and MERGE, and how a value is assigned to a column."""
