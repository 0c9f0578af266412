SELECT t_1 AS t_5, Select_x_2 AS Select_x_6, over_3 AS over_7, a_1_4 AS a_1_8
FROM (
  SELECT `t` AS t_1, `Select ``x``` AS Select_x_2, `{over}` AS over_3, `a_1` AS a_1_4
  FROM `cat`.`ns`.`we``ird. table` AS tt
)
