"""One file a kind of catalog. Each implements `Catalog` and runs its conformance suite."""
