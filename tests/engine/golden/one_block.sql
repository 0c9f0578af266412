SELECT `flag` AS `flag_7`,
  CAST(/*1:14*/coalesce(sum(CASE WHEN `price` > 0 THEN `price` END) + coalesce(sum(CASE WHEN `price` < 0 THEN `price` END), 0), sum(CASE WHEN `price` <= 0 THEN `price` END)) AS BIGINT) AS `sum_8`,
  CAST(count(*) AS BIGINT) AS `count_9`
FROM `cat`.`ns`.`lineitem` AS `t`
WHERE (`shipped` <= DATE '1998-09-02')
GROUP BY `flag`
ORDER BY `flag_7` ASC NULLS LAST
