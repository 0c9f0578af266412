SELECT a_1 AS a_5, d_4 AS d_6
FROM (SELECT `a` AS a_1 FROM `cat`.`ns`.`t` AS t)
LEFT JOIN LATERAL (
  SELECT d_4
  FROM (
    SELECT d_4, CAST(row_number() OVER (ORDER BY d_4 ASC NULLS LAST) AS BIGINT) AS row_7
    FROM (SELECT `c` AS c_3, `d` AS d_4 FROM `cat`.`ns`.`u` AS t)
    WHERE (c_3 = a_1)
  )
  WHERE (row_7 <= 1L)
)
  ON true
