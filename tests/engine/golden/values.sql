SELECT `n_5`, `s_6`
FROM (
  (
    SELECT `n_1` AS `n_5`, `s_2` AS `s_6`
    FROM (VALUES (1, 'it\'s'), (CAST(NULL AS INT), CAST(NULL AS STRING))) AS `v1`(`n_1`, `s_2`)
  )
  UNION ALL
  (SELECT CAST(NULL AS INT) AS `n_5`, CAST(NULL AS STRING) AS `s_6` WHERE false)
)
