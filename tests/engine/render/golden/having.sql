SELECT a_3 AS a_5
FROM (SELECT `a` AS a_3, count(*) AS count_4 FROM `cat`.`ns`.`t` AS t GROUP BY `a`)
WHERE (count_4 > 1L)
