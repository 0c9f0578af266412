"""Measurements for those who work on SQE, run from a checkout: `python -m benchmarks.overhead`. What users
measure with is `sqe bench`, whose suites, engines and reports these use too."""
