"""How long a text one call may make out of a number: what Trino lets concat make."""

from __future__ import annotations

LONGEST_TEXT = 1 << 20
