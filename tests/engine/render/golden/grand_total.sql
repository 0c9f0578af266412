SELECT a_3, CAST(n_4 AS BIGINT) AS n_4
FROM (
  SELECT a_1 AS a_3,
    count(*) FILTER (WHERE real_5) AS n_4,
    count(*) FILTER (WHERE real_5) AS rows_6,
    CAST(grouping(a_1) * CAST(1 AS BIGINT) AS BIGINT) AS level_7
  FROM (
    (SELECT `a` AS a_1, true AS real_5 FROM `cat`.`ns`.`t` AS t)
    UNION ALL
    (SELECT CAST(NULL AS INT) AS a_1, false AS real_5)
  )
  GROUP BY GROUPING SETS ((a_1), ())
)
WHERE ((rows_6 > 0L) OR (level_7 = 1L))
