"""Which family each function belongs to: its rows are in the module of that name in this room, and each
engine's renderings in the module of that name in its own. A name is found without importing any of them."""

from __future__ import annotations

TRY_PREFIX = "$try:"
"""Before the name of a function, what TRY makes of it."""

_FAMILIES = {
    "operators": """
        $add $sub $mul $div $mod $neg $eq $ne $lt $le $gt $ge $and $or $not $is_null $ordered $is_distinct
        $concat $like $like_escape $subscript $array $apart $row
    """,
    "internal": """
        $plus_zero $narrow $add_narrow $sub_narrow $mul_narrow $div_positive $mod_positive $eq_numbers
        $ne_numbers $lt_numbers $le_numbers $gt_numbers $ge_numbers $sum_small
    """,
    "conditionals": "coalesce nullif greatest least",
    "aggregates": """
        count count_if sum avg min max min_by max_by array_agg listagg bool_and every bool_or any_value
        arbitrary approx_distinct approx_percentile stddev stddev_samp stddev_pop variance var_samp var_pop
        skewness kurtosis corr covar_pop covar_samp regr_slope regr_intercept geometric_mean bitwise_and_agg
        bitwise_or_agg bitwise_xor_agg map_agg multimap_agg histogram map_union reduce_agg
        approx_most_frequent numeric_histogram checksum
    """,
    "math": """
        abs ceil ceiling floor round truncate sign mod power pow sqrt cbrt exp ln log2 log10 log sin cos tan
        asin acos atan atan2 sinh cosh tanh degrees radians pi e nan infinity is_nan is_finite is_infinite
        width_bucket to_base from_base random rand parse_data_size parse_presto_data_size
        great_circle_distance uuid wilson_interval_lower wilson_interval_upper normal_cdf inverse_normal_cdf
        beta_cdf t_cdf t_pdf
    """,
    "strings": """
        length upper lower trim ltrim rtrim substr substring concat concat_ws replace reverse lpad rpad
        split split_part strpos starts_with translate chr codepoint levenshtein_distance hamming_distance
        typeof format format_number normalize soundex luhn_check split_to_map split_to_multimap
        word_stem bar rgb color render $color_named $color_between $render
    """,
    "datetime": """
        year quarter month week week_of_year year_of_week yow day day_of_month day_of_week dow day_of_year
        doy hour minute second millisecond date last_day_of_month date_trunc date_add date_diff date_format
        date_parse format_datetime parse_datetime parse_duration human_readable_seconds to_iso8601
        from_iso8601_date from_iso8601_timestamp from_unixtime to_unixtime to_milliseconds
    """,
    "windows": """
        row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
    """,
    "session": """
        now current_timestamp localtimestamp current_date current_timezone version current_user
        current_groups current_catalog current_schema
    """,
    "bits": """
        bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift
        bitwise_right_shift_arithmetic bit_count
    """,
    "arrays": """
        cardinality element_at contains array_distinct array_sort array_union array_intersect array_except
        array_remove array_position arrays_overlap array_join array_max array_min slice sequence repeat
        flatten transform filter reduce any_match all_match none_match zip_with combinations
        contains_sequence ngrams zip shuffle trim_array array_histogram
    """,
    "maps": """
        map map_keys map_values map_entries map_from_entries multimap_from_entries map_concat map_filter
        transform_keys transform_values map_zip_with
    """,
    "regular_expressions": """
        regexp_like regexp_extract regexp_extract_all regexp_replace regexp_count regexp_position
        regexp_split
    """,
    "binary": """
        to_utf8 from_utf8 to_hex from_hex to_base64 from_base64 to_base64url from_base64url to_base32
        from_base32 to_big_endian_64 from_big_endian_64 to_big_endian_32 from_big_endian_32 to_ieee754_64
        from_ieee754_64 to_ieee754_32 from_ieee754_32
    """,
    "hashes": """
        md5 sha1 sha256 sha512 hmac_md5 hmac_sha1 hmac_sha256 hmac_sha512 crc32 xxhash64 murmur3
        spooky_hash_v2_32 spooky_hash_v2_64 $checksum_part $checksum_total
    """,
    "urls": """
        url_extract_protocol url_extract_host url_extract_path url_extract_query url_extract_fragment
        url_extract_port url_extract_parameter url_encode url_decode
    """,
    "json": """
        $json_object $json_object_without_nulls $json_name $json_array $path_exists $path_value $path_query
        $path_table json_parse json_format
        json_extract json_extract_scalar json_size json_array_length json_array_get json_array_contains
        is_json_scalar
    """,
    "table_functions": "exclude_columns",
    "vectors": "dot_product euclidean_distance cosine_similarity cosine_distance",
    "zones": """
        $without_zone at_timezone with_timezone timezone timezone_hour timezone_minute $wall_clock
        $from_wall_clock $trunc_in_zone $offset_text
    """,
    "geometry": """
        st_point st_geometryfromtext st_linefromtext st_polygon st_geomfrombinary st_linestring
        st_multipoint st_astext st_asbinary st_area st_length st_distance st_boundary st_centroid
        st_envelope st_envelopeaspts st_coorddim st_dimension st_geometrytype st_isclosed st_isempty
        st_isring st_issimple st_isvalid st_x st_y st_xmin st_xmax st_ymin st_ymax st_numpoints
        st_points st_pointn st_startpoint st_endpoint st_numgeometries st_geometries st_geometryn
        st_exteriorring st_interiorrings st_interiorringn st_numinteriorring st_contains st_crosses
        st_disjoint st_equals st_intersects st_overlaps st_touches st_within st_relate
        simplify_geometry line_locate_point line_interpolate_point line_interpolate_points
        to_spherical_geography to_geometry to_geojson_geometry from_geojson_geometry
        to_encoded_polyline from_encoded_polyline
    """,
    "bing_tiles": """
        bing_tile bing_tile_at bing_tiles_around bing_tile_coordinates bing_tile_polygon
        bing_tile_quadkey bing_tile_zoom_level
    """,
    "sketches": """
        approx_set empty_approx_set merge make_set_digest merge_set_digest intersection_cardinality
        jaccard_index hash_counts tdigest_agg value_at_quantile values_at_quantiles
    """,
}
_GUARDED_BY_TRY = """
    $add $sub $mul $div $mod mod $neg abs $subscript date_parse lpad rpad split split_part strpos chr
    codepoint hamming_distance levenshtein_distance luhn_check split_to_map split_to_multimap from_hex
    from_base64 from_base64url from_big_endian_64 from_big_endian_32 from_base to_base width_bucket
    wilson_interval_lower wilson_interval_upper url_decode url_extract_path url_extract_query
    url_extract_fragment url_extract_parameter parse_datetime from_iso8601_date date parse_duration
    human_readable_seconds round $like_escape normal_cdf inverse_normal_cdf beta_cdf t_cdf t_pdf soundex
    from_base32 from_ieee754_64 from_ieee754_32 json_parse json_extract json_extract_scalar json_size
    is_json_scalar $path_exists $path_value $path_query
"""

FAMILIES: dict[str, tuple[str, ...]] = {
    family: tuple(names.split()) for family, names in _FAMILIES.items()
} | {"try_functions": tuple(TRY_PREFIX + name for name in _GUARDED_BY_TRY.split())}


def family_of(families: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The family of each name; no name is in two places."""
    index: dict[str, str] = {}
    for family, names in families.items():
        for name in names:
            if name in index:
                raise ValueError(f"{name} is in {index[name]} and in {family}")
            index[name] = family
    return index


FAMILY_OF = family_of(FAMILIES)
