WITH RECURSIVE `r_90`(`n_1`) MAX RECURSION LEVEL 11 AS (
  (SELECT 1 AS `n_1`)
  UNION ALL
  (SELECT CAST((`n_1` + 1) AS INT) AS `n_1` FROM `r_90` AS `t` WHERE (`n_1` < 5))
)
SELECT `n_1` AS `n_4`
FROM `r_90` AS `t`
