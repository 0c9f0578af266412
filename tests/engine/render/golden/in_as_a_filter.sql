SELECT a_1, b_2
FROM (SELECT `a` AS a_1, `b` AS b_2 FROM `cat`.`ns`.`t` AS t)
WHERE ((a_1, b_2) IN (SELECT `c` AS c_5, `d` AS d_6 FROM `cat`.`ns`.`u` AS t))
  AND (NOT (a_1 IN (SELECT `c` AS c_7 FROM `cat`.`ns`.`u` AS t)))
