SELECT a_1, b_2
FROM (SELECT `a` AS a_1, `b` AS b_2 FROM `cat`.`ns`.`t` AS t)
WHERE (EXISTS (
  SELECT 1
  FROM (SELECT d_4, a_1 AS a_7 FROM (SELECT `d` AS d_4 FROM `cat`.`ns`.`u` AS t))
  WHERE (EXISTS (
    SELECT 1
    FROM (SELECT `e` AS e_5, `f` AS f_6 FROM `cat`.`ns`.`v` AS t)
    WHERE (e_5 = a_7)
      AND (f_6 = d_4)
  ))
))
