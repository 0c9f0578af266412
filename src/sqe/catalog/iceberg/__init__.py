"""Iceberg itself: metadata files, manifests, and how a change makes the next metadata out of the last."""
