SELECT `t` AS t_5, `Select ``x``` AS Select_x_6, `{over}` AS over_7, `a_1` AS a_1_8
FROM `cat`.`ns`.`we``ird. table` AS tt
