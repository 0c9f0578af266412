SELECT x_12
FROM (
  (
    SELECT x_9 AS x_12
    FROM (
      (SELECT `a` AS x_9 FROM `cat`.`ns`.`t` AS t)
      UNION ALL
      (SELECT `a` AS x_9 FROM `cat`.`ns`.`t` AS t)
      UNION ALL
      (SELECT `a` AS x_9 FROM `cat`.`ns`.`t` AS t)
    )
  )
  EXCEPT
  (SELECT z_13 AS x_12 FROM (VALUES (1), (2)) AS v1(z_13))
)
ORDER BY x_12 ASC NULLS LAST
