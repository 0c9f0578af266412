"""Other engines' names for functions that we have: only those that mean the same in Spark and in DuckDB,
or that one of them has and the other does not use for anything else."""

from __future__ import annotations

ALIASES: dict[str, str] = {
    "ifnull": "coalesce",
    "nvl": "coalesce",
    "len": "length",
    "char_length": "length",
    "character_length": "length",
    "lcase": "lower",
    "ucase": "upper",
    "instr": "strpos",
    "levenshtein": "levenshtein_distance",
    "startswith": "starts_with",
    "string_split": "split",
    "signum": "sign",
    "isnan": "is_nan",
    "isinf": "is_infinite",
    "isfinite": "is_finite",
    "dayofmonth": "day_of_month",
    "dayofyear": "day_of_year",
    "weekofyear": "week",
    "last_day": "last_day_of_month",
    "gen_random_uuid": "uuid",
}
