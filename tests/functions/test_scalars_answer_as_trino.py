"""Text, bytes, numbers, dates, patterns and addresses: values, NULL, edges, and the errors."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal as D
from math import inf, nan, pi
from typing import Any

import pytest
from tests.functions.answering import Asked

from sqe.api.connection import Connection
from sqe.errors import SqeError

pytestmark = pytest.mark.spark

TEXT: list[tuple[str, Any]] = [
    ("format('%s has %d items at %.2f', 'x', 3, 1.5e0)", "x has 3 items at 1.50"),
    (
        "format('%,d|%5d|%-4s|%05d|%x', 1234567, 42, 'ab', 7, -1)",
        "1,234,567|   42|ab  |00007|ffffffffffffffff",
    ),
    ("format('%s %s %s', DATE '2024-02-29', 1.50, true)", "2024-02-29 1.50 true"),
    ("format('%s', TIMESTAMP '2024-02-29 12:00:00')", "2024-02-29T12:00"),
    ("format('%s', TIMESTAMP '2024-02-29 12:00:01.5')", "2024-02-29T12:00:01.500"),
    ("format('%s %s', CAST(NULL AS integer), NULL)", "null null"),
    ("format('%2$s%1$s%%', 'a', 'b')", "ba%"),
    ("format('%,.2f|%8.1f', 12345.678, -1.25)", "12,345.68|    -1.3"),
    ("format('%s', 0.0000001)", "1E-7"),
    ("format('{0} \\ ''%s''', 'x')", "{0} \\ 'x'"),
    ("format(NULL, 1)", None),
    ("format('%.2f|%.2f', -0.001, CAST(NULL AS decimal(5,2)))", "-0.00|nu"),
    ("concat_ws(',', CAST(NULL AS array(varchar)))", None),
    ("split_part('a,b', ',', 3000000000)", None),
    ("format_number(123456)", "123K"),
    ("format_number(1234567)", "1.23M"),
    ("format_number(-999.7e0)", "-999"),
    ("format_number(0)", "0"),
    ("format_number(CAST(NULL AS bigint))", None),
    ("normalize('e' || chr(769), NFC)", "é"),
    ("length(normalize('é', NFD))", 2),
    ("normalize('ﬁ', NFKC)", "fi"),
    ("normalize(NULL, NFC)", None),
    ("soundex('Robert')", "R163"),
    ("soundex('Ashcraft')", "A261"),
    ("soundex('O''Hara')", "O600"),
    ("soundex('')", ""),
    ("luhn_check('79927398713')", True),
    ("luhn_check('79927398714')", False),
    ("luhn_check('')", False),
    ("split_to_map('a=1,b=2', ',', '=')", {"a": "1", "b": "2"}),
    ("split_to_map('a=1,', ',', '=')", {"a": "1"}),
    ("split_to_map('', ',', '=')", {}),
    ("split_to_map('a.b|c.d', '|', '.')", {"a": "b", "c": "d"}),
    ("split_to_multimap('a=1,b=2,a=3', ',', '=')", {"a": ["1", "3"], "b": ["2"]}),
    ("strpos('banana', 'ana', 2)", 4),
    ("strpos('banana', 'ana', -1)", 4),
    ("strpos('banana', '', 2)", 1),
    ("strpos('banana', 'x', 9223372036854775807)", 0),
    ("lpad(X'01', 3, X'ff')", b"\xff\xff\x01"),
    ("rpad(X'0102', 5, X'abcd')", b"\x01\x02\xab\xcd\xab"),
    ("reverse(X'010203')", b"\x03\x02\x01"),
    ("substr(X'01020304', 2, 2)", b"\x02\x03"),
    ("substr(X'0102', 0)", b""),
    ("substr(X'0102', -1)", b"\x02"),
    ("U&'\\0041b\\+01F600'", "Ab😀"),
    ("U&'#00e9##' UESCAPE '#'", "é#"),
    ("CAST(2e23 AS varchar)", "2.0E23"),
    ("CAST(1e23 AS varchar)", "1.0E23"),
    ("CAST(633594e15 AS varchar)", "6.33594E20"),
    ("CAST(0.1e0 + 0.2e0 AS varchar)", "3.0000000000000004E-1"),
]
BYTES: list[tuple[str, Any]] = [
    ("to_hex(hmac_md5(to_utf8('hashme'), to_utf8('key')))", "0A26EBEB0E7B65F528D96F7BC631BC8F"),
    ("to_hex(xxhash64(X''))", "EF46DB3751D8E999"),
    ("to_hex(xxhash64(to_utf8('hashme')))", "F9D96E0E1165E892"),
    ("to_hex(murmur3(to_utf8('hashme')))", "93192FE805BE23041C8318F67EC4F2BC"),
    ("to_base32(to_utf8('foobar'))", "MZXW6YTBOI======"),
    ("from_base32('MZXW6YTBOI')", b"foobar"),
    ("from_base32(to_utf8('ME======'))", b"a"),
    ("to_base64url(X'fbff')", "-_8="),
    ("from_base64url('-_8')", b"\xfb\xff"),
    ("from_base64('yv4')", b"\xca\xfe"),
    ("from_base64(to_utf8('yv4='))", b"\xca\xfe"),
    ("to_big_endian_32(-2)", b"\xff\xff\xff\xfe"),
    ("from_big_endian_32(X'80000000')", -2147483648),
    ("from_big_endian_32(X'00000102')", 258),
    ("to_ieee754_64(1e0)", b"\x3f\xf0" + bytes(6)),
    ("to_ieee754_64(nan())", b"\x7f\xf8" + bytes(6)),
    ("from_ieee754_64(X'c000000000000000')", -2.0),
    ("to_ieee754_32(REAL '1.5')", b"\x3f\xc0\x00\x00"),
    ("from_ieee754_32(X'3fc00000')", 1.5),
    ("hmac_sha256(NULL, X'00')", None),
]
NUMBERS: list[tuple[str, Any]] = [
    ("atan2(-0e0, -1e0)", -pi),
    ("atan2(-0e0, 1e0)", -0.0),
    ("atan2(1e0, 0e0)", pi / 2),
    ("atan2(0e0, nan())", nan),
    ("log2(8)", 3.0),
    ("log2(0)", -inf),
    ("log2(-1)", nan),
    ("round(99.9, -2)", D("100.0")),
    ("round(DECIMAL '99999999999999999999.5', -20)", D("100000000000000000000.0")),
    # Of more digits than Spark's own keep.
    (
        "abs(CAST('-12345678901234567890123456789012345678' AS decimal(38,0)))",
        D("12345678901234567890123456789012345678"),
    ),
    (
        "- CAST('12345678901234567890123456789012345678' AS decimal(38,0))",
        D("-12345678901234567890123456789012345678"),
    ),
    ("width_bucket(5e0, ARRAY[1e0, 3e0, 7e0])", 2),
    ("width_bucket(1e0, ARRAY[1e0])", 1),
    ("random(1)", 0),
    ("random(-3, -2)", -3),
    ("random(10) < 10", True),
    ("wilson_interval_lower(1250, 1310, 1.96e0)", 0.9414883725395894),
    ("wilson_interval_upper(1250, 1310, 1.96e0)", 0.9642524717143908),
    ("round(normal_cdf(0, 1, 1.96), 12)", 0.975002104852),
    ("round(inverse_normal_cdf(10, 9, 0.9), 10)", 21.5339640899),
    ("inverse_normal_cdf(0, 1, 1e-300)", -inf),
    ("round(beta_cdf(3, 3.6, 0.3), 12)", 0.217648099977),
    ("beta_cdf(3, 3.6, 0)", 0.0),
    ("round(t_cdf(1, 10), 12)", 0.829553433849),
    ("round(t_pdf(1, 10), 12)", 0.230361989229),
    ("t_cdf(NULL, 1)", None),
    ("dot_product(ARRAY[1e0, 2e0], ARRAY[3e0, 4e0])", 11.0),
    ("euclidean_distance(ARRAY[1, 2], ARRAY[4, 6])", 5.0),
    ("cosine_similarity(ARRAY[1e0, 2e0], ARRAY[2e0, 4e0])", 1.0),
    ("cosine_distance(ARRAY[1e0], ARRAY[1e0])", 0.0),
    ("cosine_similarity(MAP(ARRAY['a'], ARRAY[3e0]), MAP(ARRAY['a', 'b'], ARRAY[3e0, 4e0]))", 0.6),
    ("cosine_similarity(MAP(ARRAY['a'], ARRAY[CAST(NULL AS double)]), MAP(ARRAY['a'], ARRAY[1e0]))", None),
    ("great_circle_distance(36.12, -86.67, 33.94, -118.40)", 2886.4489734367016),
    ("great_circle_distance(0, 0, 0, 180)", 6371.01 * pi),
    ("parse_data_size('2.3MB')", D(2411724)),
    ("parse_data_size('1YB')", D(1024**8)),
    ("parse_presto_data_size('.5kB')", D(512)),
    ("bitwise_left_shift(TINYINT '7', 5)", -32),
    ("bitwise_left_shift(TINYINT '7', 8)", 0),
    ("bitwise_right_shift(TINYINT '-1', 7)", 1),
    ("bitwise_right_shift(TINYINT '-8', 0)", -8),
    ("bitwise_right_shift_arithmetic(SMALLINT '-32768', 15)", -1),
    ("CAST(REAL '1e30' AS bigint)", 2**63 - 1),
    ("CAST(-9.223372036854775808E18 AS bigint)", -(2**63)),
    ("TRY_CAST(infinity() AS decimal(10,2))", None),
    ("TRY_CAST(DECIMAL '12345.6' AS decimal(5,2))", None),
    ("TRY_CAST(ARRAY['1', 'x'] AS array(integer))", None),
    ("TRY_CAST(ARRAY['1', NULL] AS array(integer))", [1, None]),
    ("TRY_CAST(ROW('x', 1) AS row(a integer, b bigint))", None),
]
DATES: list[tuple[str, Any]] = [
    (
        "CAST(parse_datetime('2024-05-10 01:02', 'yyyy-MM-dd HH:mm') AS varchar)",
        "2024-05-10 01:02:00.000 UTC",
    ),
    ("hour(parse_datetime('10/May/2024 1:02 PM', 'dd/MMM/yyyy h:mm a'))", 13),
    ("minute(parse_datetime('20240510T0102', 'yyyyMMdd''T''HHmm'))", 2),
    (
        "date_parse('2024-05-10 01:02:03.123456', '%Y-%m-%d %H:%i:%s.%f')",
        datetime(2024, 5, 10, 1, 2, 3, 123000),
    ),
    ("date_parse('2024-05-10 01:02:03.5', '%Y-%m-%d %H:%i:%s.%f')", datetime(2024, 5, 10, 1, 2, 3, 500000)),
    ("date_parse('2024-05-10 1:02 pm', '%Y-%m-%d %h:%i %p')", datetime(2024, 5, 10, 13, 2)),
    ("date_parse('10 May 2024', '%d %b %Y')", datetime(2024, 5, 10)),
    ("date_parse('70-01-02', '%y-%m-%d')", datetime(1970, 1, 2)),
    ("date_parse('69-01-02', '%y-%m-%d')", datetime(2069, 1, 2)),
    ("date_parse('2024-060', '%Y-%j')", datetime(2024, 2, 29)),
    ("format_datetime(TIMESTAMP '2024-12-30 13:02:03', 'xxxx-''W''ww-e')", "2025-W01-1"),
    (
        "format_datetime(TIMESTAMP '2024-05-10 00:02:03.456', 'EEE k K h a SSS ''o''''clock''')",
        "Fri 24 0 12 AM 456 o'clock",
    ),
    ("from_iso8601_date('2020-W53')", date(2020, 12, 28)),
    ("from_iso8601_date('2024-W01-3')", date(2024, 1, 3)),
    ("from_iso8601_date('2024-060')", date(2024, 2, 29)),
    ("from_iso8601_date('2024-05')", date(2024, 5, 1)),
    ("CAST('2024-02-29 12:34:56.1234565' AS timestamp(6))", datetime(2024, 2, 29, 12, 34, 56, 123457)),
    ("CAST('2024-02-29 12:34:56.9999999' AS timestamp(3))", datetime(2024, 2, 29, 12, 34, 57)),
    ("parse_duration('1.5h')", timedelta(hours=1.5)),
    ("parse_duration(' 42.8 ms ')", timedelta(milliseconds=43)),
    ("parse_duration(NULL)", None),
    ("human_readable_seconds(56363463)", "93 weeks, 1 day, 8 hours, 31 minutes, 3 seconds"),
    ("human_readable_seconds(535333.9513888889)", "6 days, 4 hours, 42 minutes, 14 seconds"),
    ("human_readable_seconds(0.3)", "0 seconds"),
    ("human_readable_seconds(3600)", "1 hour"),
    ("human_readable_seconds(NULL)", None),
    ("timezone(TIMESTAMP '2024-01-01 00:00:00 Europe/Berlin')", "Europe/Berlin"),
    ("millisecond(INTERVAL '-1.234' SECOND)", -234),
    ("hour(TIME '12:34:56.789')", 12),
    ("second(TIME '12:34:56.789')", 56),
    ("millisecond(TIME '12:34:56.789')", 789),
    ("CAST(TIME '12:34:56' AS varchar)", "12:34:56"),
    ("CAST(TIME '12:34:56.700' AS varchar)", "12:34:56.700"),
    ("CAST(TIME '12:34:56.000' AS varchar)", "12:34:56.000"),
    ("typeof(current_timestamp(6)) || typeof(localtimestamp(0))", "timestamp(6) with time zonetimestamp(0)"),
    ("typeof(localtime) || typeof(localtime(0))", "time(3)time(0)"),
]
PATTERNS: list[tuple[str, Any]] = [
    ("regexp_like('a' || chr(13) || 'b', 'a.b')", True),
    ("regexp_like('É', '(?i)é')", True),
    ("regexp_replace('a' || chr(10), 'a$', 'b')", "b\n"),
    ("regexp_extract('x' || chr(10), '[^/]+$')", "x\n"),
    ("regexp_position('a,b,c', ',')", 2),
    ("regexp_position('😀ab1', '[0-9]')", 4),
    ("regexp_position('a1b22c3', '[0-9]+', 1, 2)", 4),
    ("regexp_position('a1b22c3', '[0-9]+', 3)", 4),
    ("regexp_position('abc', 'x')", -1),
    ("regexp_position('', 'a')", -1),
    ("regexp_position(NULL, 'a')", None),
    ("regexp_replace('new york', '(\\w)(\\w*)', x -> upper(x[1]) || lower(x[2]))", "New York"),
    ("regexp_replace('none', '([0-9])', x -> x[1])", "none"),
    ("regexp_replace('a1b', '[0-9]', x -> 'Z')", "aZb"),
    ("regexp_replace('a1', '([0-9])', x -> CAST(NULL AS varchar))", None),
    ("regexp_extract('ab', '(a)(b)?', 1)", "a"),
    ("regexp_split('1a 2b 14m', '\\s*[a-z]+\\s*')", ["1", "2", "14", ""]),
    ("url_extract_parameter('https://ex.com/p?q=1&r=x%20y', 'r')", "x y"),
    ("url_extract_parameter('https://ex.com/p?q=1&r', 'r')", ""),
    ("url_extract_parameter('https://ex.com/p?k=a=b', 'k')", "a=b"),
    ("url_extract_parameter('https://ex.com/p', 'k')", None),
    ("url_extract_path('mailto:x@y')", ""),
    ("url_extract_port('http://a_b:80/')", None),
    ("url_extract_host('not a url')", None),
]
# TRY is NULL for what fails, and the value else.
TRIED: list[tuple[str, Any]] = [
    ("TRY(from_base32(X'ff'))", None),
    ("TRY(1 / 0)", None),
    ("TRY(6 / 4)", 1),
    ("TRY(CAST('x' AS integer))", None),
    ("TRY(CAST('7' AS integer) + 1)", 8),
    ("TRY(9223372036854775807 + 1)", None),
    ("TRY(TINYINT '100' * TINYINT '2')", None),
    ("TRY(1.0 / 0)", None),
    ("TRY(1.0 / 4)", D("0.3")),
    ("TRY(1e0 / 0)", inf),
    ("TRY(10 % 0)", None),
    ("TRY(-(-2147483648))", None),
    ("TRY(abs(TINYINT '-128'))", None),
    ("TRY(-9223372036854775808 / -1)", None),
    ("TRY(ARRAY[1, 2][3])", None),
    ("TRY(ARRAY[1, 2][2])", 2),
    ("TRY(date_parse('x', '%Y'))", None),
    ("TRY(date_parse('2024', '%Y'))", datetime(2024, 1, 1)),
    ("TRY(CAST('2024-99-99' AS date))", None),
    ("TRY(CAST('2024-09-09' AS date))", date(2024, 9, 9)),
    ("TRY(from_hex('zz'))", None),
    ("TRY(url_decode('%zz'))", None),
    ("TRY(lpad('a', -1, 'x'))", None),
    ("TRY(round(2147483647, -1))", None),
    ("TRY(json_parse('{'))", None),
    ("TRY(soundex('é'))", None),
    ("TRY(CASE WHEN true THEN 1 / 0 ELSE 5 END)", None),
    ("TRY(coalesce(NULL, 1 / 0))", None),
    ("TRY(1 / 0 + 5 > 3)", None),
    ("TRY('it''s CAST(' || 'raise_error(''x'')')", "it's CAST(raise_error('x')"),
]
ALIASED: list[tuple[str, Any]] = [
    ("nvl(NULL, 3)", 3),
    ("ifnull(NULL, 'x')", "x"),
    ("nvl2(NULL, 1, 2)", 2),
    ("nvl2(1, 1, 2.5)", D("1.0")),
    ("iff(1 = 1, 'a', 'b')", "a"),
    ("len('héé')", 3),
    ("instr('banana', 'na')", 3),
    ("lcase('A') || ucase('b')", "aB"),
    ("dayofyear(DATE '2024-02-01')", 32),
    ("day_of_month(TIMESTAMP '2024-01-01 00:00:00 UTC' AT TIME ZONE 'America/New_York')", 31),
    ("dayofmonth(TIMESTAMP '2024-01-01 00:00:00 UTC' AT TIME ZONE 'America/New_York')", 31),
    ("last_day(DATE '2024-02-01')", date(2024, 2, 29)),
    ("string_split('a,b', ',')", ["a", "b"]),
]


def same(got: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(got, float):
        if math.isnan(expected):
            return math.isnan(got)
        return got == expected and math.copysign(1, got) == math.copysign(1, expected)
    return type(got) is type(expected) and bool(got == expected)


ANSWERS = [*TEXT, *BYTES, *NUMBERS, *DATES, *PATTERNS, *TRIED, *ALIASED]
STATEMENTS = [f"SELECT {expression}" for expression, _ in ANSWERS]


@pytest.mark.parametrize(("expression", "expected"), ANSWERS, ids=lambda v: str(v)[:60])
def test_answers(asked: Asked, expression: str, expected: Any) -> None:
    got, _ = asked.answer(f"SELECT {expression}", STATEMENTS)
    assert same(got, expected), got


INVALID = "INVALID_FUNCTION_ARGUMENT"
CAST = "INVALID_CAST_ARGUMENT"
FAILURES: list[tuple[str, str]] = [
    ("format('%d', 'x')", INVALID),
    ("format('%d %d', 1)", INVALID),
    ("format('%tF', DATE '2024-01-01')", "NOT_SUPPORTED"),
    ("split('a,b', ',', 3000000000)", INVALID),
    ("from_hex('ab' || chr(10))", INVALID),
    ("soundex('é')", INVALID),
    ("luhn_check('12a')", INVALID),
    ("normalize('x', NFX)", "COLUMN_NOT_FOUND"),
    ("split_to_map('a=1,a=2', ',', '=')", INVALID),
    ("split_to_map('a', ',', '=')", INVALID),
    ("split_to_map('a=b=c', ',', '=')", INVALID),
    ("codepoint(CAST('' AS varchar(1)))", INVALID),
    ("strpos('a', 'a', 0)", INVALID),
    ("from_base32('1')", INVALID),
    ("from_base64('-_8=')", INVALID),
    ("from_base64('yv 4=')", INVALID),
    ("from_big_endian_32(X'00')", INVALID),
    ("from_ieee754_32(X'00')", INVALID),
    ("width_bucket(1e0, ARRAY[3e0, 1e0])", INVALID),
    ("random(0)", INVALID),
    ("wilson_interval_lower(5, 3, 1e0)", INVALID),
    ("normal_cdf(0, -1, 1)", INVALID),
    ("cosine_similarity(ARRAY[0e0], ARRAY[1e0])", INVALID),
    ("dot_product(ARRAY[0e0], ARRAY[1e0, 2e0])", INVALID),
    ("parse_data_size('1XB')", INVALID),
    ("parse_datetime('x', 'yyyy')", INVALID),
    ("parse_datetime('1', 'MM')", "NOT_SUPPORTED"),
    ("parse_duration('5x')", INVALID),
    ("from_iso8601_date('2023-366')", INVALID),
    ("from_iso8601_date('2024-W53')", INVALID),
    ("EXTRACT(epoch FROM DATE '2024-05-12')", "SYNTAX_ERROR"),
    ("human_readable_seconds(nan())", INVALID),
    ("regexp_extract('ab', '(a)', 2)", INVALID),
    ("regexp_extract('ab', '(a)(b)?', 2)", "NOT_SUPPORTED"),
    ("regexp_split('abc', 'x*')", "NOT_SUPPORTED"),
    ("current_time", "NOT_SUPPORTED"),
    ("U&'\\00'", "INVALID_LITERAL"),
    ("TRY(coalesce(1 / 0, 5))", "NOT_SUPPORTED"),
    ("TRY(1 / 0 > 1 OR true)", "NOT_SUPPORTED"),
    ("TRY(transform(ARRAY[0, 1], x -> 1 / x))", "NOT_SUPPORTED"),
    ("TRY((SELECT 1 / 0))", "NOT_SUPPORTED"),
    ("CAST(DECIMAL '12345.6' AS decimal(5,2))", CAST),
    ("CAST(12345 AS decimal(5,2))", CAST),
    ("CAST(9.995 AS decimal(3,2))", CAST),
    ("CAST(DECIMAL '99999999999.5' AS integer)", CAST),
    ("CAST('99999999999' AS integer)", CAST),
    ("CAST('1e40' AS decimal(38,0))", CAST),
    ("CAST(nan() AS integer)", CAST),
    ("CAST(1e10 AS integer)", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ("CAST(9.223372036854775807E18 AS bigint)", CAST),
    ("CAST(infinity() AS decimal(10,2))", CAST),
    ("hmac_md5('a', 'b')", "FUNCTION_NOT_FOUND"),
]


@pytest.mark.parametrize(("expression", "code"), FAILURES, ids=lambda v: str(v)[:50])
def test_failures(connection: Connection, expression: str, code: str) -> None:
    with pytest.raises(SqeError) as raised:
        connection.execute(f"SELECT {expression}").fetchall()
    assert raised.value.code == code


def test_wrong_arguments_name_the_signatures_that_exist(connection: Connection) -> None:
    with pytest.raises(SqeError, match=r"Expected: regexp_position\(varchar\(x\), varchar\(y\)\), regexp_"):
        connection.execute("SELECT regexp_position(1)")


def test_uuids_are_random_row_by_row(connection: Connection) -> None:
    rows = connection.execute("SELECT uuid() FROM (VALUES 1, 2, 3) AS v(x)").fetchall()
    assert len({row[0] for row in rows}) == 3


def test_what_fails_in_one_row_is_null_in_that_row(connection: Connection) -> None:
    sql = "SELECT TRY(x / y) FROM (VALUES (1, 0), (4, 2)) AS v(x, y) GROUP BY TRY(x / y) ORDER BY 1"
    assert connection.execute(sql).fetchall() == [(2,), (None,)]
