SELECT a_1, b_2
FROM (SELECT `a` AS a_1, `b` AS b_2 FROM `cat`.`ns`.`t` AS t)
WHERE (CASE WHEN ((SELECT count(*) AS count_5 FROM `cat`.`ns`.`u` AS t) = 0L) THEN true WHEN (NOT (a_1 > (SELECT max(`c`) AS max_4 FROM `cat`.`ns`.`u` AS t))) THEN false WHEN ((SELECT count_if((`c` IS NULL)) AS count_if_6 FROM `cat`.`ns`.`u` AS t) > 0L) THEN CAST(NULL AS BOOLEAN) ELSE (a_1 > (SELECT max(`c`) AS max_4 FROM `cat`.`ns`.`u` AS t)) END)
