SELECT a_1 AS a_5, xs_2 AS xs_6, CAST(x_3 AS INT) AS x_7, CAST(o_4_ + 1 AS BIGINT) AS o_8
FROM (SELECT `a` AS a_1, `xs` AS xs_2 FROM `cat`.`ns`.`t` AS t)
LATERAL VIEW OUTER posexplode(xs_2) v1 AS o_4_, x_3
