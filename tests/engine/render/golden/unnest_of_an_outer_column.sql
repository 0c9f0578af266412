SELECT CAST((SELECT max(x_2) AS max_3 FROM (SELECT xs_1 AS key_5) LATERAL VIEW explode(key_5) v1 AS x_2) AS INT) AS col0_4
FROM (SELECT `xs` AS xs_1 FROM `cat`.`ns`.`t` AS t)
