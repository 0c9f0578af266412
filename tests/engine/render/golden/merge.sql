MERGE INTO `cat`.`ns`.`t` AS `target`
USING (
  SELECT k_3,
    v_4,
    (EXISTS (SELECT 1 FROM (SELECT `c` AS c_5 FROM `cat`.`ns`.`u` AS t) WHERE (c_5 = k_3))) AS subquery_6
  FROM (SELECT `k` AS k_3, `v` AS v_4 FROM `cat`.`ns`.`s` AS t)
) AS `source`
ON (`target`.`x` = `source`.k_3)
WHEN MATCHED AND (`source`.v_4 < 0) THEN DELETE
WHEN MATCHED AND `source`.subquery_6 THEN UPDATE SET `y` = `source`.v_4
WHEN NOT MATCHED THEN INSERT (`x`, `y`) VALUES (`source`.k_3, 0)
