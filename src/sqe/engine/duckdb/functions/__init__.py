"""How DuckDB renders each function: a file per family, its table named RENDERINGS; what is in no table runs
on Spark. What a function means, and which family it belongs to, is in `sqe.functions`."""
