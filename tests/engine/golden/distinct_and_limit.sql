SELECT `a` AS `a_3`, `b` AS `b_4`
FROM `cat`.`ns`.`t` AS `t`
GROUP BY `a`, `b`
ORDER BY `b_4` DESC NULLS FIRST
LIMIT 10
OFFSET 5
