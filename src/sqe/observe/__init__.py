"""Observers hear what happens to statements and who logs in; no stage of a statement knows them by name. May
import `tree`, which events carry, and what is below it."""
