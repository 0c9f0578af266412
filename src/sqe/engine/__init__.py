"""The engines that answer statements, one lane each.

A lane gets a secured tree rendered in its engine's SQL and gives back Arrow batches. It may import
`sqe.errors` and `sqe.tree`; the statement path imports it, never the other way round.
"""
