SELECT `flag` AS flag_7,
  CAST(max(`price`) AS BIGINT) AS max_8,
  CAST(count(*) AS BIGINT) AS count_9
FROM `cat`.`ns`.`lineitem` AS t
WHERE (`shipped` <= DATE '1998-09-02')
GROUP BY `flag`
ORDER BY flag_7 ASC NULLS LAST
