SELECT 'one' AS col0_3
FROM (SELECT count(*) AS `rows` FROM `cat`.`ns`.`t` AS t)
