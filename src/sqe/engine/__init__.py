"""The engines that answer statements, one lane each.

A lane renders a secured tree in its engine's SQL, runs it and returns Arrow batches. May import `catalog`,
`functions`, `policy` and what is below them; the statement path imports it, never the other way round.
"""
