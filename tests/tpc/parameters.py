"""Other parameters for queries of TPC-DS that have no rows at our scale.

TPC makes each query of a template and of parameters, and those of the suite are for data a hundred times as
large: at scale 0.01 there is one store, in one county, with few customers. Where no other value has rows, a
condition is weaker.
"""

from __future__ import annotations

import re

from sqe.bench.suites import queries

_COLORS = (
    "'rosy', 'pink', 'moccasin', 'yellow', 'snow', 'smoke', 'papaya', 'purple', 'gainsboro', 'lawn', 'plum'"
)
_ZIPS = "'31087', '31749', '31757', '31521', '31904', '31289'"
_WEEKS = ", ".join(f"DATE '2000-{month:02}-{day:02}'" for month in range(1, 13) for day in (1, 8, 15, 22))
# Of each query, texts and what stands in their place; white space is one space.
PARAMETERS: dict[str, tuple[tuple[str, str], ...]] = {
    "q03": (("i_manufact_id = 128", "i_manufact_id = 2"),),
    "q04": (("2001+1", "2001"), ("2001", "1998"), ("END > CASE", "END >= CASE")),
    "q08": (("'68014'", _ZIPS), ("count(*) > 10", "count(*) > 0")),
    "q10": (
        (
            "'Rush County', 'Toole County', 'Jefferson County', 'Dona Ana County', 'La Porte County'",
            "'Madison County', 'Washington County', 'Grant County', 'Crawford County'",
        ),
        ("2002", "1998"),
        ("BETWEEN 1 AND 1+3", "BETWEEN 9 AND 9+3"),
    ),
    "q11": (("2001", "1999"),),
    "q19": (("i_manager_id=8", "i_manager_id=1"),),
    "q23": (("count(*) >4", "count(*) >1"), ("d_moy = 2 ", "d_moy = 11 ")),
    "q24": (
        ("s_market_id=8", "s_market_id=2"),
        ("s_zip = ca_zip", "SUBSTRING(s_zip, 1, 1) = SUBSTRING(ca_zip, 1, 1)"),
        ("'peach'", "'rosy'"),
    ),
    "q25": (
        ("2001", "1998"),
        ("d1.d_moy = 4", "d1.d_moy BETWEEN 1 AND 12"),
        ("BETWEEN 4 AND 10", "BETWEEN 1 AND 12"),
    ),
    "q30": (("'GA'", "'AZ'"), ("2002", "1998")),
    "q31": (("ca_county", "ca_country"), ("2000", "1999")),
    "q37": (("677, 940, 694, 808", "2, 9, 12, 26"), ("BETWEEN 68 AND 68 + 30", "BETWEEN 0 AND 0 + 30")),
    "q39": (("END > 1)", "END > 0.9)"), ("2001", "1998")),
    "q41": (("738 AND 738+40", "841 AND 841+40"),),
    "q44": (("ss_store_sk = 4", "ss_store_sk = 1"),),
    "q49": (("> 10000", "> 5000"), ("d_moy = 12", "d_moy = 11")),
    "q54": (
        ("ca_county = s_county", "ca_state = s_state"),
        ("'maternity'", "'dresses'"),
        ("1998", "1999"),
        ("d_moy = 12", "d_moy = 10"),
    ),
    "q58": (("2000-01-03", "2000-11-27"), ("0.9 *", "0.1 *"), ("1.1 *", "10 *")),
    "q64": (
        ("'purple', 'burlywood', 'indian', 'spring', 'floral', 'medium'", _COLORS),
        ("64 AND 64 + 10", "0 AND 0 + 30"),
        ("64 + 1 AND 64 + 15", "0 + 1 AND 0 + 30"),
        ("1999", "1998"),
    ),
    "q65": (("0.1 *", "0.7 *"),),
    "q73": (("'>10000'", "'0-500'"), ("cnt BETWEEN 1 AND 5", "cnt BETWEEN 6 AND 10")),
    "q74": (("2001", "1999"),),
    "q82": (("129, 270, 821, 423", "2, 9, 12, 26"), ("BETWEEN 62 AND 62+30", "BETWEEN 0 AND 0+30")),
    "q83": (("DATE '2000-06-30', DATE '2000-09-27', DATE '2000-11-17'", _WEEKS),),
    "q85": (
        ("BETWEEN 100.00 AND 150.00", "BETWEEN 0.00 AND 300.00"),
        ("BETWEEN 50.00 AND 100.00", "BETWEEN 0.00 AND 300.00"),
        ("BETWEEN 100 AND 200", "BETWEEN -10000 AND 10000"),
        ("BETWEEN 150 AND 300", "BETWEEN -10000 AND 10000"),
        ("BETWEEN 50 AND 250", "BETWEEN -10000 AND 10000"),
        ("ca_state IN ('IN', 'OH', 'NJ')", "ca_state IS NOT NULL"),
        ("d_year = 2000", "d_year = 1998"),
        ("'Advanced Degree'", "'Primary'"),
    ),
    "q91": (("'Unknown%'", "'%'"), ("ca_gmt_offset = -7", "ca_gmt_offset = -6")),
    "q93": (("'reason 28'", "'Package was damaged'"),),
}


def answerable(suite: str) -> dict[str, str]:
    """The queries of a suite, each with parameters to which our data has an answer."""
    found = dict(queries(suite))
    for name, pairs in PARAMETERS.items() if suite == "tpcds" else ():
        text = re.sub(r"\s+", " ", found[name])
        for old, new in pairs:
            assert old in text, f"{name} has no {old}"
            text = text.replace(old, new)
        found[name] = text
    return found
