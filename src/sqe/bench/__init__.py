"""Benchmarks: the queries of the suites, and commands that measure SQE with them."""
