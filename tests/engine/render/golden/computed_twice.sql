SELECT CAST((x_3 + x_3) AS INT) AS col0_4
FROM (SELECT (`a` + 1) AS x_3 FROM `cat`.`ns`.`t` AS t)
