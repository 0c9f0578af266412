"""How Spark says each function: a file a family, its table named RENDERINGS. What a function means, and which
family it belongs to, is said in `functions/`."""
