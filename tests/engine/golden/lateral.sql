SELECT `a_1` AS `a_5`, `d_4` AS `d_6`
FROM (SELECT `a` AS `a_1` FROM `cat`.`ns`.`t` AS `t`)
LEFT JOIN LATERAL (
  SELECT `d_4`
  FROM (SELECT `c` AS `c_3`, `d` AS `d_4` FROM `cat`.`ns`.`u` AS `t`)
  WHERE (`c_3` = `a_1`)
  ORDER BY `d_4` ASC NULLS LAST
  LIMIT 1
)
  ON true
