"""Trino's functions that we know and do not have, with the reason: none is unknown by accident."""

from __future__ import annotations

_GEOMETRY = "there are no geometries: Iceberg stores none that both engines read"
_SKETCH = "its sketch (hyperloglog, qdigest, tdigest, setdigest) is a type of Trino's own"

# One reason for several names; a name leaves when the registry has it (a test tells).
_GROUPS: dict[str, str] = {
    _GEOMETRY: """
        bing_tile bing_tile_at bing_tile_coordinates bing_tile_polygon bing_tile_quadkey bing_tile_zoom_level
        bing_tiles_around convex_hull_agg from_encoded_polyline from_geojson_geometry
        geometry_from_hadoop_shape geometry_invalid_reason geometry_nearest_points geometry_to_bing_tiles
        geometry_union geometry_union_agg line_interpolate_point line_interpolate_points line_locate_point
        simplify_geometry spatial_partitioning spatial_partitions st_area st_asbinary st_astext st_boundary
        st_buffer st_centroid st_contains st_convexhull st_coorddim st_crosses st_difference st_dimension
        st_disjoint st_distance st_endpoint st_envelope st_envelopeaspts st_equals st_exteriorring
        st_geometries st_geometryfromtext st_geometryn st_geometrytype st_geomfrombinary st_geomfromkml
        st_interiorringn st_interiorrings st_intersection st_intersects st_isclosed st_isempty st_isring
        st_issimple st_isvalid st_length st_linefromtext st_linestring st_multipoint st_numgeometries
        st_numinteriorring st_numpoints st_overlaps st_point st_pointn st_points st_polygon st_relate
        st_startpoint st_symdifference st_touches st_union st_within st_x st_xmax st_xmin st_y st_ymax st_ymin
        to_encoded_polyline to_geojson_geometry to_geometry to_spherical_geography
    """,
    _SKETCH: """
        approx_set empty_approx_set hash_counts intersection_cardinality jaccard_index make_set_digest merge
        merge_set_digest qdigest_agg quantile_at_value tdigest_agg value_at_quantile values_at_quantiles
    """,
    "a timestamp here has no more than six digits of a second while it is computed": """
        from_iso8601_timestamp_nanos from_unixtime_nanos
    """,
    "it is a table function, and that of tables' changes is not built": "table_changes",
    "Trino's own answer is exact to nine decimal places only, and depends on its solver": "inverse_beta_cdf",
}

REFUSED: dict[str, str] = {name: reason for reason, names in _GROUPS.items() for name in names.split()}
