SELECT CAST(transform(xs_2, x_70 -> (x_70 + a_1)) AS ARRAY<INT>) AS col0_3
FROM (SELECT `a` AS a_1, `xs` AS xs_2 FROM `cat`.`ns`.`t` AS t)
