"""Observers hear what happens to statements; no stage of a statement knows them by name."""
