"""`python -m benchmarks.flight`: a real server process, measured through real Flight SQL clients."""
