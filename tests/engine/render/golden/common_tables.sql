WITH my_table_90 AS (SELECT `a` AS a_3, `b` AS b_4 FROM `cat`.`ns`.`t` AS t)
SELECT a_5 AS a_9, a_7 AS a_10
FROM (SELECT `a_3` AS a_5 FROM my_table_90 AS t)
JOIN (SELECT `a_3` AS a_7, `b_4` AS b_8 FROM my_table_90 AS t)
  ON (a_5 = b_8)
