"""Trino's functions that we know and do not have, with the reason: none is unknown by accident."""

from __future__ import annotations

# One reason for several names; a name leaves when the registry has it (a test tells).
_GROUPS: dict[str, str] = {
    "where the rings of its result begin depends on the library that Trino has it computed by": """
        convex_hull_agg geometry_nearest_points geometry_union geometry_union_agg st_convexhull
        st_difference st_intersection st_symdifference st_union
    """,
    "its vertices depend on the library that Trino has it computed by": "st_buffer",
    "its words are those of the library that Trino uses": "geometry_invalid_reason",
    "it reads a format that is not built": "geometry_from_hadoop_shape st_geomfromkml",
    "it serves a spatial join of Trino's planner": "spatial_partitioning spatial_partitions",
    "which tiles it splits is not built": "geometry_to_bing_tiles",
    "its sketch, a quantile digest, is not built": "qdigest_agg quantile_at_value",
    "a timestamp here has no more than six digits of a second while it is computed": """
        from_iso8601_timestamp_nanos from_unixtime_nanos
    """,
    "it is a table function, and that of tables' changes is not built": "table_changes",
    "Trino's own answer is exact to nine decimal places only, and depends on its solver": "inverse_beta_cdf",
}

REFUSED: dict[str, str] = {name: reason for reason, names in _GROUPS.items() for name in names.split()}
