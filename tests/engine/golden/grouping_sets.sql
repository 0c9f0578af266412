SELECT `a` AS `a_3`,
  `b` AS `b_4`,
  CAST(count(*) AS BIGINT) AS `n_5`,
  CAST(grouping(`b`) * 2L + grouping(`a`) * 1L AS BIGINT) AS `g_6`
FROM `cat`.`ns`.`t` AS `t`
GROUP BY `a`, `b` GROUPING SETS ((`a`, `b`), (`a`), (`b`))
