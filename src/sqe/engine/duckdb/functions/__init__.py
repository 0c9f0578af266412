"""How DuckDB says each function: a file a family, its table named RENDERINGS; what is in no table is Spark's
to compute. What a function means, and which family it belongs to, is said in `functions/`."""
