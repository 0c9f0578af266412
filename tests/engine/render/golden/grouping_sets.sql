SELECT `a` AS a_3,
  `b` AS b_4,
  CAST(count(*) AS BIGINT) AS n_5,
  CAST(grouping(`b`) * CAST(2 AS BIGINT) + grouping(`a`) * CAST(1 AS BIGINT) AS BIGINT) AS g_6
FROM `cat`.`ns`.`t` AS t
GROUP BY GROUPING SETS ((`a`, `b`), (`a`), (`b`))
