SELECT (CASE WHEN (`a` > 0) THEN 'up' ELSE CAST(NULL AS STRING) END) AS col0_3
FROM `cat`.`ns`.`t` AS t
