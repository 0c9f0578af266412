SELECT a_1, b_2
FROM (SELECT `a` AS a_1, `b` AS b_2 FROM `cat`.`ns`.`t` AS t)
WHERE (NOT (EXISTS (
  SELECT 1
  FROM (SELECT `c` AS c_3, `d` AS d_4 FROM `cat`.`ns`.`u` AS t)
  WHERE (d_4 = b_2)
    AND ((NOT (a_1 = c_3)) OR ((a_1 = c_3) IS NULL))
)))
