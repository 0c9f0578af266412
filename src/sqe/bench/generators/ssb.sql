-- The Star Schema Benchmark's tables, made of TPC-H's as its paper describes: money in cents, a fifth as many
-- customers and suppliers, orders and their lines in one table.

CREATE MACRO city(nation, key) AS rpad(nation, 9, ' ')[1:9] || CAST(hash(key * 7 + 3) % 10 AS varchar);

CREATE TABLE ssb.customer AS
SELECT
    CAST(c_custkey AS integer) AS c_custkey,
    c_name,
    c_address,
    city(n_name, c_custkey) AS c_city,
    n_name AS c_nation,
    r_name AS c_region,
    c_phone,
    c_mktsegment
FROM tpch.customer
JOIN tpch.nation ON c_nationkey = n_nationkey
JOIN tpch.region ON n_regionkey = r_regionkey
WHERE c_custkey <= (SELECT count(*) // 5 FROM tpch.customer)
ORDER BY c_custkey;

CREATE TABLE ssb.supplier AS
SELECT
    CAST(s_suppkey AS integer) AS s_suppkey,
    s_name,
    s_address,
    city(n_name, s_suppkey) AS s_city,
    n_name AS s_nation,
    r_name AS s_region,
    s_phone
FROM tpch.supplier
JOIN tpch.nation ON s_nationkey = n_nationkey
JOIN tpch.region ON n_regionkey = r_regionkey
WHERE s_suppkey <= (SELECT count(*) // 5 FROM tpch.supplier)
ORDER BY s_suppkey;

CREATE TABLE ssb.part AS
SELECT
    CAST(p_partkey AS integer) AS p_partkey,
    p_name,
    'MFGR#' || p_brand[7] AS p_mfgr,
    'MFGR#' || p_brand[7:8] AS p_category,
    'MFGR#' || p_brand[7:8] || CAST(1 + hash(p_partkey) % 40 AS varchar) AS p_brand1,
    split_part(p_name, ' ', 1) AS p_color,
    p_type,
    CAST(p_size AS integer) AS p_size,
    p_container
FROM tpch.part
ORDER BY p_partkey;

CREATE TABLE ssb.date AS
SELECT
    CAST(strftime(day, '%Y%m%d') AS integer) AS d_datekey,
    strftime(day, '%B %-d, %Y') AS d_date,
    strftime(day, '%A') AS d_dayofweek,
    strftime(day, '%B') AS d_month,
    CAST(year(day) AS integer) AS d_year,
    CAST(year(day) * 100 + month(day) AS integer) AS d_yearmonthnum,
    strftime(day, '%b%Y') AS d_yearmonth,
    CAST(dayofweek(day) + 1 AS integer) AS d_daynuminweek,
    CAST(day(day) AS integer) AS d_daynuminmonth,
    CAST(dayofyear(day) AS integer) AS d_daynuminyear,
    CAST(month(day) AS integer) AS d_monthnuminyear,
    CAST((dayofyear(day) - 1) // 7 + 1 AS integer) AS d_weeknuminyear,
    CASE WHEN month(day) IN (11, 12) THEN 'Christmas' WHEN month(day) IN (6, 7, 8) THEN 'Summer'
        WHEN month(day) IN (3, 4, 5) THEN 'Spring' WHEN month(day) = 1 THEN 'Winter' ELSE 'Fall' END
        AS d_sellingseason,
    CAST(dayofweek(day) = 6 AS integer) AS d_lastdayinweekfl,
    CAST(day = last_day(day) AS integer) AS d_lastdayinmonthfl,
    CAST(strftime(day, '%m%d') IN ('0101', '0704', '1225') AS integer) AS d_holidayfl,
    CAST(dayofweek(day) BETWEEN 1 AND 5 AS integer) AS d_weekdayfl
FROM (SELECT CAST(range AS date) AS day FROM range(DATE '1992-01-01', DATE '1999-01-01', INTERVAL 1 DAY));

CREATE TABLE ssb.lineorder AS
SELECT
    CAST(l_orderkey AS bigint) AS lo_orderkey,
    CAST(l_linenumber AS integer) AS lo_linenumber,
    CAST(1 + (o_custkey - 1) % (SELECT count(*) FROM ssb.customer) AS integer) AS lo_custkey,
    CAST(l_partkey AS integer) AS lo_partkey,
    CAST(1 + (l_suppkey - 1) % (SELECT count(*) FROM ssb.supplier) AS integer) AS lo_suppkey,
    CAST(strftime(o_orderdate, '%Y%m%d') AS integer) AS lo_orderdate,
    o_orderpriority AS lo_orderpriority,
    CAST(o_shippriority AS varchar) AS lo_shippriority,
    CAST(l_quantity AS integer) AS lo_quantity,
    CAST(l_extendedprice * 100 AS integer) AS lo_extendedprice,
    CAST(o_totalprice * 100 AS integer) AS lo_ordtotalprice,
    CAST(l_discount * 100 AS integer) AS lo_discount,
    CAST(l_extendedprice * (100 - l_discount * 100) AS integer) AS lo_revenue,
    CAST(p_retailprice * 60 AS integer) AS lo_supplycost,
    CAST(l_tax * 100 AS integer) AS lo_tax,
    CAST(strftime(l_commitdate, '%Y%m%d') AS integer) AS lo_commitdate,
    l_shipmode AS lo_shipmode
FROM tpch.lineitem
JOIN tpch.orders ON l_orderkey = o_orderkey
JOIN tpch.part ON l_partkey = p_partkey
ORDER BY l_orderkey, l_linenumber;
