SELECT CAST((
  SELECT max((c_3 + a_6)) AS max_4
  FROM (SELECT c_3, a_1 AS a_6 FROM (SELECT `c` AS c_3 FROM `cat`.`ns`.`u` AS t))
) AS INT) AS col0_5
FROM (SELECT `a` AS a_1 FROM `cat`.`ns`.`t` AS t)
