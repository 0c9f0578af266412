SELECT n_5, s_6
FROM (
  (
    SELECT n_1 AS n_5, s_2 AS s_6
    FROM (VALUES (1, 'it\'s'), (CAST(NULL AS INT), CAST(NULL AS STRING))) AS v1(n_1, s_2)
  )
  UNION ALL
  (
    SELECT n_3 AS n_5, s_4 AS s_6
    FROM (SELECT CAST(NULL AS INT) AS n_3, CAST(NULL AS STRING) AS s_4 WHERE false)
  )
)
