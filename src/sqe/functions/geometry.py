"""Geometries, in the plane and on a sphere. Python bodies compute them, by GEOS."""

from __future__ import annotations

from sqe.functions.function import Function, scalar

_BODY = "sqe_geometry_"
_SPHERE = "sqe_geography_"
_KIND = "a geometry of another kind"
_PAIR = "(geometry, geometry) -> boolean"


def _shape(name: str, signature: str, body: str, help: str, raises: str = "") -> Function:
    return scalar(name, signature, help=help, raises=raises or False, body=_BODY + body)


def _predicate(name: str, body: str, help: str) -> Function:
    return _shape(name, _PAIR, body, help, raises="geometries that GEOS cannot compare")


FUNCTIONS = (
    _shape("st_point", "(double, double) -> geometry", "point", "A point", "an infinite coordinate"),
    _shape(
        "st_geometryfromtext",
        "(varchar) -> geometry",
        "from_text",
        "A geometry of its well-known text",
        "a text that is none",
    ),
    _shape(
        "st_linefromtext",
        "(varchar) -> geometry",
        "line_from_text",
        "A line of its well-known text",
        "a text that is none",
    ),
    _shape(
        "st_polygon",
        "(varchar) -> geometry",
        "polygon_from_text",
        "A polygon of its well-known text",
        "a text that is none",
    ),
    _shape(
        "st_geomfrombinary",
        "(varbinary) -> geometry",
        "from_binary",
        "A geometry of its well-known bytes",
        "bytes that are none",
    ),
    _shape(
        "st_linestring",
        "(array(geometry)) -> geometry",
        "line_string",
        "The line through points",
        "what is no point, a point twice",
    ),
    _shape(
        "st_multipoint",
        "(array(geometry)) -> geometry",
        "multi_point",
        "Points as one geometry",
        "what is no point",
    ),
    scalar("st_astext", "(geometry) -> varchar", help="The well-known text"),
    _shape("st_asbinary", "(geometry) -> varbinary", "as_binary", "The well-known bytes"),
    scalar(
        "st_area",
        "(geometry) -> double",
        "(sphericalgeography) -> double",
        body=_BODY + "area",
        help="The area; on a sphere in square metres",
        raises=_KIND,
    ),
    scalar(
        "st_length",
        "(geometry) -> double",
        "(sphericalgeography) -> double",
        body=_BODY + "length",
        help="The length of lines; on a sphere in metres",
        raises=_KIND,
    ),
    scalar(
        "st_distance",
        "(geometry, geometry) -> double",
        "(sphericalgeography, sphericalgeography) -> double",
        body=_BODY + "distance",
        help="The shortest distance; on a sphere in metres",
        raises=_KIND,
    ),
    _shape("st_boundary", "(geometry) -> geometry", "boundary", "Where it ends: its rings, or points", _KIND),
    _shape("st_centroid", "(geometry) -> geometry", "centroid", "Its centre of mass", _KIND),
    _shape("st_envelope", "(geometry) -> geometry", "envelope", "The rectangle around it", "a point"),
    _shape(
        "st_envelopeaspts",
        "(geometry) -> array(geometry)",
        "envelope_as_points",
        "Two corners of the rectangle around it: the lower left and the upper right",
    ),
    _shape(
        "st_coorddim", "(geometry) -> tinyint", "coordinate_dimension", "How many coordinates a point has"
    ),
    _shape("st_dimension", "(geometry) -> tinyint", "dimension", "0 of points, 1 of lines, 2 of polygons"),
    _shape("st_geometrytype", "(geometry) -> varchar", "type_name", "What kind it is: ST_Point, …"),
    _shape("st_isclosed", "(geometry) -> boolean", "is_closed", "Whether lines end where they begin", _KIND),
    _shape("st_isempty", "(geometry) -> boolean", "is_empty", "Whether it has no point"),
    _shape("st_isring", "(geometry) -> boolean", "is_ring", "Whether a line is closed and simple", _KIND),
    _shape("st_issimple", "(geometry) -> boolean", "is_valid", "Whether it does not cross itself"),
    _shape("st_isvalid", "(geometry) -> boolean", "is_valid", "Whether it is well formed"),
    _shape("st_x", "(geometry) -> double", "x", "A point's X", _KIND),
    _shape("st_y", "(geometry) -> double", "y", "A point's Y", _KIND),
    _shape("st_xmin", "(geometry) -> double", "x_min", "The smallest X"),
    _shape("st_xmax", "(geometry) -> double", "x_max", "The largest X"),
    _shape("st_ymin", "(geometry) -> double", "y_min", "The smallest Y"),
    _shape("st_ymax", "(geometry) -> double", "y_max", "The largest Y"),
    _shape("st_numpoints", "(geometry) -> bigint", "number_of_points", "How many points it has"),
    _shape("st_points", "(geometry) -> array(geometry)", "points", "All its points"),
    _shape("st_pointn", "(geometry, integer) -> geometry", "point_of_line", "A line's nth point", _KIND),
    _shape("st_startpoint", "(geometry) -> geometry", "start_point", "A line's first point", _KIND),
    _shape("st_endpoint", "(geometry) -> geometry", "end_point", "A line's last point", _KIND),
    _shape("st_numgeometries", "(geometry) -> integer", "number_of_geometries", "How many parts it has"),
    _shape("st_geometries", "(geometry) -> array(geometry)", "geometries", "Its parts"),
    _shape("st_geometryn", "(geometry, integer) -> geometry", "geometry", "Its nth part"),
    _shape("st_exteriorring", "(geometry) -> geometry", "exterior_ring", "A polygon's outer ring", _KIND),
    _shape("st_interiorrings", "(geometry) -> array(geometry)", "interior_rings", "A polygon's holes", _KIND),
    _shape(
        "st_interiorringn", "(geometry, integer) -> geometry", "interior_ring", "A polygon's nth hole", _KIND
    ),
    _shape(
        "st_numinteriorring",
        "(geometry) -> bigint",
        "number_of_interior_rings",
        "How many holes a polygon has",
        _KIND,
    ),
    _predicate("st_contains", "contains", "Whether the second lies in the first, not all on its boundary"),
    _predicate("st_crosses", "crosses", "Whether they have some inner points in common, and not all"),
    _predicate("st_disjoint", "disjoint", "Whether they have no point in common"),
    _predicate("st_equals", "equals", "Whether they have the same points"),
    _predicate("st_intersects", "intersects", "Whether they have a point in common"),
    _predicate("st_overlaps", "overlaps", "Whether they share a part of their own dimension, and not all"),
    _predicate("st_touches", "touches", "Whether only their boundaries have a point in common"),
    _predicate("st_within", "within", "Whether the first lies in the second, not all on its boundary"),
    _shape(
        "st_relate",
        "(geometry, geometry, varchar) -> boolean",
        "relate",
        "Whether they meet as a pattern of nine dimensions says",
        "a pattern that is none",
    ),
    _shape(
        "simplify_geometry",
        "(geometry, double) -> geometry",
        "simplified",
        "Without the points that are nearer than a distance to what stays",
        "a negative distance",
    ),
    _shape(
        "line_locate_point",
        "(geometry, geometry) -> double",
        "located",
        "At which share of a line a point is nearest",
        _KIND,
    ),
    _shape(
        "line_interpolate_point",
        "(geometry, double) -> geometry",
        "interpolated",
        "The point at a share of a line",
        _KIND,
    ),
    _shape(
        "line_interpolate_points",
        "(geometry, double) -> array(geometry)",
        "interpolated_all",
        "The points at each share of a line",
        _KIND,
    ),
    scalar(
        "to_spherical_geography",
        "(geometry) -> sphericalgeography",
        body=_SPHERE + "to_spherical",
        help="Longitudes and latitudes, on a sphere",
        raises="coordinates that are none",
    ),
    scalar("to_geometry", "(sphericalgeography) -> geometry", help="The same in the plane"),
    scalar(
        "to_geojson_geometry",
        "(sphericalgeography) -> varchar",
        body=_SPHERE + "to_geojson",
        help="GeoJSON",
    ),
    scalar(
        "from_geojson_geometry",
        "(varchar) -> sphericalgeography",
        body=_SPHERE + "from_geojson",
        help="A geometry of its GeoJSON",
        raises="a text that is none",
    ),
    scalar(
        "to_encoded_polyline",
        "(geometry) -> varchar",
        body=_SPHERE + "to_polyline",
        help="A line as Google's encoded polyline",
        raises=_KIND,
    ),
    scalar(
        "from_encoded_polyline",
        "(varchar) -> geometry",
        body=_SPHERE + "from_polyline",
        help="A line of its encoded polyline",
        raises="a text that is none",
    ),
)
