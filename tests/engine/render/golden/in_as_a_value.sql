SELECT (CASE WHEN (EXISTS (SELECT 1 FROM (SELECT `c` AS c_3 FROM `cat`.`ns`.`u` AS t) WHERE (a_1 = c_3))) THEN true WHEN (((a_1 IS NULL) AND (EXISTS (SELECT 1 FROM `cat`.`ns`.`u` AS t))) OR (EXISTS (SELECT 1 FROM `cat`.`ns`.`u` AS t WHERE (`c` IS NULL)))) THEN CAST(NULL AS BOOLEAN) ELSE false END) AS col0_4
FROM (SELECT `a` AS a_1 FROM `cat`.`ns`.`t` AS t)
