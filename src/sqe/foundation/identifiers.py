"""How names are written in SQL as Trino reads it."""

from __future__ import annotations

import re

# Words that our dialect, or Trino's, takes for a name only in quotes.
_RESERVED_WORDS = """
alter and any as between by case cast check constraint create cross cube current_catalog current_date
current_path current_role current_schema current_time current_timestamp current_user deallocate delete
describe distinct drop else end escape except execute exists extract false fetch for foreign from full
function glob grant group grouping having ilike in inner insert intersect into is join json_array
json_exists json_object json_query json_table json_value key lateral left like limit listagg localtime
localtimestamp match_recognize natural normalize not notnull null on or order outer partitioned_by period
prepare primary qualify recursive references regexp returning revoke right rlike rollback rollup select skip
table tablesample then trim true uescape uncache union unique unnest using values when where with xor
"""
RESERVED = frozenset(_RESERVED_WORDS.split())
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


def quoted(name: str) -> str:
    """In double quotes, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


def quoted_if_needed(name: str) -> str:
    """A stored name as people write it: names without quotes fold to lower case."""
    return name if _PLAIN.fullmatch(name) and name not in RESERVED else quoted(name)
