SELECT a_1 AS a_7,
  CAST(/*2:3*/(
    SELECT max(d_4) AS max_6
    FROM (SELECT `c` AS c_3, `d` AS d_4 FROM `cat`.`ns`.`u` AS t)
    WHERE (c_3 = a_1)
  ) AS INT) AS col1_8
FROM (SELECT `a` AS a_1 FROM `cat`.`ns`.`t` AS t)
