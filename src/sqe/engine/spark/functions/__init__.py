"""How Spark renders each function: a file per family, its table named RENDERINGS. What a function means, and
which family it belongs to, is in `sqe.functions`."""
