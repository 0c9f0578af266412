SELECT a_1 AS a_5, a_3 AS a_6
FROM (SELECT `a` AS a_1 FROM `cat`.`ns`.`t` AS t)
JOIN (SELECT `a` AS a_3, `b` AS b_4 FROM `cat`.`ns`.`t` AS t)
  ON (a_1 = b_4)
